#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "strobe/device/vendor_names.h"
#include "strobe/readers/classify.h"
#include "strobe/readers/dialect.h"
#include "strobe/readers/xplane/xla_words.h"

// The JSON that XLA's profiler makes of its own file (JAX, TensorFlow): planes are processes, lines
// are threads, and events have no category.
namespace strobe::readers {
namespace {

bool is_xla_head(const TraceHead& head) {
  const bool has_categories = std::ranges::any_of(
      head.categories, [](const std::string& category) { return !category.empty(); });
  return !has_categories && std::ranges::any_of(head.process_names, [](const std::string& process) {
    return process == xla::kHostPlane || xla::device_plane(process).has_value();
  });
}

CategoryRule xla_category_rule(std::string_view) { return {SliceKind::kAnnotation, false}; }

// What the events of a track are.
struct Line {
  std::string_view name;
  std::optional<xla::DevicePlane> device;
  bool is_work = false;
};

class XlaTracks {
 public:
  explicit XlaTracks(TraceBuilder& builder) : builder_(builder) {
    for (const Track& track : builder.tracks()) {
      Line& line = lines_.emplace_back();
      line.name = text(track.thread_name);
      line.device = xla::device_plane(text(track.process_name));
      line.is_work = line.device && xla::is_work_line(line.device->type, line.name);
    }
  }

  void place_devices() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].device) continue;
      Track& track = builder_.tracks()[i];
      track.device = lines_[i].device->number;
      track.kind = lines_[i].is_work ? TrackKind::kDeviceStream : TrackKind::kOther;
      TraceTraits& traits = builder_.metadata().traits;
      traits.device_label = lines_[i].device->type == xla::DeviceType::kTpu ? "TPU" : "GPU";
      note_device(lines_[i].device->number);
    }
  }

  void classify() {
    SliceVectors& slices = builder_.slices();
    for (std::size_t row = 0; row < slices.size(); ++row) {
      const Line& line = lines_[slices.tracks[row].index()];
      const std::string_view name = builder_.strings()[slices.names[row]];
      SliceKind& kind = slices.kinds[row];
      if (line.is_work) {
        const bool is_gpu = line.device->type == xla::DeviceType::kGpu;
        kind = is_gpu ? xla::work_kind(name) : SliceKind::kKernel;
        if (kind == SliceKind::kKernel &&
            (device::is_any_collective(name) || xla::is_collective(name))) {
          slices.flags[row] |= kCommunicates;
        }
      } else if (line.device) {
        kind = SliceKind::kDeviceAnnotation;
      } else if (slices.correlations[row] != kNoLaunchId) {
        kind = SliceKind::kRuntimeCall;
      } else {
        kind = xla::host_kind(line.name, name);
      }
    }
  }

  // The reader keeps the number of a step as a sequence number; nothing else has one here.
  void name_steps() {
    SequenceVectors& sequences = builder_.sequences();
    SliceVectors& slices = builder_.slices();
    for (std::size_t i = 0; i < sequences.slices.size(); ++i) {
      const std::size_t row = sequences.slices[i].index();
      if (slices.kinds[row] != SliceKind::kAnnotation) continue;
      slices.kinds[row] = SliceKind::kStep;
      slices.names[row] = builder_.intern(
          xla::step_name(builder_.strings()[slices.names[row]], sequences.sequence_numbers[i]));
    }
    sequences = {};
  }

 private:
  std::string_view text(StringId id) const {
    return id.valid() ? builder_.strings()[id] : std::string_view();
  }

  void note_device(std::int32_t number) {
    auto& devices = builder_.metadata().devices;
    if (std::ranges::find(devices, number, &DeviceProperties::id) != devices.end()) return;
    devices.emplace_back().id = number;
  }

  TraceBuilder& builder_;
  std::vector<Line> lines_;  // by track; texts of a builder stay where they are
};

void finish_xla(TraceBuilder& builder, const FileOrder&, ImportReport& report) {
  XlaTracks tracks(builder);
  tracks.place_devices();
  tracks.classify();
  tracks.name_steps();
  demangle_kernels(builder);
  check_launches(builder.slices(), report);
}

}  // namespace

const Dialect kXlaDialect = {
    .traits = {.dialect = "xla", .runtime_label = "Runtime", .steps_cover_all_threads = true},
    .recognises = is_xla_head,
    .category_rule = xla_category_rule,
    .finish = finish_xla,
};

}  // namespace strobe::readers

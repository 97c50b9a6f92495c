#include "strobe/readers/xplane/xplane_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/base/json_text.h"
#include "strobe/base/protobuf_stream.h"
#include "strobe/base/text.h"
#include "strobe/readers/protobuf_input.h"
#include "strobe/readers/xplane/line_events.h"
#include "strobe/readers/xplane/plane_names.h"
#include "strobe/readers/xplane/xla_words.h"
#include "strobe/readers/xplane/xplane_fields.h"

namespace strobe::readers {
namespace {

using namespace xplane;

bool is_printable(std::string_view text) {
  return !text.empty() && is_valid_utf8(text) && std::ranges::none_of(text, [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7F';
  });
}

// The first field is a plane, and the plane begins with its id (left out if 0) and its name.
bool is_xplane(const TraceInput& input) {
  const std::string_view first = input.first();
  if (!first.starts_with('\n')) return false;
  const char* p = first.data() + 1;
  const char* const end = first.data() + first.size();
  std::uint64_t length = 0;
  if (!take_varint(p, end, length) || length > std::uint64_t{1} << 40) return false;
  const auto there = static_cast<std::uint64_t>(end - p);
  ProtobufFields plane({p, static_cast<std::size_t>(std::min(length, there))});
  if (!plane.next()) return false;
  if (plane.is_number(kPlaneId) && !plane.next()) return false;
  if (!plane.is_bytes(kPlaneName) || !is_printable(plane.bytes())) return false;
  // What follows, if it is in the first bytes, is the rest of a plane.
  while (plane.next()) {
    if (plane.field() > kPlaneStats || plane.kind() != ProtobufFields::Kind::kBytes) return false;
  }
  return !plane.is_broken() || length > there;
}

const StatName* no_name() {
  static const StatName none;
  return &none;
}

// Calls `take` with the name and value of each statistic of the plane.
template <class Take>
void for_each_own_stat(const PlaneNames& plane, Take&& take) {
  for (const std::string& message : plane.own_stats) {
    const Stat stat = read_stat(message, plane);
    take(stat.name == nullptr ? no_name()->text : stat.name->text, stat);
  }
}

class XplaneReader {
 public:
  XplaneReader(const SpaceNames& names, ProtobufStream& stream, TraceSink& sink)
      : names_(names), stream_(stream), sink_(sink), lines_(stream, sink) {}

  Result<void> read() {
    describe_trace();
    std::size_t plane = 0;
    while (stream_.next()) {
      if (!stream_.is_bytes(kSpacePlanes) || plane >= names_.planes.size()) continue;
      stream_.enter();
      const bool may_go_on = read_plane(names_.planes[plane++]);
      if (!may_go_on) return sink_.why_stopped();
      leave_message("a plane");
    }
    report_end(stream_, "a plane", sink_.report);
    lines_.finish(process_);
    note_start();
    return {};
  }

 private:
  // Times count from the start of the profile, or from 1970 in older files.
  void note_start() {
    const TraceBuilder& builder = sink_.builder;
    if (builder.slice_count() == 0 || builder.slice(SliceColumn::kStarts, 0) > start_ns_ / 2)
      return;
    sink_.builder.metadata().base_time_ns = start_ns_;
  }

  bool read_plane(const PlaneNames& plane) {
    PlanePlace place;
    place.device = xla::device_plane(plane.name);
    place.is_host = plane.name.starts_with("/host:");
    place.process = plane.name == xla::kHostPlane ? process_ : std::string(plane.name);
    lines_.begin_plane(plane, std::move(place));
    while (stream_.next()) {
      if (!stream_.is_bytes(kPlaneLines)) continue;
      stream_.enter();
      if (!lines_.read_line()) return false;
      leave_message("a line");
    }
    return true;
  }

  void leave_message(std::string_view what) {
    if (stream_.is_broken()) {
      sink_.report.add(ImportIssue::kDamagedChunk, stream_.offset(),
                       std::string(what) + " of the profile");
    }
    stream_.leave();
  }

  void describe_trace() {
    TraceTraits& traits = sink_.builder.metadata().traits;
    traits.dialect = xla::kModel;
    traits.runtime_label = "Runtime";
    traits.steps_cover_all_threads = true;
    for (const PlaneNames& plane : names_.planes) {
      if (const auto device = xla::device_plane(plane.name)) describe_device(plane, *device);
      for_each_own_stat(plane, [&](std::string_view name, const Stat& stat) {
        if (name == "process_id" && stat.number > 0 && stat.number < 1u << 31) {
          process_ = std::to_string(stat.number);
        }
        if (name == "profile_start_time") start_ns_ = stat.signed_number();
      });
    }
  }

  void describe_device(const PlaneNames& plane, const xla::DevicePlane& device) {
    DeviceProperties properties;
    properties.id = device.number;
    std::string_view vendor;
    for_each_own_stat(plane, [&](std::string_view name, const Stat& stat) {
      const auto small = static_cast<std::int32_t>(
          std::min<std::uint64_t>(stat.number, std::numeric_limits<std::int32_t>::max()));
      if (name == "gpu_device_name" || name == "device_type_string") {
        properties.name = sanitize_utf8(stat.text);
      } else if (name == "device_vendor") {
        vendor = stat.text;
      } else if (name == "core_count") {
        properties.multiprocessors = small;
      } else if (name == "memory_size") {
        properties.memory_bytes = std::max<std::int64_t>(0, stat.signed_number());
      } else if (name == "compute_cap_major") {
        properties.compute_major = small;
      } else if (name == "compute_cap_minor") {
        properties.compute_minor = small;
      }
    });
    TraceTraits& traits = sink_.builder.metadata().traits;
    traits.runtime_label = xla::runtime_label(device.type, vendor);
    traits.device_label = device.type == xla::DeviceType::kTpu ? "TPU" : "GPU";
    sink_.builder.metadata().devices.push_back(std::move(properties));
  }

  const SpaceNames& names_;
  ProtobufStream& stream_;
  TraceSink& sink_;
  LineEvents lines_;
  std::string process_ = "0";
  std::int64_t start_ns_ = 0;
};

Result<void> read_xplane(const TraceInput& input, TraceSink& sink) {
  SpaceNames names;
  {
    STROBE_TRY(ProtobufStream stream, open_messages(input));
    read_names(stream, names);
  }
  STROBE_TRY(ProtobufStream stream, open_messages(input));
  sink.expect(input.file_bytes());
  return XplaneReader(names, stream, sink).read();
}

}  // namespace

const FileFormat kXplane{"XPlane", is_xplane, read_xplane};

}  // namespace strobe::readers

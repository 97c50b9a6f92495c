#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "strobe/base/text.h"
#include "strobe/device/vendor_names.h"
#include "strobe/readers/classify.h"
#include "strobe/readers/dialect.h"
#include "strobe/readers/rocm/work_rows.h"

// JSON events of rocprof and rocmProfileData, with one process per device ("GPU2"), whole
// microseconds, no categories, and arrows from calls to their device work.
namespace strobe::readers {
namespace {

constexpr std::string_view kArrows[] = {"api_op", "DataFlow"};
// Processes of calls, which the file may list long before those of devices.
constexpr std::string_view kCallProcesses[] = {"CPU HIP API", "CPU HSA API"};

// A process may have a number of its own before its name: "6 GPU2".
std::string_view without_number(std::string_view process) {
  const std::size_t name = process.find_first_not_of("0123456789");
  const bool has_number = name != 0 && name != process.npos && process[name] == ' ';
  return has_number ? process.substr(name + 1) : process;
}

// "COPY" has the copies of all devices and says in its arguments alone which one it was.
bool is_copies(std::string_view process) { return without_number(process) == "COPY"; }

// "GPU2"
std::optional<std::int32_t> device_in(std::string_view process) {
  process = without_number(process);
  if (!process.starts_with("GPU")) return std::nullopt;
  const auto number = parse_whole_number(process.substr(3));
  if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(*number);
}

bool is_rocm_head(const TraceHead& head) {
  const auto has_key = [&](std::string_view key) {
    return std::ranges::find(head.argument_keys, key) != head.argument_keys.end();
  };
  // One of them writes what an operation is, the other its exact times.
  if (!has_key("desc") && !has_key("BeginNs")) return false;
  return std::ranges::any_of(head.process_names, [&](const std::string& name) {
    const std::string_view calls = without_number(name);
    return device_in(name).has_value() ||
           (has_key("BeginNs") &&
            std::ranges::find(kCallProcesses, calls) != std::end(kCallProcesses));
  });
}

NameRule device_rule(std::string_view name) {
  if (name.starts_with("Copy") || name.starts_with("hcMemcpy")) {
    return {SliceKind::kMemcpy, kNoFlags};
  }
  if (name.starts_with("FillBuffer")) return {SliceKind::kMemset, kNoFlags};
  if (name == "<barrier packet>" || name == "Barrier" || name == "Marker") {
    return {SliceKind::kDeviceAnnotation, kNoFlags};
  }
  return {SliceKind::kKernel, device::is_any_collective(name) ? kCommunicates : kNoFlags};
}

enum class Place : std::uint8_t { kHost, kDevice, kCopies };

// Tracks become those of devices by the names of their processes.
std::vector<Place> mark_devices(TraceBuilder& builder) {
  std::vector<Place> places;
  for (Track& track : builder.tracks()) {
    const std::string_view process =
        track.process_name.valid() ? builder.strings()[track.process_name] : std::string_view();
    const auto device = is_copies(process) ? std::optional(0) : device_in(process);
    places.push_back(is_copies(process) ? Place::kCopies : device ? Place::kDevice : Place::kHost);
    if (!device) continue;
    track.kind = TrackKind::kDeviceStream;
    track.device = device;
  }
  return places;
}

NameRule rule_of(Place place, std::string_view name) {
  switch (place) {
    case Place::kHost:
      return {WorkRows::call_kind(name, {}), kNoFlags};
    case Place::kDevice:
      return device_rule(name);
    case Place::kCopies:
      break;
  }
  const bool is_set = name.find("Fill") != std::string_view::npos;
  return {is_set ? SliceKind::kMemset : SliceKind::kMemcpy, kNoFlags};
}

void classify_by_name(TraceBuilder& builder, const std::vector<Place>& places) {
  SliceVectors& slices = builder.slices();
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const std::string_view name = builder.strings()[slices.names[row]];
    const NameRule rule = rule_of(places[slices.tracks[row].index()], name);
    slices.kinds[row] = rule.kind;
    slices.flags[row] = static_cast<std::uint8_t>(slices.flags[row] | rule.flags);
  }
}

// Slices of one side of the arrows, by track and start.
class SlicesByStart {
 public:
  SlicesByStart(const SliceVectors& slices, std::size_t tracks, bool (*wanted)(SliceKind))
      : slices_(slices), by_track_(tracks), next_(tracks) {
    for (std::size_t row = 0; row < slices.size(); ++row) {
      if (wanted(slices.kinds[row])) {
        by_track_[slices.tracks[row].index()].push_back(static_cast<std::uint32_t>(row));
      }
    }
    for (auto& rows : by_track_) {
      std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return slices.starts_ns[row]; });
    }
  }

  // The one that began last, at or before a time, and has not ended.
  std::optional<std::uint32_t> open_at(TrackId track, std::int64_t time_ns) const {
    const auto& rows = by_track_[track.index()];
    const auto after = std::ranges::upper_bound(
        rows, time_ns, {}, [&](std::uint32_t row) { return slices_.starts_ns[row]; });
    if (after == rows.begin()) return std::nullopt;
    const std::uint32_t row = *std::prev(after);
    const bool is_open = time_ns - slices_.starts_ns[row] <= slices_.durations_ns[row];
    return is_open ? std::optional(row) : std::nullopt;
  }

  // One that begins at a time, each at most once: rounded times are often equal.
  std::optional<std::uint32_t> take_at(TrackId track, std::int64_t time_ns) {
    const auto& rows = by_track_[track.index()];
    const auto first = std::ranges::lower_bound(
        rows, time_ns, {}, [&](std::uint32_t row) { return slices_.starts_ns[row]; });
    auto at = static_cast<std::size_t>(first - rows.begin());
    std::size_t& used = next_[track.index()][time_ns];
    at += used++;
    if (at >= rows.size() || slices_.starts_ns[rows[at]] != time_ns) return std::nullopt;
    return rows[at];
  }

 private:
  const SliceVectors& slices_;
  std::vector<std::vector<std::uint32_t>> by_track_;
  std::vector<std::unordered_map<std::int64_t, std::size_t>> next_;
};

bool is_call(SliceKind kind) { return kind == SliceKind::kRuntimeCall; }

// A call may queue several operations; all get its number.
void follow_arrows(TraceBuilder& builder) {
  SliceVectors& slices = builder.slices();
  const FlowVectors& flows = builder.flows();
  const auto is_launch = [&](std::size_t flow) {
    const std::string_view category =
        builder.strings()[builder.categories()[flows.categories[flow].index()].name];
    return std::ranges::find(kArrows, category) != std::end(kArrows);
  };
  const SlicesByStart calls(slices, builder.tracks().size(), is_call);
  SlicesByStart work(slices, builder.tracks().size(), is_device_work);
  std::unordered_map<std::uint64_t, std::uint32_t> starts;  // id of an arrow, its call
  for (std::size_t flow = 0; flow < flows.size(); ++flow) {
    if (flows.phases[flow] != FlowPhase::kStart || !is_launch(flow)) continue;
    if (const auto call = calls.open_at(flows.tracks[flow], flows.times_ns[flow])) {
      starts.insert_or_assign(flows.ids[flow], *call);
    }
  }
  for (std::size_t flow = 0; flow < flows.size(); ++flow) {
    if (flows.phases[flow] == FlowPhase::kStart || !is_launch(flow)) continue;
    const auto call = starts.find(flows.ids[flow]);
    if (call == starts.end()) continue;
    const auto row = work.take_at(flows.tracks[flow], flows.times_ns[flow]);
    if (!row) continue;
    slices.correlations[call->second] = call->second;
    slices.correlations[*row] = call->second;
  }
}

void finish_rocm(TraceBuilder& builder, const FileOrder&, ImportReport&) {
  classify_by_name(builder, mark_devices(builder));
  follow_arrows(builder);
  demangle_kernels(builder);
}

}  // namespace

const Dialect kRocmDialect = {
    .traits = {.dialect = "rocprof", .runtime_label = "HipRuntime"},
    .recognises = is_rocm_head,
    .category_rule = [](std::string_view) -> CategoryRule {
      return {SliceKind::kAnnotation, false};
    },
    .finish = finish_rocm,
};

}  // namespace strobe::readers

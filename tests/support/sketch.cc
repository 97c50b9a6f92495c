#include "tests/support/sketch.h"

#include <charconv>
#include <optional>
#include <utility>

#include "strobe/base/check.h"

namespace strobe {
namespace {

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Sketch& Sketch::traits(const TraceTraits& traits) {
  builder_.metadata().traits = traits;
  return *this;
}

TrackId Sketch::track_of(std::string_view process, std::string_view thread, TrackKind kind) {
  const StringId process_text = builder_.intern(process);
  const StringId thread_text = builder_.intern(thread);
  auto& tracks = builder_.tracks();
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    if (tracks[i].process == process_text && tracks[i].thread == thread_text &&
        tracks[i].kind == kind) {
      return TrackId(i);
    }
  }
  Track track;
  track.kind = kind;
  track.process = process_text;
  track.thread = thread_text;
  track.process_number = number_in(process);
  track.thread_number = number_in(thread);
  return builder_.add_track(track);
}

Sketch& Sketch::track(std::string_view name, TrackKind kind) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  track_ = track_of("1", digits < name.size() ? name.substr(digits) : name, kind);
  builder_.tracks()[track_.index()].thread_name = builder_.intern(name);
  return *this;
}

Sketch& Sketch::thread(std::int64_t thread, std::int64_t process) {
  track_ = track_of(std::to_string(process), std::to_string(thread), TrackKind::kHostThread);
  return *this;
}

Sketch& Sketch::stream(std::int32_t device, std::int64_t stream) {
  track_ = track_of(std::to_string(device), std::to_string(stream), TrackKind::kDeviceStream);
  builder_.tracks()[track_.index()].device = device;
  return *this;
}

Sketch& Sketch::slice(std::string_view name, SliceKind kind, std::int64_t start_ns,
                      std::int64_t duration_ns) {
  if (!track_.valid()) thread(1);
  TraceBuilder::SliceRow row;
  row.start_ns = start_ns;
  row.duration_ns = duration_ns;
  row.name = builder_.intern(name);
  row.track = track_;
  row.category = builder_.category("sketch");
  row.kind = kind;
  builder_.add_slice(row);
  nest_ends_ns_.push_back(start_ns + duration_ns);
  owners_.push_back({});
  args_.emplace_back();
  return *this;
}

SliceId Sketch::last() const {
  STROBE_CHECK(!nest_ends_ns_.empty(), "a sketch describes a slice after adding it");
  return SliceId(nest_ends_ns_.size() - 1);
}

SliceId Sketch::find(std::string_view name) const {
  auto& builder = const_cast<TraceBuilder&>(builder_);
  const StringId text = builder.strings().find(name);
  for (std::size_t row = nest_ends_ns_.size(); row-- > 0;) {
    if (builder.slices().names[row] == text) return SliceId(row);
  }
  STROBE_CHECK(false, "a sketch refers to slices it has");
  return {};
}

Sketch& Sketch::correlation(std::uint32_t id) {
  builder_.slices().correlations[last().index()] = id;
  return *this;
}

Sketch& Sketch::external(std::uint32_t id) {
  builder_.slices().externals[last().index()] = id;
  return *this;
}

Sketch& Sketch::flags(std::uint8_t slice_flags) {
  builder_.slices().flags[last().index()] = slice_flags;
  return *this;
}

Sketch& Sketch::category(std::string_view name) {
  builder_.slices().categories[last().index()] = builder_.category(name);
  return *this;
}

Sketch& Sketch::args(std::string_view json_object) {
  args_[last().index()] = json_object;
  return *this;
}

Sketch& Sketch::sequence(std::int64_t number, std::int64_t forward_thread) {
  auto& sequences = builder_.sequences();
  sequences.slices.push_back(last());
  sequences.sequence_numbers.push_back(number);
  sequences.forward_threads.push_back(forward_thread);
  return *this;
}

Sketch& Sketch::nests_until(std::int64_t end_ns) {
  nest_ends_ns_[last().index()] = end_ns;
  hints_ends_ = true;
  return *this;
}

Sketch& Sketch::owned_by(std::string_view name) {
  owners_[last().index()] = find(name);
  hints_owners_ = true;
  return *this;
}

Sketch& Sketch::owned_by_thread() {
  owners_[last().index()] = {};
  hints_owners_ = true;
  return *this;
}

Sketch& Sketch::memory(MemoryAction action, std::string_view place, std::int64_t time_ns,
                       std::int64_t bytes) {
  if (!track_.valid()) thread(1);
  auto& memory = builder_.memory();
  memory.times_ns.push_back(time_ns);
  memory.tracks.push_back(track_);
  memory.actions.push_back(action);
  memory.places.push_back(builder_.intern(place));
  memory.bytes.push_back(bytes);
  memory.addresses.push_back(0);
  memory.allocated_bytes.push_back(-1);
  memory.reserved_bytes.push_back(-1);
  memory.peak_allocated_bytes.push_back(-1);
  memory.peak_reserved_bytes.push_back(-1);
  memory.owners.push_back({});
  return *this;
}

Sketch& Sketch::totals(std::int64_t allocated_bytes, std::int64_t reserved_bytes) {
  builder_.memory().allocated_bytes.back() = allocated_bytes;
  builder_.memory().reserved_bytes.back() = reserved_bytes;
  return *this;
}

Sketch& Sketch::peaks(std::int64_t allocated_bytes, std::int64_t reserved_bytes) {
  builder_.memory().peak_allocated_bytes.back() = allocated_bytes;
  builder_.memory().peak_reserved_bytes.back() = reserved_bytes;
  return *this;
}

Sketch& Sketch::address(std::uint64_t address) {
  builder_.memory().addresses.back() = address;
  return *this;
}

Sketch& Sketch::counter(std::string_view name, std::string_view series, std::int64_t time_ns,
                        double value) {
  if (!track_.valid()) thread(1);
  auto& counters = builder_.counters();
  counters.times_ns.push_back(time_ns);
  counters.tracks.push_back(track_);
  counters.names.push_back(builder_.intern(name));
  counters.series.push_back(builder_.intern(series));
  counters.values.push_back(value);
  return *this;
}

Sketch& Sketch::memory_owned_by(std::string_view name) {
  builder_.memory().owners.back() = find(name);
  builder_.memory().owners_are_known = true;
  return *this;
}

Sketch& Sketch::flow(std::uint64_t id, FlowPhase phase, std::int64_t time_ns,
                     std::string_view category) {
  auto& flows = builder_.flows();
  flows.times_ns.push_back(time_ns);
  flows.ids.push_back(id);
  flows.tracks.push_back(track_);
  flows.categories.push_back(builder_.category(category));
  flows.phases.push_back(phase);
  return *this;
}

Trace Sketch::trace() {
  ArgsWriter writer;
  for (std::size_t row = 0; row < args_.size(); ++row) {
    if (!args_[row].empty()) builder_.slices().args[row] = writer.add(args_[row]);
  }
  builder_.args() = writer.finish();
  if (hints_ends_) builder_.nesting_hints().ends_ns = nest_ends_ns_;
  if (hints_owners_) builder_.nesting_hints().owners = owners_;
  return std::move(builder_).build();
}

}  // namespace strobe

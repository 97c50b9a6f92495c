#include "strobe/readers/xplane/line_events.h"
#include "strobe/readers/event_fields.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/text.h"
#include "strobe/device/name_parts.h"
#include "strobe/device/vendor_names.h"
#include "strobe/readers/protobuf_input.h"
#include "strobe/readers/xplane/xplane_fields.h"

namespace strobe::readers::xplane {
namespace {

constexpr std::size_t kLongestEvent = 16 << 20;
constexpr std::size_t kLongestLineName = 1 << 16;
constexpr std::size_t kPackedAtOnce = 4 * kPackedPageRows + 256;
constexpr std::size_t kMostAllocators = 64;  // that are looked through
constexpr std::string_view kLostName = "(lost name)";

// Half up; the result of a negative time, too, is the whole number nearest to it.
constexpr std::int64_t rounded_ns(std::int64_t ps) {
  constexpr std::int64_t kMost_ps = std::int64_t{1} << 62;
  if (ps >= 0 && ps < kMost_ps) [[likely]]
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(ps) + 500) / 1000);
  const std::int64_t whole = ps / 1000;
  const std::int64_t rest = ps % 1000;
  if (rest >= 500) return whole + 1;
  return rest < -500 ? whole - 1 : whole;
}
static_assert(rounded_ns(1499) == 1 && rounded_ns(1500) == 2 && rounded_ns(-1500) == -1);

std::string_view kind_category(SliceKind kind) {
  switch (kind) {
    case SliceKind::kKernel:
      return "kernel";
    case SliceKind::kMemcpy:
      return "gpu_memcpy";
    case SliceKind::kMemset:
      return "gpu_memset";
    case SliceKind::kRuntimeCall:
      return "runtime";
    case SliceKind::kPythonCall:
      return "python_function";
    case SliceKind::kOverhead:
      return "overhead";
    case SliceKind::kStep:
      return "step";
    case SliceKind::kOperator:
      return "operator";
    case SliceKind::kDeviceAnnotation:
      return "derived";
    default:
      return "trace_me";
  }
}

}  // namespace

void LineEvents::begin_plane(const PlaneNames& names, PlanePlace place) {
  names_ = &names;
  reader_.begin_plane(names);
  place_ = std::move(place);
  forget_shapes();
}

void LineEvents::forget_shapes() {
  shapes_ = {};
  lost_shape_ = {};
}

bool LineEvents::read_line() {
  line_id_ = 0;
  line_time_ns_ = 0;
  line_name_.clear();
  display_name_.clear();
  has_begun_ = false;
  first_row_ = sink_.builder.slice_count();
  placed_rows_ = first_row_;
  row_moves_.clear();
  most_unpacked_ = kPackedAtOnce;
  const auto take = [&](std::string_view message) { return take_event(message); };
  for (;;) {
    if (!stream_.take_neighbours(kLineEvents, take)) return false;
    if (!stream_.next()) break;
    switch (stream_.field()) {
      case kLineId:
        line_id_ = stream_.number();
        break;
      case kLineName:
        if (const auto name = stream_.bytes(kLongestLineName)) line_name_ = *name;
        break;
      case kLineTime_ns:
        line_time_ns_ = static_cast<std::int64_t>(stream_.number());
        break;
      case kLineDisplayName:
        if (const auto name = stream_.bytes(kLongestLineName)) display_name_ = *name;
        break;
      case kLineEvents: {
        if (stream_.kind() != ProtobufStream::Kind::kBytes) break;
        const auto whole = stream_.bytes(kLongestEvent);
        if (stream_.is_cut()) break;
        if (!whole) {
          if (!has_begun_) begin_line();
          sink_.report.add(ImportIssue::kMalformedEvent, stream_.field_offset(),
                           "an event of over 16 MiB");
        } else if (!take_event(*whole)) {
          return false;
        }
        break;
      }
      default:
        break;
    }
  }
  place_rest_of_line();
  const std::size_t end_row = sink_.builder.slice_count();
  if (line_name_ == xla::kStepsLine && place_.device && end_row > first_row_) {
    step_rows_.push_back({first_row_, end_row, std::to_string(place_.device->number)});
  }
  return true;
}

// Packs rows while their line is read. Its starts mostly never go back; then a row has its place as
// soon as a later start is known.
void LineEvents::pack_rows() {
  SliceVectors& slices = sink_.builder.slices();
  most_unpacked_ = 2 * slices.size();
  if (!starts_are_in_order()) {
    take_back_places();
    most_unpacked_ = std::numeric_limits<std::size_t>::max();  // the line is ordered at its end
    return;
  }
  const std::size_t last = slices.size() - 1;
  if (slices.starts_ns[last - 1] == slices.starts_ns[last]) return;  // the next one may, too
  place_rows();
  --placed_rows_;
  sink_.builder.pack_slices(last);
  most_unpacked_ = kPackedAtOnce;
}

void LineEvents::place_rest_of_line() {
  add_staged();
  if (!starts_are_in_order()) take_back_places();
  place_rows();
  sink_.builder.pack_slices(sink_.builder.slices().size());
}

bool LineEvents::starts_are_in_order() const {
  const auto unpacked = std::span<const std::int64_t>(sink_.builder.slices().starts_ns);
  return std::ranges::is_sorted(unpacked.subspan(placed_rows_ - sink_.builder.packed_slices()));
}

void LineEvents::take_back_places() {
  TraceBuilder& builder = sink_.builder;
  builder.unpack_slices(first_row_);
  for (auto moves = row_moves_.rbegin(); moves != row_moves_.rend(); ++moves) {
    moves->first -= builder.packed_slices();
    undo(std::move(*moves), builder.slices());
  }
  row_moves_.clear();
  placed_rows_ = first_row_;
}

void LineEvents::place_rows() {
  TraceBuilder& builder = sink_.builder;
  RowMoves moves = order_track_by_start(builder.slices(), placed_rows_ - builder.packed_slices());
  moves.first += builder.packed_slices();
  if (!moves.from.empty()) row_moves_.push_back(std::move(moves));
  placed_rows_ = builder.slice_count();
}

// False if loading must end.
inline bool LineEvents::take_event(std::string_view message) {
  if (!has_begun_) [[unlikely]]
    begin_line();
  if (!add_event(message)) [[unlikely]] {
    sink_.report.add(ImportIssue::kMalformedEvent, stream_.field_offset(),
                     "an event's fields do not fit");
  }
  return stream_.offset() - reported_bytes_ < kPulseBytes || note_progress();
}

bool LineEvents::note_progress() {
  const bool may_go_on = sink_.pulse(stream_.offset() - reported_bytes_);
  reported_bytes_ = stream_.offset();
  return may_go_on;
}

void LineEvents::begin_line() {
  has_begun_ = true;
  role_ = Role::kDerived;
  if (place_.device && xla::is_work_line(place_.device->type, line_name_)) role_ = Role::kWork;
  if (place_.is_host) role_ = Role::kHost;
  // The kind of a host's event depends on its line.
  const bool is_of_profiler = line_name_.starts_with("Host Threads");
  if (role_ != shapes_role_ || is_of_profiler != shapes_are_of_profiler_) forget_shapes();
  shapes_role_ = role_;
  shapes_are_of_profiler_ = is_of_profiler;
  track_ = track_of_line();
  staged_.tracks.fill(track_);
}

TrackId LineEvents::track_of_line() {
  Track track;
  const std::string id = std::to_string(line_id_);
  const std::string name = sanitize_utf8(line_name_.empty() ? display_name_ : line_name_);
  track.thread_name = sink_.builder.intern(name);
  if (role_ == Role::kHost) {
    track.kind = TrackKind::kHostThread;
    track.process = sink_.builder.intern(place_.process);
    track.thread = sink_.builder.intern(id);
    track.thread_number = parse_whole_number(id);
    track.process_number = parse_whole_number(place_.process);
  } else {
    track.kind = role_ == Role::kWork ? TrackKind::kDeviceStream : TrackKind::kOther;
    track.thread = sink_.builder.intern(role_ == Role::kWork ? id : name);
    if (role_ == Role::kWork) track.thread_number = parse_whole_number(id);
    if (place_.device) {
      track.device = place_.device->number;
      track.process = sink_.builder.intern(std::to_string(place_.device->number));
      track.process_number = place_.device->number;
    } else {
      track.process = sink_.builder.intern(sanitize_utf8(names_->name));
    }
  }
  track.process_name = sink_.builder.intern(sanitize_utf8(names_->name));
  return sink_.builder.add_track(track);
}

bool LineEvents::add_event(std::string_view message) {
  Event& event = event_;
  if (!reader_.read(message, event)) return false;
  const std::int64_t from_line_ns = rounded_ns(event.offset_ps);
  TraceBuilder::SliceRow row;
  const bool overflows = __builtin_add_overflow(line_time_ns_, from_line_ns, &row.start_ns);
  if (event.has_no_time || overflows || row.start_ns <= -kLatestTime_ns ||
      row.start_ns >= kLatestTime_ns) {
    sink_.report.add(ImportIssue::kMissingTime, stream_.field_offset(),
                     event.has_no_time ? "a sum of several events" : "a time beyond all clocks");
    return true;
  }
  row.duration_ns = rounded_ns(event.duration_ps);
  if (row.duration_ns < 0) [[unlikely]] {
    sink_.report.add(ImportIssue::kNegativeDuration, stream_.field_offset());
    row.duration_ns = 0;
  }
  const Shape& shape = shape_of(event.metadata_id);
  row.name = shape.name;
  row.kind = shape.kind;
  row.flags = shape.flags;
  row.track = track_;
  if (event.has_more) take_stats(event, shape, row);
  row.category = category_of(row.kind);
  if (sink_.keeps_args()) row.args = args_of(event, shape, message);
  stage(row);
  return true;
}

void LineEvents::take_stats(const Event& event, const Shape& shape, TraceBuilder::SliceRow& row) {
  if (role_ == Role::kWork) {
    if (event.work != SliceKind::kKernel) {
      row.kind = event.work;
      row.flags = kNoFlags;
    }
    row.correlation = correlation_of(event);
  } else if (role_ == Role::kHost) {
    if (event.has_correlation) {
      row.kind = SliceKind::kRuntimeCall;
      row.correlation = correlation_of(event);
    } else if (event.step) {
      row.kind = SliceKind::kStep;
      row.name = sink_.name(xla::step_name(sink_.builder.strings()[shape.name], *event.step));
      has_steps_ = true;
    } else if (event.is_operator && row.kind == SliceKind::kAnnotation) {
      row.kind = SliceKind::kOperator;
    }
    if (event.producer)
      add_flow(FlowPhase::kStart, event.producer_type, *event.producer, row.start_ns);
    if (event.consumer)
      add_flow(FlowPhase::kEnd, event.consumer_type, *event.consumer, row.start_ns);
    if (shape.is_memory && event.has_allocation) add_memory(shape, row.start_ns);
  }
}

void LineEvents::add_staged() {
  SliceVectors& slices = sink_.builder.slices();
  const auto append = [&](const auto& staged, auto& column) {
    const auto* const begin = staged.data();
    column.insert(column.end(), begin, begin + staged_.count);
  };
  append(staged_.starts_ns, slices.starts_ns);
  append(staged_.durations_ns, slices.durations_ns);
  append(staged_.names, slices.names);
  append(staged_.tracks, slices.tracks);
  append(staged_.categories, slices.categories);
  append(staged_.kinds, slices.kinds);
  append(staged_.flags, slices.flags);
  append(staged_.correlations, slices.correlations);
  append(staged_.args, slices.args);
  slices.externals.resize(slices.starts_ns.size(), kNoLaunchId);
  staged_.count = 0;
  if (slices.size() >= most_unpacked_) pack_rows();
}

const LineEvents::Shape& LineEvents::new_shape(std::uint64_t metadata_id) {
  const EventName* name = names_->events.find(metadata_id);
  if (name != nullptr && name->is_known) return shapes_.add(metadata_id) = make_shape(*name);
  sink_.report.add_many(ImportIssue::kLostName, 1);
  if (!lost_shape_.is_made) lost_shape_ = make_shape({kLostName, {}, {}, false});
  return lost_shape_;
}

LineEvents::Shape LineEvents::make_shape(const EventName& known) {
  const bool is_shortened = !known.display.empty() && role_ != Role::kHost;
  const std::string_view name = is_shortened ? known.display : known.name;
  Shape shape;
  shape.is_made = true;
  shape.shared_stats = known.stats;
  // The texts of shared statistics are kept once: where they lie tells them apart.
  shape.args_seed = reinterpret_cast<std::uintptr_t>(known.stats.data()) * 0xC2B2AE3D27D4EB4Fu ^
                    reinterpret_cast<std::uintptr_t>(names_) * 0x9FB21C651E98DF25u;
  switch (role_) {
    case Role::kWork:
      shape.kind = SliceKind::kKernel;
      shape.name = sink_.name(device::readable_name(name));
      if (device::is_any_collective(name) || xla::is_collective(name)) shape.flags = kCommunicates;
      break;
    case Role::kHost:
      shape.kind = xla::host_kind(line_name_, name);
      shape.name = sink_.name(name);
      shape.is_memory = name == "MemoryAllocation" || name == "MemoryDeallocation";
      shape.frees = name == "MemoryDeallocation";
      break;
    case Role::kDerived:
      shape.kind = SliceKind::kDeviceAnnotation;
      shape.name = sink_.name(name);
      break;
  }
  return shape;
}

ArgsId LineEvents::args_of(const Event& event, const Shape& shape, std::string_view message) {
  if (!event.has_args && shape.shared_stats.empty()) return {};
  const std::uint64_t hash = event.args_hash ^ shape.args_seed;
  const ArgsId recent = recent_args_.find(hash);
  if (recent.valid()) return recent;
  args_.begin();
  args_.add_stats(message, *names_);
  args_.add_stats(shape.shared_stats, *names_);
  const ArgsId args = sink_.keep(args_.finish());
  recent_args_.put(hash, args);
  return args;
}

std::uint32_t LineEvents::correlation_of(const Event& event) {
  if (event.correlation == 0) return kNoLaunchId;
  if (event.correlation < kNoLaunchId) return static_cast<std::uint32_t>(event.correlation);
  sink_.report.add(ImportIssue::kWideCorrelation, stream_.field_offset());
  return kNoLaunchId;
}

void LineEvents::add_flow(FlowPhase phase, std::uint64_t type, std::uint64_t id,
                          std::int64_t time_ns) {
  FlowVectors& flows = sink_.builder.flows();
  flows.times_ns.push_back(time_ns);
  flows.ids.push_back(std::rotl(id, 8) ^ type);  // small numbers stay small
  flows.tracks.push_back(track_);
  if (!flow_category_.valid()) flow_category_ = sink_.builder.category("context");
  flows.categories.push_back(flow_category_);
  flows.phases.push_back(phase);
  if (flows.size() >= kPackedAtOnce) sink_.builder.pack_flows();
}

// "GPU_0_bfc" is of a device; others are of the host.
StringId LineEvents::place_of(std::string_view allocator) {
  const auto known = std::ranges::find(allocators_, allocator, &Allocator::name);
  if (known != allocators_.end()) return known->place;
  StringId place;
  if (allocator.starts_with("GPU_")) {
    const auto device = parse_whole_number(allocator.substr(4, allocator.find('_', 4) - 4));
    if (device) place = sink_.builder.intern(fmt::format("Place(gpu:{})", *device));
  }
  if (allocators_.size() >= kMostAllocators) allocators_.clear();
  allocators_.push_back({std::string(allocator), place});
  return place;
}

// One event of an allocator. It is a slice without length, too.
void LineEvents::add_memory(const Shape& shape, std::int64_t time_ns) {
  const Allocation& allocation = reader_.allocation();
  const std::int64_t block = allocation.block_bytes;
  if (block < 0) return;  // incomplete
  const StringId place = place_of(allocation.allocator);
  if (!place.valid()) return;
  MemoryVectors& memory = sink_.builder.memory();
  memory.times_ns.push_back(time_ns);
  memory.tracks.push_back(track_);
  memory.actions.push_back(shape.frees ? MemoryAction::kFree : MemoryAction::kAllocate);
  memory.places.push_back(place);
  memory.bytes.push_back(shape.frees ? -block : block);
  memory.addresses.push_back(allocation.address);
  memory.allocated_bytes.push_back(allocation.allocated_bytes);
  memory.reserved_bytes.push_back(allocation.reserved_bytes);
  memory.peak_allocated_bytes.push_back(allocation.peak_bytes);
  memory.peak_reserved_bytes.push_back(-1);
  memory.owners.push_back({});
  if (memory.size() >= kPackedAtOnce) sink_.builder.pack_memory();
}

CategoryId LineEvents::new_category(SliceKind kind) {
  return categories_[static_cast<std::size_t>(kind)] = sink_.builder.category(kind_category(kind));
}

void LineEvents::finish(const std::string& process) {
  if (has_steps_) return;
  for (const Rows& rows : step_rows_) {
    Track track;
    track.kind = TrackKind::kAsync;
    track.process = sink_.builder.intern(process);
    track.process_number = parse_whole_number(process);
    track.thread = sink_.builder.intern("steps of device " + rows.device);
    const TrackId steps = sink_.builder.add_track(track);
    const auto make_steps = [&](SliceVectors& slices, std::size_t first, std::size_t end) {
      for (std::size_t row = first; row < end; ++row) {
        slices.kinds[row] = SliceKind::kStep;
        slices.categories[row] = category_of(SliceKind::kStep);
        slices.tracks[row] = steps;
        const std::string_view name = sink_.builder.strings()[slices.names[row]];
        if (const auto number = parse_whole_number(name)) {
          slices.names[row] = sink_.builder.intern(xla::step_name("step", *number));
        }
      }
    };
    sink_.builder.change_slices(rows.first, rows.end, make_steps);
  }
}

}  // namespace strobe::readers::xplane

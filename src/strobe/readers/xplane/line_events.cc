#include "strobe/readers/xplane/line_events.h"
#include "strobe/readers/event_fields.h"

#include <algorithm>
#include <limits>

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
constexpr std::string_view kLostName = "(lost name)";

// Half up; the result of a negative time, too, is the whole number nearest to it.
constexpr std::int64_t rounded_ns(std::int64_t ps) {
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
  place_ = std::move(place);
  shapes_ = {};
}

bool LineEvents::read_line() {
  line_id_ = 0;
  line_time_ns_ = 0;
  line_name_.clear();
  display_name_.clear();
  has_begun_ = false;
  const std::size_t first_row = sink_.builder.slices().size();
  while (stream_.next()) {
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
        if (!has_begun_) begin_line();
        const std::uint64_t offset = stream_.field_offset();
        const auto message = stream_.bytes(kLongestEvent);
        if (stream_.is_cut()) break;
        if (!message || !add_event(*message)) {
          sink_.report.add(ImportIssue::kMalformedEvent, offset,
                           message ? "an event's fields do not fit" : "an event of over 16 MiB");
        }
        if (stream_.offset() - reported_bytes_ < kPulseBytes) break;
        if (!sink_.pulse(stream_.offset() - reported_bytes_)) return false;
        reported_bytes_ = stream_.offset();
        break;
      }
      default:
        break;
    }
  }
  const std::size_t end_row = sink_.builder.slices().size();
  if (line_name_ == xla::kStepsLine && place_.device && end_row > first_row) {
    step_rows_.push_back({first_row, end_row, std::to_string(place_.device->number)});
  }
  return true;
}

void LineEvents::begin_line() {
  has_begun_ = true;
  role_ = Role::kDerived;
  if (place_.device && xla::is_work_line(place_.device->type, line_name_)) role_ = Role::kWork;
  if (place_.is_host) role_ = Role::kHost;
  // The kind of a host's event depends on its line.
  const bool is_of_profiler = line_name_.starts_with("Host Threads");
  if (role_ != shapes_role_ || is_of_profiler != shapes_are_of_profiler_) shapes_ = {};
  shapes_role_ = role_;
  shapes_are_of_profiler_ = is_of_profiler;
  track_ = track_of_line();
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

void LineEvents::read_stat_of(std::string_view message, Event& event) const {
  ProtobufFields fields(message);
  std::uint64_t id = 0;
  std::uint64_t number = 0;
  std::string_view text;
  while (fields.next()) {
    switch (fields.field()) {
      case kStatMetadataId:
        id = fields.number();
        break;
      case kStatUnsigned:
      case kStatSigned:
        number = fields.number();
        break;
      case kStatText:
        text = fields.bytes();
        break;
      default:
        break;
    }
  }
  const StatName* name = names_->stats.find(id);
  if (name == nullptr) return;
  if (!text.empty() && name->meaning != StatMeaning::kOther) {
    // Some writers write every number as text.
    if (const auto parsed = parse_whole_number(text)) number = static_cast<std::uint64_t>(*parsed);
  }
  switch (name->meaning) {
    case StatMeaning::kCorrelation:
      event.correlation = number;
      event.has_correlation = true;
      return;
    case StatMeaning::kRepeated:
      return;
    case StatMeaning::kProducerType:
      event.producer_type = number;
      return;
    case StatMeaning::kProducer:
      event.producer = number;
      return;
    case StatMeaning::kConsumerType:
      event.consumer_type = number;
      return;
    case StatMeaning::kConsumer:
      event.consumer = number;
      return;
    case StatMeaning::kCopy:
      event.work = SliceKind::kMemcpy;
      break;
    case StatMeaning::kSet:
      event.work = SliceKind::kMemset;
      break;
    case StatMeaning::kStep:
      event.step = static_cast<std::int64_t>(number);
      break;
    case StatMeaning::kOperator:
      event.is_operator = true;
      break;
    default:
      break;
  }
  event.has_args = true;
  event.hash = mixed(event.hash, message);
}

// PERF: a file has tens of millions of events with ten statistics each.
LineEvents::Event LineEvents::read_event(std::string_view message) const {
  Event event;
  ProtobufFields fields(message);
  while (fields.next()) {
    switch (fields.field()) {
      case kEventMetadataId:
        event.metadata_id = fields.number();
        break;
      case kEventOffset_ps:
        event.offset_ps = fields.signed_number();
        break;
      case kEventDuration_ps:
        event.duration_ps = fields.signed_number();
        break;
      case kEventStats:
        if (fields.kind() == ProtobufFields::Kind::kBytes) read_stat_of(fields.bytes(), event);
        break;
      case kEventOccurrences:
        event.has_no_time = true;
        break;
      default:
        break;
    }
  }
  event.is_broken = fields.is_broken();
  return event;
}

bool LineEvents::add_event(std::string_view message) {
  Event event = read_event(message);
  if (event.is_broken) return false;
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
    if (shape.is_memory) add_memory(message, shape, row.start_ns);
  }
  row.category = category_of(row.kind);
  row.args = args_of(event, message);
  sink_.builder.add_slice(row);
  return true;
}

LineEvents::Shape& LineEvents::shape_of(std::uint64_t metadata_id) {
  // Ids that the plane does not name share one shape.
  const EventName* known = names_->events.find(metadata_id);
  const bool is_named = known != nullptr && known->is_known;
  Shape& shape = shapes_.at(is_named ? metadata_id : ~std::uint64_t{0});
  if (!shape.is_made) [[unlikely]]
    make_shape(metadata_id, shape);
  if (!is_named) sink_.report.add_many(ImportIssue::kLostName, 1);
  return shape;
}

void LineEvents::make_shape(std::uint64_t metadata_id, Shape& shape) {
  const EventName* known = names_->events.find(metadata_id);
  const bool is_known = known != nullptr && known->is_known;
  std::string_view name = is_known ? known->name : kLostName;
  if (is_known && !known->display.empty() && role_ != Role::kHost) name = known->display;
  shape.is_made = true;
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
}

ArgsId LineEvents::args_of(const Event& event, std::string_view message) {
  if (!sink_.keeps_args()) return {};
  const EventName* known = names_->events.find(event.metadata_id);
  const std::string_view shared = known == nullptr ? std::string_view() : known->stats;
  if (!event.has_args && shared.empty()) return {};
  std::uint64_t hash = event.hash;
  // The texts of shared statistics are kept once: where they lie tells them apart.
  if (!shared.empty())
    hash ^= reinterpret_cast<std::uintptr_t>(shared.data()) * 0xC2B2AE3D27D4EB4Fu;
  // The same bytes mean something else in another plane.
  hash ^= reinterpret_cast<std::uintptr_t>(names_) * 0x9FB21C651E98DF25u;
  const ArgsId recent = recent_args_.find(hash);
  if (recent.valid()) return recent;
  args_.begin();
  args_.add_stats(message, *names_);
  args_.add_stats(shared, *names_);
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
  flows.ids.push_back(id ^ type << 56);
  flows.tracks.push_back(track_);
  flows.categories.push_back(sink_.builder.category("context"));
  flows.phases.push_back(phase);
}

// One event of an allocator. It is a slice without length, too.
void LineEvents::add_memory(std::string_view message, const Shape& shape, std::int64_t time_ns) {
  std::string_view allocator;
  std::int64_t allocated = -1;
  std::int64_t reserved = -1;
  std::int64_t peak = -1;
  std::int64_t block = -1;
  std::uint64_t address = 0;
  for (ProtobufFields fields(message); fields.next();) {
    if (!fields.is_bytes(kEventStats)) continue;
    const Stat stat = read_stat(fields.bytes(), *names_);
    if (stat.name == nullptr) continue;
    switch (stat.name->meaning) {
      case StatMeaning::kAllocator:
        allocator = stat.text;
        break;
      case StatMeaning::kAllocated:
        allocated = stat.signed_number();
        break;
      case StatMeaning::kReserved:
        reserved = stat.signed_number();
        break;
      case StatMeaning::kPeak:
        peak = stat.signed_number();
        break;
      case StatMeaning::kBlockBytes:
        block = stat.signed_number();
        break;
      case StatMeaning::kAddress:
        address = stat.number;
        break;
      default:
        break;
    }
  }
  if (block < 0 || !allocator.starts_with("GPU_")) return;  // of a host's pool, or incomplete
  const std::string_view digits = allocator.substr(4, allocator.find('_', 4) - 4);
  const auto device = parse_whole_number(digits);
  if (!device) return;
  MemoryVectors& memory = sink_.builder.memory();
  memory.times_ns.push_back(time_ns);
  memory.tracks.push_back(track_);
  memory.actions.push_back(shape.frees ? MemoryAction::kFree : MemoryAction::kAllocate);
  memory.places.push_back(sink_.builder.intern(fmt::format("Place(gpu:{})", *device)));
  memory.bytes.push_back(shape.frees ? -block : block);
  memory.addresses.push_back(address);
  memory.allocated_bytes.push_back(allocated);
  memory.reserved_bytes.push_back(reserved);
  memory.peak_allocated_bytes.push_back(peak);
  memory.peak_reserved_bytes.push_back(-1);
  memory.owners.push_back({});
}

CategoryId LineEvents::category_of(SliceKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  if (categories_.size() <= index) categories_.resize(kSliceKinds);
  if (!categories_[index].valid()) {
    categories_[index] = sink_.builder.category(kind_category(kind));
  }
  return categories_[index];
}

void LineEvents::finish(const std::string& process) {
  if (has_steps_) return;
  SliceVectors& slices = sink_.builder.slices();
  for (const Rows& rows : step_rows_) {
    Track track;
    track.kind = TrackKind::kAsync;
    track.process = sink_.builder.intern(process);
    track.process_number = parse_whole_number(process);
    track.thread = sink_.builder.intern("steps of device " + rows.device);
    const TrackId steps = sink_.builder.add_track(track);
    for (std::size_t row = rows.first; row < rows.end; ++row) {
      slices.kinds[row] = SliceKind::kStep;
      slices.categories[row] = category_of(SliceKind::kStep);
      slices.tracks[row] = steps;
      const std::string_view name = sink_.builder.strings()[slices.names[row]];
      if (const auto number = parse_whole_number(name)) {
        slices.names[row] = sink_.builder.intern(xla::step_name("step", *number));
      }
    }
  }
}

}  // namespace strobe::readers::xplane

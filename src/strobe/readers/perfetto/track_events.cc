#include "strobe/readers/perfetto/track_events.h"
#include "strobe/readers/event_fields.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/base/hash.h"
#include "strobe/base/json_text.h"
#include "strobe/base/protobuf.h"
#include "strobe/readers/perfetto/packet_fields.h"
#include "strobe/readers/perfetto/track_event_message.h"

namespace strobe::readers::perfetto {
namespace {

std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t ns_of_us(std::int64_t us) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(us) * 1000u);
}

std::uint64_t number_of_text(std::string_view text) {
  std::uint64_t hash = kFnvStart;
  for (const char c : text) hash = fnv1a(hash, static_cast<unsigned char>(c));
  return hash;
}

}  // namespace

// Older writers count microseconds of the monotonic clock from their thread's description on.
std::optional<std::int64_t> TrackEvents::time_of(const TrackEventMessage& event, Sequence& sequence,
                                                 Clocks& clocks) const {
  std::int64_t us = 0;
  if (event.delta_us) {
    us = sequence.time_us = wrapping_sum(sequence.time_us, *event.delta_us);
  } else if (event.absolute_us) {
    us = *event.absolute_us;
  } else {
    return std::nullopt;
  }
  return clocks.time_of(sequence.id, Clocks::kMonotonic, static_cast<std::uint64_t>(ns_of_us(us)));
}

std::uint32_t TrackEvents::place_of(const TrackEventMessage& event, const Sequence& sequence) {
  if (event.legacy && (event.legacy->process || event.legacy->thread)) {
    return tracks_.of_thread(event.legacy->process.value_or(sequence.process.value_or(0)),
                             event.legacy->thread.value_or(sequence.thread.value_or(0)));
  }
  if (event.track) return tracks_.of_id(*event.track);
  if (sequence.track) return tracks_.of_id(*sequence.track);
  if (sequence.thread) return tracks_.of_thread(sequence.process.value_or(0), *sequence.thread);
  return tracks_.of_id(0);
}

StringId TrackEvents::name_of(const TrackEventMessage& event, const Sequence& sequence) {
  if (event.has_name) return sink_.name(event.name);
  std::optional<std::uint64_t> id = event.name_id;
  if (!id && event.legacy) id = event.legacy->name_id;
  if (id) {
    const StringId* found = sequence.interned.event_names.find(*id);
    if (found != nullptr && found->valid()) return *found;
    sink_.report.add_many(ImportIssue::kLostName, 1);
    return sink_.builder.intern("(lost name)");
  }
  return sink_.builder.intern("");
}

StringId TrackEvents::category_of(const TrackEventMessage& event, const Sequence& sequence) {
  if (!event.category.empty()) return sink_.name(event.category);
  if (event.category_id) {
    const StringId* found = sequence.interned.categories.find(*event.category_id);
    if (found != nullptr && found->valid()) return *found;
  }
  return sink_.builder.intern("");
}

// Newer versions of PyTorch write the categories of its JSON traces here.
NameRule TrackEvents::rule_of(const TrackEventMessage& event, StringId category, StringId name) {
  const std::uint64_t key = std::uint64_t{category.value} << 32 | name.value;
  const auto [entry, is_new] = rules_.try_emplace(key);
  NameRule& rule = entry->second;
  if (is_new) {
    const std::string_view category_text = sink_.builder.strings()[category];
    const std::string_view name_text = sink_.builder.strings()[name];
    const CategoryRule found = kKinetoDialect.category_rule(category_text);
    rule.kind = found.kind;
    if (found.asks_name) rule = kKinetoDialect.name_rule(found.kind, category_text, name_text);
    if (rule.kind == SliceKind::kOther) rule.kind = SliceKind::kAnnotation;
  }
  const bool calls_device = event.is_gpu_call || !event.submits.empty();
  if (calls_device && rule.kind == SliceKind::kAnnotation)
    return {SliceKind::kRuntimeCall, kNoFlags};
  return rule;
}

ArgsId TrackEvents::args_of(std::string_view message, const Sequence& sequence) {
  if (!sink_.keeps_args()) return {};
  args_.begin();
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_bytes(kEventAnnotations)) args_.add(fields.bytes(), sequence.interned);
  }
  return sink_.keep(args_.finish());
}

std::optional<std::int64_t> TrackEvents::argument(std::string_view message, std::string_view name,
                                                  const Sequence& sequence) const {
  for (ProtobufFields fields(message); fields.next();) {
    if (!fields.is_bytes(kEventAnnotations)) continue;
    if (args_.name_of(fields.bytes(), sequence.interned) != name) continue;
    for (ProtobufFields value(fields.bytes()); value.next();) {
      if (value.is_number(kAnnotationSigned) || value.is_number(kAnnotationUnsigned)) {
        return value.signed_number();
      }
    }
  }
  return std::nullopt;
}

void TrackEvents::add(std::string_view message, std::optional<std::int64_t> packet_ns,
                      Sequence& sequence, Clocks& clocks, std::uint64_t offset) {
  const TrackEventMessage event = read_track_event(message);
  std::optional<std::int64_t> time = time_of(event, sequence, clocks);
  if (!time) time = packet_ns;
  if (!time || *time <= -kLatestTime_ns || *time >= kLatestTime_ns) {
    sink_.report.add(ImportIssue::kMissingTime, offset, "a track event");
    return;
  }
  last_ns_ = std::max(last_ns_, *time);
  const std::uint32_t place = place_of(event, sequence);
  if (event.has_extra_values) add_extra_counters(message, *time, sequence);
  if (event.has_flows) add_flows(message, place, *time);
  switch (event.type) {
    case EventType::kBegin:
      edges_.begin(place, *time, begin(message, event, place, *time, sequence));
      return;
    case EventType::kEnd:
      edges_.end(place, *time, event.has_annotations ? args_of(message, sequence) : ArgsId());
      return;
    case EventType::kInstant:
      add_instant(message, event, place, *time, sequence);
      return;
    case EventType::kCounter:
      if (event.value) {
        add_counter(place, *time, *event.value, sequence);
      } else {
        sink_.report.add(ImportIssue::kBadNumber, offset, "a counter without a value");
      }
      return;
    case EventType::kNone:
      break;
  }
  if (event.legacy) {
    add_legacy(message, event, place, *time, sequence, offset);
  } else {
    sink_.report.add(ImportIssue::kUnknownPhase, offset,
                     fmt::format("type {}", static_cast<std::uint64_t>(event.type)));
  }
}

// The row of a slice, without its length.
std::uint32_t TrackEvents::begin(std::string_view message, const TrackEventMessage& event,
                                 std::uint32_t place, std::int64_t time_ns,
                                 const Sequence& sequence) {
  const StringId name = name_of(event, sequence);
  const StringId category = category_of(event, sequence);
  const NameRule rule = rule_of(event, category, name);
  TraceBuilder::SliceRow row;
  row.start_ns = time_ns;
  row.name = name;
  row.category = sink_.builder.category(sink_.builder.strings()[category]);
  row.kind = rule.kind;
  row.flags = static_cast<std::uint8_t>(rule.flags | kUnfinished);
  row.track = TrackId(place);
  if (event.has_annotations) {
    row.args = args_of(message, sequence);
    const auto external = argument(message, "External id", sequence);
    if (external && *external >= 0 && *external < kNoLaunchId) {
      row.external = static_cast<std::uint32_t>(*external);
    }
  }
  if (is_on_device(row.kind)) {
    const std::int64_t device = argument(message, "device", sequence).value_or(0);
    const std::int64_t stream = argument(message, "stream", sequence).value_or(0);
    const bool fits = device >= 0 && device < std::numeric_limits<std::int32_t>::max();
    row.track = TrackId(tracks_.of_stream(fits ? static_cast<std::int32_t>(device) : 0,
                                          std::to_string(std::max<std::int64_t>(0, stream))));
  }
  const auto added = static_cast<std::uint32_t>(sink_.builder.add_slice(row).index());
  for (const std::uint64_t work : event.submits) links_.submits(added, work);
  for (const std::uint64_t work : event.waits_for) links_.waits(added, work);
  return added;
}

void TrackEvents::add_instant(std::string_view message, const TrackEventMessage& event,
                              std::uint32_t place, std::int64_t time_ns, const Sequence& sequence) {
  sink_.add_instant(time_ns, name_of(event, sequence), TrackId(place),
                    sink_.builder.category(sink_.builder.strings()[category_of(event, sequence)]),
                    event.has_annotations ? args_of(message, sequence) : ArgsId());
}

void TrackEvents::add_legacy(std::string_view message, const TrackEventMessage& event,
                             std::uint32_t place, std::int64_t time_ns, Sequence& sequence,
                             std::uint64_t offset) {
  const LegacyEvent& legacy = *event.legacy;
  const auto pair_place = [&] {
    const std::string_view category = sink_.builder.strings()[category_of(event, sequence)];
    const std::int64_t process =
        legacy.process.value_or(sequence.process.value_or(tracks_[place].process.value_or(0)));
    std::uint64_t id = legacy.id ^ number_of_text(legacy.scope);
    if (legacy.id_is_local) id ^= static_cast<std::uint64_t>(process) << 40;
    return tracks_.of_pair(process, category, id);
  };
  switch (legacy.phase) {
    case 'B':
      edges_.begin(place, time_ns, begin(message, event, place, time_ns, sequence));
      break;
    case 'E':
      edges_.end(place, time_ns, event.has_annotations ? args_of(message, sequence) : ArgsId());
      break;
    case 'X': {
      const std::uint32_t row = begin(message, event, place, time_ns, sequence);
      SliceVectors& slices = sink_.builder.slices();
      slices.flags[row] = static_cast<std::uint8_t>(slices.flags[row] & ~kUnfinished);
      if (legacy.duration_us < 0 || legacy.duration_us > kLongestDuration_ns / 1000) {
        sink_.report.add(
            legacy.duration_us < 0 ? ImportIssue::kNegativeDuration : ImportIssue::kAbsurdTime,
            offset);
      } else {
        slices.durations_ns[row] = ns_of_us(legacy.duration_us);
      }
      break;
    }
    case 'b':
    case 'S': {
      const std::uint32_t pair = pair_place();
      edges_.begin(pair, time_ns, begin(message, event, pair, time_ns, sequence));
      break;
    }
    case 'e':
    case 'F':
      edges_.end(pair_place(), time_ns,
                 event.has_annotations ? args_of(message, sequence) : ArgsId());
      break;
    case 'n':
    case 'T':
    case 'p':
      add_instant(message, event, pair_place(), time_ns, sequence);
      break;
    case 'i':
    case 'I':
    case 'R':
      add_instant(message, event, place, time_ns, sequence);
      break;
    case 's':
    case 't':
    case 'f':
      add_flow(legacy.bind_id.value_or(legacy.id),
               legacy.phase == 'f' ? FlowPhase::kEnd : FlowPhase::kStep, place, time_ns);
      break;
    default:
      sink_.report.add(ImportIssue::kUnknownPhase, offset,
                       legacy.phase > ' ' ? std::string_view(&legacy.phase, 1) : "no phase");
      break;
  }
  if (legacy.bind_id && legacy.flow_direction != 0) {
    add_flow(*legacy.bind_id, legacy.flow_direction == 1 ? FlowPhase::kEnd : FlowPhase::kStep,
             place, time_ns);
  }
}

void TrackEvents::add_counter(std::uint32_t place, std::int64_t time_ns, double value,
                              Sequence& sequence) {
  const TrackTable::Place& track = tracks_[place];
  if (track.is_incremental) value = sequence.counters[track.id] += value;
  CounterVectors& counters = sink_.builder.counters();
  counter_rows_.push_back({static_cast<std::uint32_t>(counters.size()), place});
  counters.times_ns.push_back(time_ns);
  counters.tracks.push_back(TrackId());
  counters.names.push_back(StringId());
  counters.series.push_back(StringId());
  counters.values.push_back(value * track.factor);
}

// Values of several counters beside another event, with the tracks that the event or its writer
// names, in the same order.
void TrackEvents::add_extra_counters(std::string_view message, std::int64_t time_ns,
                                     Sequence& sequence) {
  std::vector<std::uint64_t> ids;
  std::vector<std::uint64_t> real_ids;
  std::vector<double> values;
  std::vector<double> real_values;
  for (ProtobufFields fields(message); fields.next();) {
    switch (fields.field()) {
      case kEventExtraTracks:
        for_each_number(fields, [&](std::uint64_t id) { ids.push_back(id); });
        break;
      case kEventExtraRealTracks:
        for_each_number(fields, [&](std::uint64_t id) { real_ids.push_back(id); });
        break;
      case kEventExtraValues:
        for_each_number(fields, [&](std::uint64_t value) {
          values.push_back(static_cast<double>(static_cast<std::int64_t>(value)));
        });
        break;
      case kEventExtraRealValues:
        for_each_fixed64(fields, [&](std::uint64_t value) {
          real_values.push_back(std::bit_cast<double>(value));
        });
        break;
      default:
        break;
    }
  }
  const auto add_all = [&](const std::vector<std::uint64_t>& own,
                           const std::vector<std::uint64_t>& usual,
                           const std::vector<double>& all_values) {
    const std::vector<std::uint64_t>& tracks = own.empty() ? usual : own;
    for (std::size_t i = 0; i < all_values.size(); ++i) {
      if (i >= tracks.size()) {
        sink_.report.add(ImportIssue::kBadNumber, 0, "a counter's value without its track");
        continue;
      }
      add_counter(tracks_.of_id(tracks[i]), time_ns, all_values[i], sequence);
    }
  };
  add_all(ids, sequence.extra_tracks, values);
  add_all(real_ids, sequence.extra_real_tracks, real_values);
}

void TrackEvents::add_flow(std::uint64_t id, FlowPhase phase, std::uint32_t place,
                           std::int64_t time_ns) {
  FlowVectors& flows = sink_.builder.flows();
  flows.times_ns.push_back(time_ns);
  flows.ids.push_back(id);
  flows.tracks.push_back(TrackId(place));
  flows.categories.push_back(sink_.builder.category("flow"));
  flows.phases.push_back(phase);
}

void TrackEvents::add_flows(std::string_view message, std::uint32_t place, std::int64_t time_ns) {
  for (ProtobufFields fields(message); fields.next();) {
    const bool is_last = fields.field() == kEventLastFlows || fields.field() == kEventOldLastFlows;
    const FlowPhase phase = is_last ? FlowPhase::kEnd : FlowPhase::kStep;
    const auto add = [&](std::uint64_t id) { add_flow(id, phase, place, time_ns); };
    if (fields.field() == kEventFlows || fields.field() == kEventLastFlows) {
      for_each_fixed64(fields, add);
    } else if (fields.field() == kEventOldFlows || fields.field() == kEventOldLastFlows) {
      for_each_number(fields, add);
    }
  }
}

void TrackEvents::finish() {
  edges_.join(last_ns_, sink_);
  CounterVectors& counters = sink_.builder.counters();
  for (const CounterRow& counter : counter_rows_) {
    const TrackTable::Place& place = tracks_[counter.place];
    counters.tracks[counter.row] = tracks_.counter_track(counter.place);
    counters.names[counter.row] = sink_.builder.intern(tracks_.counter_name(counter.place));
    counters.series[counter.row] = sink_.builder.intern(place.unit.empty() ? "value" : place.unit);
  }
}

}  // namespace strobe::readers::perfetto

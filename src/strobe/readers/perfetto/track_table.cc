#include "strobe/readers/perfetto/track_table.h"

#include <algorithm>
#include <utility>

#include "strobe/base/json_text.h"
#include "strobe/base/protobuf.h"
#include "strobe/base/text.h"
#include "strobe/readers/perfetto/packet_fields.h"

namespace strobe::readers::perfetto {
namespace {

std::int64_t signed_32(std::uint64_t number) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
}

std::string_view unit_word(std::uint64_t unit) {
  constexpr std::string_view kWords[] = {"", "ns", "count", "bytes"};
  return unit < std::size(kWords) ? kWords[unit] : "";
}

void read_counter(std::string_view message, TrackTable::Place& place) {
  place.is_counter = true;
  for (ProtobufFields fields(message); fields.next();) {
    switch (fields.field()) {
      case kCounterType:
        if (place.name.empty()) place.name = fields.number() == 1 ? "thread time" : "instructions";
        place.unit = unit_word(fields.number());
        break;
      case kCounterUnit:
        place.unit = unit_word(fields.number());
        break;
      case kCounterUnitName:
        place.unit = sanitize_utf8(fields.bytes());
        break;
      case kCounterFactor:
        place.factor = static_cast<double>(fields.signed_number());
        break;
      case kCounterIsIncremental:
        place.is_incremental = fields.number() != 0;
        break;
      default:
        break;
    }
  }
}

}  // namespace

std::uint32_t TrackTable::add(Place place) {
  places_.push_back(std::move(place));
  return static_cast<std::uint32_t>(places_.size() - 1);
}

std::uint32_t TrackTable::of_id(std::uint64_t id) {
  const auto [entry, is_new] = by_id_.try_emplace(id, 0);
  if (is_new) {
    Place place;
    place.id = id;
    entry->second = add(std::move(place));
  }
  return entry->second;
}

std::uint32_t TrackTable::of_thread(std::int64_t process, std::int64_t thread) {
  const auto [entry, is_new] = by_thread_.try_emplace({process, thread}, 0);
  if (is_new) {
    Place place;
    place.kind = Place::Kind::kThread;
    place.process = process;
    place.thread = thread;
    entry->second = add(std::move(place));
  }
  return entry->second;
}

std::uint32_t TrackTable::of_stream(std::int32_t device, const std::string& stream) {
  const auto [entry, is_new] = by_stream_.try_emplace({device, stream}, 0);
  if (is_new) {
    Place place;
    place.kind = Place::Kind::kStream;
    place.device = device;
    place.name = stream;
    entry->second = add(std::move(place));
  }
  return entry->second;
}

std::uint32_t TrackTable::of_pair(std::int64_t process, std::string_view category,
                                  std::uint64_t id) {
  const auto [entry, is_new] = by_pair_.try_emplace({process, std::string(category), id}, 0);
  if (is_new) {
    Place place;
    place.kind = Place::Kind::kAsync;
    place.process = process;
    place.name = category;
    entry->second = add(std::move(place));
  }
  return entry->second;
}

void TrackTable::describe(std::string_view message) {
  std::uint64_t id = 0;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_number(kTrackId)) id = fields.number();
  }
  Place& place = places_[of_id(id)];
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_number(kTrackParent)) place.parent = fields.number();
    if (fields.kind() != ProtobufFields::Kind::kBytes) continue;
    switch (fields.field()) {
      case kTrackName:
      case kTrackStaticName:
        place.name = sanitize_utf8(fields.bytes());
        break;
      case kTrackProcess:
        name_process(fields.bytes());
        for (ProtobufFields process(fields.bytes()); process.next();) {
          if (process.is_number(kProcessId)) place.process = signed_32(process.number());
        }
        break;
      case kTrackThread:
        std::tie(place.process, place.thread) = name_thread(fields.bytes());
        break;
      case kTrackCounter:
        read_counter(fields.bytes(), place);
        break;
      default:
        break;
    }
  }
}

void TrackTable::name_process(std::string_view message) {
  std::int64_t process = 0;
  std::string_view name;
  std::string_view command;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_number(kProcessId)) process = signed_32(fields.number());
    if (fields.is_bytes(kProcessName)) name = fields.bytes();
    if (fields.is_bytes(kProcessCommand) && command.empty()) command = fields.bytes();
  }
  sink_.tracks.name_process(process, name.empty() ? command : name);
}

std::pair<std::int64_t, std::int64_t> TrackTable::name_thread(std::string_view message) {
  std::int64_t process = 0;
  std::int64_t thread = 0;
  std::string_view name;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_number(kThreadProcess)) process = signed_32(fields.number());
    if (fields.is_number(kThreadId)) thread = signed_32(fields.number());
    if (fields.is_bytes(kThreadName)) name = fields.bytes();
  }
  sink_.tracks.name_thread(thread, name);
  return {process, thread};
}

// Processes are field 1: id 1, command line 3. Threads are field 2: id 1, name 2.
void TrackTable::name_processes(std::string_view message) {
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.kind() != ProtobufFields::Kind::kBytes) continue;
    std::int64_t id = 0;
    std::string_view name;
    const bool is_process = fields.field() == 1;
    for (ProtobufFields one(fields.bytes()); one.next();) {
      if (one.is_number(1)) id = signed_32(one.number());
      if (one.is_bytes(is_process ? 3 : 2) && name.empty()) name = one.bytes();
    }
    if (is_process) sink_.tracks.name_process(id, name);
    if (fields.field() == 2) sink_.tracks.name_thread(id, name);
  }
}

std::optional<std::uint32_t> TrackTable::owner_of(std::uint32_t place) const {
  for (std::size_t depth = 0; depth < kDeepest; ++depth) {
    if (places_[place].process) return place;
    if (!places_[place].parent) return std::nullopt;
    const auto parent = by_id_.find(*places_[place].parent);
    if (parent == by_id_.end()) return std::nullopt;
    place = parent->second;
  }
  return std::nullopt;
}

// "GPU 0 / queue": the names from the top down, without those of threads and processes.
std::string TrackTable::path_of(std::uint32_t place) const {
  std::string path;
  for (std::size_t depth = 0; depth < kDeepest; ++depth) {
    const Place& one = places_[place];
    const bool is_root = one.process.has_value();
    const std::string name =
        one.name.empty() && !is_root ? "track " + std::to_string(one.id) : one.name;
    if (!is_root || depth == 0) path = path.empty() ? name : name + " / " + path;
    if (is_root || !one.parent || *one.parent == 0) break;
    const auto parent = by_id_.find(*one.parent);
    if (parent == by_id_.end()) break;
    place = parent->second;
  }
  return path;
}

Track TrackTable::describe_track(std::uint32_t number) {
  const Place& place = places_[number];
  TraceBuilder& builder = sink_.builder;
  Track track;
  const auto owner = owner_of(number);
  const std::string process = owner ? std::to_string(*places_[*owner].process) : std::string("0");
  track.process = builder.intern(process);
  track.process_number = parse_whole_number(process);
  // Without a description, a track is the one line of its writer: a thread.
  const bool is_plain = place.id == 0 && !place.parent && place.name.empty();
  track.kind = is_plain ? TrackKind::kHostThread : TrackKind::kAsync;
  std::string text = is_plain ? std::string("0") : path_of(number);
  if (text.empty()) text = "process " + process;
  track.thread = builder.intern(text);
  if (is_plain) track.thread_number = 0;
  return track;
}

TrackId TrackTable::track_of(std::uint32_t number) {
  Place& place = places_[number];
  if (place.track.valid()) return place.track;
  if (place.kind == Place::Kind::kStream) {
    const auto stream = parse_whole_number(place.name);
    if (stream && *stream >= 0) {
      place.track = sink_.tracks.stream(place.device, static_cast<std::uint64_t>(*stream));
    } else {
      Track track;
      track.kind = TrackKind::kDeviceStream;
      track.device = place.device;
      track.process_number = place.device;
      track.process = sink_.builder.intern(std::to_string(place.device));
      track.thread = sink_.builder.intern(place.name);
      place.track = sink_.builder.add_track(track);
    }
  } else if (place.thread) {
    place.track = sink_.tracks.thread(place.process.value_or(0), *place.thread);
  } else if (place.kind == Place::Kind::kAsync) {
    place.track = sink_.tracks.beside_threads(place.process.value_or(0), place.name);
  } else {
    const Track track = describe_track(number);
    place.track = sink_.builder.add_track(track);
  }
  return place.track;
}

TrackId TrackTable::counter_track(std::uint32_t number) {
  const auto owner = owner_of(number);
  if (!owner) return sink_.tracks.about_machine("counters");
  if (places_[*owner].thread) return track_of(*owner);
  return sink_.tracks.about_process(*places_[*owner].process, "counters");
}

std::string TrackTable::counter_name(std::uint32_t number) const {
  const Place& place = places_[number];
  if (!place.name.empty()) return place.name;
  return "counter " + std::to_string(place.id);
}

}  // namespace strobe::readers::perfetto

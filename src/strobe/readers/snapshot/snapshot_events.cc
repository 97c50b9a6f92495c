#include "strobe/readers/snapshot/snapshot_events.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "strobe/base/json_write.h"
#include "strobe/trace/allocator_replay.h"

namespace strobe::readers {
namespace {

using Action = AllocatorAction;

bool has_times(const AllocatorSnapshot& snapshot, const AllocatorHistory& history) {
  const auto first = snapshot.events.times_ns.begin() + static_cast<std::ptrdiff_t>(history.first);
  return history.count > 0 &&
         std::none_of(first, first + static_cast<std::ptrdiff_t>(history.count),
                      [](std::int64_t time) { return time == AllocatorEvents::kNoTime; });
}

struct MemoryChange {
  MemoryAction action;
  std::int64_t sign;
};

// Other events change neither what is in use nor what is reserved.
std::optional<MemoryChange> change_of(Action action) {
  switch (action) {
    case Action::kAllocate:
      return MemoryChange{MemoryAction::kAllocate, 1};
    case Action::kFree:
      return MemoryChange{MemoryAction::kFree, -1};
    case Action::kReserve:
    case Action::kMap:
      return MemoryChange{MemoryAction::kReserve, 1};
    case Action::kUnreserve:
    case Action::kUnmap:
      return MemoryChange{MemoryAction::kUnreserve, -1};
    default:
      return std::nullopt;
  }
}

// One history on its way into the sink.
class HistoryWriter {
 public:
  HistoryWriter(const AllocatorSnapshot& snapshot, std::int32_t device, TraceSink& sink)
      : snapshot_(snapshot),
        replay_(replay_history(snapshot, device)),
        sink_(sink),
        track_(sink.tracks.about_device(device, "memory")),
        category_(sink.builder.category("memory")),
        place_(sink.builder.intern(fmt::format("Place(gpu:{})", device))) {
    for (std::size_t i = 0; i < kAllocatorActions; ++i) {
      names_[i] = sink.builder.intern(word_of(static_cast<Action>(i)));
    }
  }

  void write() {
    for (std::size_t i = 0; i < replay_.history.count; ++i) {
      add_instant(replay_.history.first + i);
      add_memory(i);
    }
  }

 private:
  void add_instant(std::size_t row) {
    const AllocatorEvents& events = snapshot_.events;
    InstantVectors& instants = sink_.builder.instants();
    instants.times_ns.push_back(events.times_ns[row]);
    instants.names.push_back(names_[static_cast<std::size_t>(events.actions[row])]);
    instants.tracks.push_back(track_);
    instants.categories.push_back(category_);
    instants.args.push_back(sink_.keeps_args() ? sink_.keep(args_of(row)) : ArgsId());
  }

  std::string args_of(std::size_t row) const {
    const AllocatorEvents& events = snapshot_.events;
    std::string out;
    JsonWriter json(out);
    json.begin_object().member("bytes", events.bytes[row]);
    if (events.actions[row] != Action::kOutOfMemory) json.member("address", events.addresses[row]);
    json.member("stream", snapshot_.streams[events.streams[row]]);
    if (const StackId stack = events.stacks[row]; stack.valid()) {
      const std::uint64_t first = snapshot_.stack_begins[stack.index()];
      const AllocatorFrame& frame = snapshot_.frames[snapshot_.stack_frames[first]];
      const auto text = [&](StringId id) {
        return id.valid() ? snapshot_.strings[id] : std::string_view("?");
      };
      json.member("at",
                  fmt::format("{} ({}:{})", text(frame.function), text(frame.file), frame.line));
    }
    json.end_object();
    return out;
  }

  void add_memory(std::size_t event) {
    const std::size_t row = replay_.history.first + event;
    const auto change = change_of(snapshot_.events.actions[row]);
    if (!change) return;
    MemoryVectors& memory = sink_.builder.memory();
    memory.times_ns.push_back(snapshot_.events.times_ns[row]);
    memory.tracks.push_back(track_);
    memory.actions.push_back(change->action);
    memory.places.push_back(place_);
    memory.bytes.push_back(change->sign * snapshot_.events.bytes[row]);
    memory.addresses.push_back(snapshot_.events.addresses[row]);
    memory.allocated_bytes.push_back(replay_.allocated_bytes[event]);
    memory.reserved_bytes.push_back(std::max<std::int64_t>(-1, replay_.reserved_bytes[event]));
    memory.peak_allocated_bytes.push_back(-1);
    memory.peak_reserved_bytes.push_back(-1);
    memory.owners.emplace_back();
  }

  const AllocatorSnapshot& snapshot_;
  AllocatorReplay replay_;
  TraceSink& sink_;
  TrackId track_;
  CategoryId category_;
  StringId place_;
  StringId names_[kAllocatorActions];
};

}  // namespace

void add_allocator_events(const AllocatorSnapshot& snapshot, TraceSink& sink) {
  sink.builder.metadata().traits.dialect = "allocator snapshot";
  for (std::size_t device = 0; device < snapshot.histories.size(); ++device) {
    const AllocatorHistory& history = snapshot.histories[device];
    if (!has_times(snapshot, history)) {
      if (history.count > 0) sink.report.events[{'i', "memory"}] += history.count;
      sink.report.event_count += history.count;
      continue;
    }
    HistoryWriter(snapshot, static_cast<std::int32_t>(device), sink).write();
  }
}

}  // namespace strobe::readers

#include "strobe/trace/allocator_replay.h"

#include <algorithm>

namespace strobe {
namespace {

using Action = AllocatorAction;

constexpr std::int64_t reserved_by(Action action, std::int64_t bytes) {
  if (action == Action::kReserve || action == Action::kMap) return bytes;
  if (action == Action::kUnreserve || action == Action::kUnmap) return -bytes;
  return 0;
}

// Finds what was in use before the first event.
void find_start(const AllocatorSnapshot& snapshot, AllocatorReplay& replay) {
  const AllocatorEvents& events = snapshot.events;
  LiveMemories live;
  for (std::size_t i = 0; i < replay.history.count; ++i) {
    const std::size_t row = replay.history.first + i;
    const std::uint64_t address = events.addresses[row];
    if (events.actions[row] == Action::kAllocate) {
      live.insert_or_assign(address, LiveMemory{events.bytes[row], events.stacks[row]});
    } else if (events.actions[row] == Action::kFree && live.erase(address) == 0) {
      // A second free of the same address follows an allocation that is not there either.
      const auto [start, is_new] =
          replay.start.try_emplace(address, LiveMemory{events.bytes[row], StackId(), true});
      if (is_new) replay.freed_only_bytes += events.bytes[row];
    }
  }
  for (const AllocatorSegment& segment : snapshot.segments) {
    if (segment.device != replay.device) continue;
    for (std::size_t i = 0; i < segment.block_count; ++i) {
      const AllocatorBlock& block = snapshot.blocks[segment.first_block + i];
      if (!block.is_live() || live.contains(block.address)) continue;
      const LiveMemory memory{block.requested_bytes, block.stack, true};
      if (replay.start.try_emplace(block.address, memory).second) {
        replay.always_alive_bytes += block.requested_bytes;
      }
    }
    replay.end_reserved_bytes += segment.bytes;
  }
  replay.start_bytes = replay.freed_only_bytes + replay.always_alive_bytes;
}

// Applies one event; returns by how much it changes the bytes in use.
std::int64_t apply(const AllocatorEvents& events, std::size_t row, LiveMemories& live,
                   std::uint64_t& lost_frees) {
  const std::uint64_t address = events.addresses[row];
  if (events.actions[row] == Action::kAllocate) {
    const LiveMemory memory{events.bytes[row], events.stacks[row]};
    const auto [place, is_new] = live.try_emplace(address, memory);
    if (is_new) return memory.bytes;
    ++lost_frees;
    const std::int64_t change = memory.bytes - place->second.bytes;
    place->second = memory;
    return change;
  }
  if (events.actions[row] != Action::kFree) return 0;
  const auto found = live.find(address);
  if (found == live.end()) return 0;
  const std::int64_t bytes = found->second.bytes;
  live.erase(found);
  return -bytes;
}

void play(const AllocatorSnapshot& snapshot, AllocatorReplay& replay) {
  LiveMemories live = replay.start;
  std::int64_t allocated = replay.start_bytes;
  std::int64_t reserved = 0;
  replay.peak_bytes = allocated;
  replay.allocated_bytes.reserve(replay.history.count);
  replay.reserved_bytes.reserve(replay.history.count);
  for (std::size_t i = 0; i < replay.history.count; ++i) {
    const std::size_t row = replay.history.first + i;
    allocated += apply(snapshot.events, row, live, replay.lost_frees);
    reserved += reserved_by(snapshot.events.actions[row], snapshot.events.bytes[row]);
    replay.allocated_bytes.push_back(allocated);
    replay.reserved_bytes.push_back(reserved);
    if (allocated <= replay.peak_bytes) continue;
    replay.peak_bytes = allocated;
    replay.peak_event = i;
  }
  replay.end_bytes = allocated;
  // The segments say how it ended.
  const std::int64_t start = replay.end_reserved_bytes - reserved;
  replay.peak_reserved_bytes = start;
  for (std::int64_t& after : replay.reserved_bytes) {
    after += start;
    replay.peak_reserved_bytes = std::max(replay.peak_reserved_bytes, after);
  }
  replay.reserved_at_peak_bytes =
      replay.peak_event ? replay.reserved_bytes[*replay.peak_event] : start;
}

// A free may complete without having been requested in the history.
std::int64_t early_free_peak(const AllocatorSnapshot& snapshot, const AllocatorReplay& replay) {
  const AllocatorEvents& events = snapshot.events;
  LiveMemories live = replay.start;
  std::int64_t allocated = replay.start_bytes;
  std::int64_t peak = allocated;
  for (std::size_t i = 0; i < replay.history.count; ++i) {
    const std::size_t row = replay.history.first + i;
    const Action action = events.actions[row];
    if (action == Action::kAllocate) {
      const LiveMemory memory{events.bytes[row], StackId()};
      const auto [place, is_new] = live.try_emplace(events.addresses[row], memory);
      allocated += memory.bytes - (is_new ? 0 : place->second.bytes);
      place->second = memory;
    } else if (action == Action::kRequestFree || action == Action::kFree) {
      const auto found = live.find(events.addresses[row]);
      if (found == live.end()) continue;
      allocated -= found->second.bytes;
      live.erase(found);
    }
    peak = std::max(peak, allocated);
  }
  return peak;
}

}  // namespace

AllocatorReplay replay_history(const AllocatorSnapshot& snapshot, std::int32_t device) {
  AllocatorReplay replay;
  replay.device = device;
  replay.history = snapshot.history(device);
  find_start(snapshot, replay);
  play(snapshot, replay);
  replay.early_free_peak_bytes = early_free_peak(snapshot, replay);
  return replay;
}

void visit_moments(const AllocatorSnapshot& snapshot, const AllocatorReplay& replay,
                   const std::vector<std::optional<std::size_t>>& moments,
                   const std::function<void(std::size_t moment, const LiveMemories& live)>& visit) {
  LiveMemories live = replay.start;
  std::uint64_t ignored = 0;
  std::size_t played = 0;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const std::size_t wanted = moments[i] ? *moments[i] + 1 : 0;
    for (; played < std::min(wanted, replay.history.count); ++played) {
      apply(snapshot.events, replay.history.first + played, live, ignored);
    }
    visit(i, live);
  }
}

}  // namespace strobe

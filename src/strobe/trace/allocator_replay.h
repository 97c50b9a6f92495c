#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "strobe/trace/allocator_snapshot.h"

namespace strobe {

// Memory in use at one moment of a history.
struct LiveMemory {
  std::int64_t bytes = 0;  // requested
  StackId stack;           // of its allocation
  bool is_from_start = false;
};
using LiveMemories = std::unordered_map<std::uint64_t, LiveMemory>;  // by address

// The history of one device, played from its start. What was in use at the start is not recorded;
// it follows from the rest: what is freed without an allocation before it, and the live blocks that
// no event allocated. So the end of the history is what the blocks hold. Bytes are requested ones.
struct AllocatorReplay {
  std::int32_t device = 0;
  AllocatorHistory history;
  LiveMemories start;
  std::int64_t start_bytes = 0;
  std::int64_t freed_only_bytes = 0;    // of the start: freed in the history
  std::int64_t always_alive_bytes = 0;  // of the start: alive at the end
  std::int64_t end_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::optional<std::size_t> peak_event;   // counted from the first of the history; none: the start
  std::int64_t early_free_peak_bytes = 0;  // as if memory were free when the program frees it
  std::int64_t end_reserved_bytes = 0;
  std::int64_t reserved_at_peak_bytes = 0;  // when the most was in use
  std::int64_t peak_reserved_bytes = 0;
  // After each event.
  std::vector<std::int64_t> allocated_bytes;
  std::vector<std::int64_t> reserved_bytes;
  // Allocations at an address that was in use: a free is missing in the history.
  std::uint64_t lost_frees = 0;
};

AllocatorReplay replay_history(const AllocatorSnapshot& snapshot, std::int32_t device);

// Plays the history again and shows what is in use after each of `moments`: numbers of events,
// ascending; nothing is the start, which comes first.
void visit_moments(const AllocatorSnapshot& snapshot, const AllocatorReplay& replay,
                   const std::vector<std::optional<std::size_t>>& moments,
                   const std::function<void(std::size_t moment, const LiveMemories& live)>& visit);

}  // namespace strobe

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/trace/allocator_snapshot.h"

namespace strobe::analysis {

// Memory that allocations from one place of the program hold.
struct StackHolding {
  StackId stack;  // invalid: not recorded
  // In use since before the history, and freed in it: who allocated it is not known.
  bool is_before_history = false;
  std::int64_t bytes = 0;   // requested; of a growth the difference
  std::int64_t blocks = 0;  // the same
};

// Segments of one device, stream and pool: only they can lend each other their free memory.
struct PoolUse {
  std::uint32_t stream = 0;  // index into the snapshot's streams
  std::string type;          // "small", "large"
  std::pair<std::int64_t, std::int64_t> pool;
  std::uint64_t segments = 0;
  std::uint64_t expandable_segments = 0;
  std::int64_t reserved_bytes = 0;
  std::int64_t allocated_bytes = 0;  // rounded, awaiting a free included
  std::int64_t requested_bytes = 0;
  std::int64_t awaiting_free_bytes = 0;
  std::int64_t free_bytes = 0;
  std::int64_t releasable_bytes = 0;  // of the free ones: in segments without a live block
  std::int64_t largest_free_bytes = 0;
  std::uint64_t live_blocks = 0;
  std::uint64_t free_blocks = 0;
};

// The allocator asked the device for memory and got none.
struct OutOfMemory {
  std::size_t event = 0;  // of the history
  std::int64_t time_ns = AllocatorEvents::kNoTime;
  std::int64_t requested_bytes = 0;
  std::int64_t device_free_bytes = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;
  StackId stack;
};

struct AllocatorPoint {
  std::size_t event = 0;
  std::int64_t time_ns = AllocatorEvents::kNoTime;
  std::int64_t allocated_bytes = 0;  // requested
  std::int64_t reserved_bytes = 0;
};

// One device of a snapshot.
struct DeviceMemory {
  std::int32_t device = 0;
  std::uint64_t segments = 0;
  std::uint64_t expandable_segments = 0;
  std::uint64_t blocks = 0;
  std::array<std::uint64_t, 3> blocks_by_state{};  // by BlockState
  std::int64_t reserved_bytes = 0;
  std::int64_t active_bytes = 0;         // of allocated blocks, rounded
  std::int64_t awaiting_free_bytes = 0;  // rounded
  std::int64_t requested_bytes = 0;      // of live blocks
  std::int64_t largest_free_bytes = 0;
  std::int64_t releasable_bytes = 0;
  std::int64_t stuck_bytes = 0;  // free, in segments with a live block
  std::vector<PoolUse> pools;    // most reserved memory first

  std::uint64_t events = 0;
  std::array<std::uint64_t, kAllocatorActions> events_by_action{};
  bool has_times = false;
  std::int64_t first_time_ns = AllocatorEvents::kNoTime;
  std::int64_t last_time_ns = AllocatorEvents::kNoTime;

  // From the replay; requested bytes.
  std::int64_t start_bytes = 0;
  std::int64_t freed_only_bytes = 0;
  std::int64_t always_alive_bytes = 0;
  std::int64_t end_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::optional<std::size_t> peak_event;
  std::int64_t peak_time_ns = AllocatorEvents::kNoTime;
  std::int64_t early_free_peak_bytes = 0;
  std::int64_t reserved_at_peak_bytes = 0;  // when the most was in use
  std::int64_t peak_reserved_bytes = 0;
  std::uint64_t lost_frees = 0;
  std::vector<AllocatorPoint> curve;  // every event, if asked for

  std::vector<StackHolding> now;      // what is in use, most bytes first; they add up
  std::vector<StackHolding> at_peak;  // to requested_bytes and peak_bytes
  // What is held at the lowest point of the last quarter of the history, less what was held at the
  // lowest point of its first: steps of a loop go up and down in between. Only what grew.
  std::vector<StackHolding> grown;
  std::optional<std::size_t> early_event;
  std::optional<std::size_t> late_event;
  std::int64_t early_bytes = 0;
  std::int64_t late_bytes = 0;
  std::vector<OutOfMemory> out_of_memory;

  std::int64_t free_bytes() const { return releasable_bytes + stuck_bytes; }
};

struct AllocatorStudy {
  std::vector<DeviceMemory> devices;  // those with segments or events
  std::int32_t device_count = 0;      // all
};

AllocatorStudy study_allocator(const AllocatorSnapshot& snapshot, bool with_curves = false);

// About four points per column: the ends, and every peak and low.
std::vector<AllocatorPoint> thinned_curve(const std::vector<AllocatorPoint>& curve,
                                          std::uint32_t columns);

// "forward (model.py:54)": the innermost frame in code of the program itself, or else in Python, or
// else the innermost one; and the frames that lead to it in the same words, outwards.
std::string place_of_stack(const AllocatorSnapshot& snapshot, StackId stack);
std::vector<std::string> callers_of_stack(const AllocatorSnapshot& snapshot, StackId stack);
std::vector<std::string> frames_of_stack(const AllocatorSnapshot& snapshot, StackId stack);

}  // namespace strobe::analysis

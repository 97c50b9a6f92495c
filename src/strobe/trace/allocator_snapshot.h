#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/id.h"
#include "strobe/base/string_pool.h"

namespace strobe {

// What an allocator held at one moment, and how it came to that: for what a Trace has no room.

struct AllocatorFrame {
  StringId function;
  StringId file;
  std::int64_t line = 0;
  bool operator==(const AllocatorFrame&) const = default;
};

struct StackTag;
using StackId = Id<StackTag>;  // invalid: none was recorded

enum class BlockState : std::uint8_t {
  kInUse,
  kAwaitingFree,  // freed by the program; other streams may still use it
  kFree,
};

struct AllocatorBlock {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;            // rounded up by the allocator
  std::int64_t requested_bytes = 0;  // what the program asked for
  BlockState state = BlockState::kFree;
  StackId stack;

  bool is_live() const { return state != BlockState::kFree; }
};

// Memory that the allocator has from the device, cut into blocks.
struct AllocatorSegment {
  std::int32_t device = 0;
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  std::uint32_t stream = 0;                    // index into streams
  StringId type;                               // "large", "small"
  std::pair<std::int64_t, std::int64_t> pool;  // {0, 0} is the usual one
  bool is_expandable = false;
  StackId stack;
  std::size_t first_block = 0;
  std::size_t block_count = 0;
};

enum class AllocatorAction : std::uint8_t {
  kAllocate,
  kRequestFree,  // the program frees; the memory is still in use
  kFree,
  kReserve,    // a segment from the device
  kUnreserve,  // back to the device
  kMap,        // of an expandable segment
  kUnmap,
  kOutOfMemory,
  kSnapshot,
  kOther,
  kCount_,
};
inline constexpr std::size_t kAllocatorActions = static_cast<std::size_t>(AllocatorAction::kCount_);

// In the words of the file, where they are the same for all writers: "free_completed".
constexpr std::string_view word_of(AllocatorAction action) {
  constexpr std::string_view kWords[] = {
      "alloc",        "free_requested", "free_completed", "segment_alloc",
      "segment_free", "segment_map",    "segment_unmap",  "oom",
      "snapshot",     "other"};
  return kWords[static_cast<std::size_t>(action)];
}

// The history, in the order of the file: columns, one entry per event.
struct AllocatorEvents {
  static constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

  std::vector<std::int64_t> times_ns;  // wall clock, or kNoTime
  std::vector<AllocatorAction> actions;
  std::vector<std::uint64_t> addresses;  // of kOutOfMemory the free bytes of the device
  std::vector<std::int64_t> bytes;       // requested
  std::vector<std::uint32_t> streams;    // index into streams
  std::vector<StackId> stacks;
  std::vector<StringId> contexts;  // of the compiler; invalid if none
  std::vector<StringId> remarks;   // the user's own; invalid if none

  std::size_t size() const { return actions.size(); }
};

// The events of one device: rows of AllocatorEvents.
struct AllocatorHistory {
  std::size_t first = 0;
  std::size_t count = 0;
};

// A mark that the program set.
struct AllocatorAnnotation {
  std::string name;
  std::string stage;  // "START"
  std::int32_t device = -1;
  std::int64_t time_ns = AllocatorEvents::kNoTime;
};

struct AllocatorSnapshot {
  StringPool strings;
  std::vector<AllocatorFrame> frames;
  std::vector<std::uint32_t> stack_frames;        // indices into frames, the innermost first
  std::vector<std::uint64_t> stack_begins = {0};  // one more than there are stacks
  std::vector<std::int64_t> streams;
  std::vector<AllocatorSegment> segments;
  std::vector<AllocatorBlock> blocks;  // in the order of their segments
  AllocatorEvents events;
  std::vector<AllocatorHistory> histories;  // by device
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<AllocatorAnnotation> annotations;

  std::size_t stack_count() const { return stack_begins.size() - 1; }
  std::vector<AllocatorFrame> stack(StackId id) const {
    std::vector<AllocatorFrame> found;
    if (!id.valid()) return found;
    for (std::uint64_t i = stack_begins[id.index()]; i < stack_begins[id.index() + 1]; ++i) {
      found.push_back(frames[stack_frames[i]]);
    }
    return found;
  }
  // Devices with a history or segments: 0 to this minus 1.
  std::int32_t device_count() const {
    auto count = static_cast<std::int32_t>(histories.size());
    for (const AllocatorSegment& segment : segments) {
      count = segment.device >= count ? segment.device + 1 : count;
    }
    return count;
  }
  AllocatorHistory history(std::int32_t device) const {
    const auto index = static_cast<std::size_t>(device);
    return index < histories.size() ? histories[index] : AllocatorHistory{};
  }
};

}  // namespace strobe

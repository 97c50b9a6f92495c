#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "strobe/record/inject/activity/nvtx_names.h"
#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

// A lock that is almost never contended and costs one atomic exchange: the thread of a log takes it
// for each range, another one a few times a second, for the time of a swap.
class SwiftLock {
 public:
  void lock() noexcept {
    if (is_taken_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      wait();
  }
  void unlock() noexcept { is_taken_.store(false, std::memory_order_release); }

 private:
  void wait() noexcept;

  std::atomic<bool> is_taken_ = false;
};

// What is known when a range begins.
struct OpenRange {
  std::int64_t start_ns = 0;
  std::uint64_t payload = 0;
  NvtxNames::Number name = NvtxNames::kNoName;
  std::uint32_t category = 0;
  std::uint32_t state = 0;  // of the recording, see NvtxRanges
  wire::PayloadType payload_type = wire::PayloadType::kNone;
};

// A row of the file before it is encoded.
struct RangeRow {
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint64_t payload = 0;
  NvtxNames::Number name = NvtxNames::kNoName;
  std::uint32_t category = 0;
  std::uint32_t thread_id = 0;
  std::uint16_t domain = 0;
  wire::RangeWhat what = wire::RangeWhat::kNested;
  wire::PayloadType payload_type = wire::PayloadType::kNone;
};
static_assert(sizeof(RangeRow) == 40);

// The nested ranges of one thread in one domain. A program that forgets to end its ranges nests
// them ever deeper: beyond kMostOpen only their number is kept.
class RangeStack {
 public:
  static constexpr std::size_t kMostOpen = 4096;

  // The level of the innermost range, from 0; -1 if none is open.
  int level() const noexcept { return static_cast<int>(depth_) - 1; }
  // Opens one, to be filled in; nullptr if it is not kept.
  OpenRange* push() noexcept { return depth_++ < kMostOpen ? &ranges_.emplace_back() : nullptr; }
  // The innermost one; nullptr if there is none, or it was not kept.
  const OpenRange* top() const noexcept {
    return depth_ > 0 && depth_ == ranges_.size() ? &ranges_.back() : nullptr;
  }
  void pop() noexcept {
    if (depth_ == 0) return;
    if (depth_ == ranges_.size()) ranges_.pop_back();
    --depth_;
  }
  const std::vector<OpenRange>& open() const noexcept { return ranges_; }
  std::size_t not_kept() const noexcept { return depth_ - ranges_.size(); }

 private:
  std::vector<OpenRange> ranges_;
  std::size_t depth_ = 0;
};

// The names that a thread used last, by the hash of their text.
class NameCache {
 public:
  template <class Find>
  NvtxNames::Number find(std::uint64_t hash, Find find) noexcept {
    Slot& slot = slots_[hash % kSlots];
    if (slot.hash != hash) slot = {hash, find()};
    return slot.name;
  }

 private:
  static constexpr std::size_t kSlots = 512;
  struct Slot {
    std::uint64_t hash = 0;
    NvtxNames::Number name = NvtxNames::kNoName;
  };
  std::array<Slot, kSlots> slots_ = {};
};

// What one thread has recorded and not yet written.
struct RangeLog {
  static constexpr std::size_t kMostRows = 1024;  // 40 KiB

  RangeLog(std::uint64_t its_recording, std::uint32_t id) noexcept
      : recording(its_recording), thread_id(id) {}

  RangeStack& stack(std::size_t domain) noexcept {
    if (domain >= stacks.size()) stacks.resize(domain + 1);
    return stacks[domain];
  }

  const std::uint64_t recording;  // the serial number of the NvtxRanges that it belongs to
  const std::uint32_t thread_id;  // as the kernel numbers it
  NameCache names;                // of the thread alone

  SwiftLock lock;                  // of the next three
  std::vector<RangeStack> stacks;  // by domain
  std::vector<RangeRow> rows;
  bool is_closed = false;  // what was open has ended with its thread or the process

  std::mutex writing;  // of the next two; taken before `lock`
  std::vector<RangeRow> rows_to_write;
  wire::ChunkRows chunk{wire::ChunkKind::kRanges};
};

}  // namespace strobe::record

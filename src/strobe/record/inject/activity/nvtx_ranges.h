#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "strobe/record/inject/activity/nvtx_names.h"
#include "strobe/record/inject/activity/nvtx_range_log.h"
#include "strobe/record/inject/activity/thread_numbers.h"
#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

// What a range or a mark carries.
struct NvtxEvent {
  NvtxMessage message;
  std::uint32_t category = 0;
  wire::PayloadType payload_type = wire::PayloadType::kNone;
  std::uint64_t payload = 0;
};

// For a domain and for a registered text; 0 is the default domain, or no text.
using NvtxHandle = std::uintptr_t;

// The ranges of this process, as it makes them with NVTX, on their way into the file of the run.
// Each thread has a log of its own; flush(), a full log, the end of the thread and finish() write
// it. Ranges that are open at the end are written as if they ended there.
//
// Any thread may call anything, except where it says otherwise. One object exists in a process, as
// long as the process does; tests make several, one after the other.
class NvtxRanges {
 public:
  struct Counts {
    std::uint64_t written = 0;      // ranges and marks
    std::uint64_t open_at_end = 0;  // of these
    std::uint64_t lost = 0;         // too many were open at once
  };

  NvtxRanges() noexcept;
  NvtxRanges(const NvtxRanges&) = delete;
  NvtxRanges& operator=(const NvtxRanges&) = delete;
  ~NvtxRanges();

  // Recording begins, before NVTX is attached. Both must live as long as this object.
  void open(wire::RunFileWriter& file, ThreadNumbers& threads, bool is_redacting) noexcept;

  // What NVTX calls. The level of a range counts from 0; kNotTracked if the call came from within
  // another one, as from a signal handler.
  static constexpr int kNoRange = -1;
  static constexpr int kNotTracked = -2;
  int push(NvtxHandle domain, const NvtxEvent& event) noexcept;
  int pop(NvtxHandle domain) noexcept;
  std::uint64_t start(NvtxHandle domain, const NvtxEvent& event) noexcept;  // never 0
  void end(std::uint64_t id) noexcept;
  void mark(NvtxHandle domain, const NvtxEvent& event) noexcept;
  NvtxHandle make_domain(const NvtxMessage& name) noexcept;  // the same for the same name
  NvtxHandle register_text(const NvtxMessage& text) noexcept;
  void name_category(NvtxHandle domain, std::uint32_t category, const NvtxMessage& name) noexcept;
  void name_thread(std::uint32_t thread_id, const NvtxMessage& name) noexcept;

  // Outside of windows. Ranges that lie wholly in a pause are not recorded; all others are, with
  // the times at which they began and ended.
  void pause() noexcept;
  void resume() noexcept;
  // Writes what all threads have recorded so far.
  void flush() noexcept;
  // Another file follows, whose texts and threads are numbered from 0 again. hold_file() writes
  // what belongs into the old one; until restart(), by the same thread, nothing is written.
  void hold_file() noexcept;
  void restart() noexcept;
  // The process ends: writes all, and records nothing from now on.
  void finish() noexcept;
  // In a forked child, before anything else: it writes nothing, and takes no lock that a thread of
  // its parent may have held. Levels stay right.
  void abandon() noexcept;

  Counts counts() const noexcept;
  bool is_open() const noexcept { return file_ != nullptr; }
  bool is_abandoned() const noexcept { return (state() & kIsAbandoned) != 0; }

 private:
  struct Domain {
    Domain(std::uint64_t its_hash, NvtxNames::Number its_name) noexcept
        : hash(its_hash), name(its_name) {}
    const std::uint64_t hash;  // of its name
    const NvtxNames::Number name;
    std::mutex mutex;
    std::unordered_map<std::uint32_t, NvtxNames::Number> categories;
  };
  struct Named {
    NvtxNames::Number name;
    wire::PayloadType payload_type;
    std::uint64_t payload;
  };
  struct FreeRange {
    OpenRange range;
    std::uint32_t thread_id = 0;
    std::uint16_t domain = 0;
  };
  // Ranges that may end in another thread than they began, in parts by their number, so that
  // threads seldom wait for each other.
  struct FreeRanges {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, FreeRange> open;
  };
  static constexpr std::size_t kMostDomains = 1024;
  static constexpr std::size_t kFreeParts = 16;
  static constexpr std::size_t kMostFreePerPart = 4096;

  // The state is a number of stretches, each recorded or not, and these bits. A range lies wholly
  // in a pause if it begins and ends in the same state.
  static constexpr std::uint32_t kRecords = 1;
  static constexpr std::uint32_t kHasEnded = 2;
  static constexpr std::uint32_t kIsAbandoned = 4;
  static constexpr std::uint32_t kStretch = 8;

  std::uint32_t state() const noexcept { return state_.load(std::memory_order_relaxed); }
  static bool is_wanted(std::uint32_t now, std::uint32_t at_start) noexcept {
    return (now & kHasEnded) == 0 && ((now & kRecords) != 0 || now != at_start);
  }
  void begin_stretch(bool is_recorded) noexcept;
  RangeLog& my_log() noexcept;
  RangeLog& make_log() noexcept;
  static void thread_ends(void* its_log) noexcept;
  void retire(const std::shared_ptr<RangeLog>& log) noexcept;
  std::vector<std::shared_ptr<RangeLog>> all_logs() noexcept;

  std::uint16_t index_of(NvtxHandle domain) const noexcept;
  Named named(RangeLog& log, const NvtxEvent& event) noexcept;
  static void fill_in(OpenRange& range, const Named& named, const NvtxEvent& event,
                      std::uint32_t now) noexcept;
  // After the end, and in a forked child.
  static int push_level(RangeLog& log, std::uint16_t domain, std::uint32_t now) noexcept;
  static int pop_level(RangeLog& log, std::uint16_t domain, std::uint32_t now) noexcept;
  void add(RangeLog& log, const OpenRange& range, wire::RangeWhat what, std::uint32_t thread_id,
           std::uint16_t domain, std::int64_t end_ns) noexcept;
  void close_open(RangeLog& log, std::uint32_t now) noexcept;
  void close_free(std::uint32_t now) noexcept;
  void write(RangeLog& log) noexcept;
  void write_held(RangeLog& log) noexcept;  // of file_mutex_
  void encode(std::span<const RangeRow> rows, wire::ChunkRows& chunk) noexcept;
  std::uint64_t text_of_domain(std::uint16_t index) noexcept;
  std::uint64_t text_of_category(const RangeRow& row) noexcept;
  std::uint64_t text_in_file(NvtxNames::Number name) noexcept;
  void write_thread_name(std::uint32_t thread_id, NvtxNames::Number name) noexcept;
  void write_notes() noexcept;

  const std::uint64_t serial_;
  wire::RunFileWriter* file_ = nullptr;
  ThreadNumbers* threads_ = nullptr;
  std::atomic<std::uint32_t> state_ = kHasEnded;
  NvtxNames names_;
  std::array<std::atomic<Domain*>, kMostDomains> domains_ = {};  // [0]: the default one
  std::atomic<std::uint64_t> next_id_ = 1;
  std::array<FreeRanges, kFreeParts> free_ranges_;
  std::mutex logs_mutex_;
  std::vector<std::shared_ptr<RangeLog>> logs_;
  std::mutex thread_names_mutex_;
  std::unordered_map<std::uint32_t, NvtxNames::Number> thread_names_;
  std::shared_mutex file_mutex_;   // exclusive: the file is being exchanged
  std::uint32_t file_number_ = 1;  // counts files; of file_mutex_
  std::atomic<std::uint64_t> written_ = 0;
  std::atomic<std::uint64_t> open_at_end_ = 0;
  std::atomic<std::uint64_t> lost_ = 0;
};

}  // namespace strobe::record

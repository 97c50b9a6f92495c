#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strobe/base/string_pool.h"
#include "strobe/readers/dialect.h"
#include "strobe/readers/event_fields.h"
#include "strobe/readers/event_scanner.h"
#include "strobe/trace/args_store.h"
#include "strobe/trace/import_report.h"

namespace strobe::readers {

inline constexpr std::size_t kBlockRows = 16384;

// A list that grows by blocks: rows never move, growth never doubles the memory, and a merge can
// free blocks one by one.
template <class T>
class BlockList {
 public:
  std::size_t size() const { return size_; }

  T& push_back(const T& row) {
    if (next_ == block_end_) [[unlikely]]
      add_block();
    ++size_;
    return *next_++ = row;
  }

  const T& operator[](std::size_t row) const { return blocks_[row / kBlockRows][row % kBlockRows]; }

  // Rows before `row` are no longer needed.
  void release_before(std::size_t row) {
    for (; released_ < row / kBlockRows; ++released_) blocks_[released_].reset();
  }
  void clear() { *this = BlockList(); }

 private:
  void add_block() {
    blocks_.push_back(std::make_unique_for_overwrite<T[]>(kBlockRows));
    next_ = blocks_.back().get();
    block_end_ = next_ + kBlockRows;
  }

  std::vector<std::unique_ptr<T[]>> blocks_;
  T* next_ = nullptr;
  T* block_end_ = nullptr;
  std::size_t size_ = 0;
  std::size_t released_ = 0;
};

// A row of Shard::categories. It is wider than a CategoryId, because a shard keeps every category
// that it meets; the merge decides which ones a trace can hold, in file order.
struct ShardCategoryTag;
using ShardCategoryId = Id<ShardCategoryTag>;

// The track of an event, in the shard's own strings.
struct TrackKey {
  // `device` of events that do not say whether they belong to a stream or a thread (flows,
  // instants, names): they join the slices with the same (process, thread).
  static constexpr std::int32_t kAnyDevice = -2;
  static constexpr std::int32_t kHost = -1;

  StringId process;
  StringId thread;
  std::int32_t device = kHost;

  bool operator==(const TrackKey&) const = default;
};

struct FlowRow {
  std::int64_t time_ns;
  std::uint64_t id;
  TrackId track;
  ShardCategoryId category;
  FlowPhase phase;
};

struct InstantRow {
  std::int64_t time_ns;
  StringId name;
  TrackId track;
  ShardCategoryId category;
  ArgsId args;
};

struct CounterRow {
  std::int64_t time_ns;
  TrackId track;
  StringId name;
  StringId series;
  double value;
};

struct MemoryEventRow {
  std::int64_t time_ns;
  TrackId track;
  StringId place;
  MemoryAction action;
  std::uint32_t slices_before;
  std::int64_t bytes;
  std::uint64_t address;
  std::int64_t allocated_bytes;
  std::int64_t reserved_bytes;
  std::int64_t peak_allocated_bytes;
  std::int64_t peak_reserved_bytes;
};

// Half of a slice: B or E, or one end of an asynchronous one.
struct SpanEdgeRow {
  std::int64_t time_ns;
  std::uint64_t id;  // asynchronous ones only
  std::uint64_t byte_offset;
  StringId name;  // may be invalid for ends
  TrackId track;
  ShardCategoryId category;
  ArgsId args;
  char phase;
  std::uint32_t correlation;
  std::uint32_t external;
  std::int64_t sequence_number;  // below 0: none
  std::int64_t forward_thread;
};

struct NamingRow {  // a metadata event
  enum class What : std::uint8_t { kProcessName, kThreadName, kSortIndex, kLaneOf } what;
  TrackId track;
  StringId text;
  std::int64_t number;
};

struct SequenceRow {
  std::uint32_t slice;
  std::int64_t sequence_number;
  std::int64_t forward_thread;
};

// The slices of a shard, one list per column, so that a merge can free them one by one.
struct SliceRows {
  BlockList<std::int64_t> starts_ns;
  BlockList<std::int64_t> durations_ns;
  BlockList<StringId> names;
  BlockList<TrackId> tracks;
  BlockList<ShardCategoryId> categories;
  BlockList<std::uint32_t> correlations;
  BlockList<std::uint32_t> externals;
  BlockList<ArgsId> args;
  BlockList<std::uint8_t> flags;
  BlockList<std::int64_t> relative_starts_ns;  // these two only if the dialect has them
  BlockList<std::int64_t> relative_ends_ns;

  std::size_t size() const { return starts_ns.size(); }
};

// The number of rows in each table of a shard at some moment.
struct RowMarks {
  std::size_t slices = 0;
  std::size_t flows = 0;
  std::size_t instants = 0;
  std::size_t counters = 0;
  std::size_t memory = 0;
  std::size_t edges = 0;
  std::size_t namings = 0;
  std::size_t sequences = 0;
  std::size_t early_work = 0;
};

// The events that one thread has scanned, as columns with the thread's own string, track and
// category ids. Nothing is shared during the scan; merge.h joins the shards.
class Shard {
 public:
  Shard(const Dialect& dialect, bool keep_args, const LayoutLoops& loops)
      : scanner(loops), dialect_(&dialect), keep_args_(keep_args) {}

  void add(const RawEvent& event, ImportReport& report);

  RowMarks marks() const;
  // The arguments since the last call; ArgsIds count from 0 again afterwards.
  ArgsStore take_args() { return args_writer_.finish(); }
  // Adds the events seen since the last call to the report.
  void count_events_into(ImportReport& report);

  EventScanner scanner;  // used by the thread that fills this shard: layout numbers are per shard

  SliceRows slices;
  BlockList<FlowRow> flows;
  BlockList<InstantRow> instants;
  BlockList<CounterRow> counters;
  BlockList<MemoryEventRow> memory;
  BlockList<SpanEdgeRow> edges;
  BlockList<NamingRow> namings;
  BlockList<SequenceRow> sequences;
  BlockList<EarlyWork> early_work;

  StringPool strings;
  std::vector<TrackKey> tracks;
  struct CategoryEntry {
    StringId name;
    CategoryRule rule;
    std::array<std::uint64_t, 128> events_by_phase{};
  };
  std::vector<CategoryEntry> categories;

 private:
  StringId intern_name(const RawEvent& event, ImportReport& report);
  StringId intern_scalar(const RawScalar& scalar);
  ShardCategoryId category_of(const RawEvent& event);
  ShardCategoryId find_category(const RawScalar& category);
  ShardCategoryId own_category(const RawEvent& event, ShardCategoryId written);
  std::int32_t device_of(const RawEvent& event, SliceKind kind) const;
  TrackId track_of(const RawEvent& event, std::int32_t device);
  TrackId find_track(const RawEvent& event, std::int32_t device);
  ArgsId keep_args_of(const RawEvent& event);
  bool has_time(const RawEvent& event, ImportReport& report);

  void add_slice(const RawEvent& event, ShardCategoryId category, ImportReport& report);
  void add_instant(const RawEvent& event, ShardCategoryId category, ImportReport& report);
  void add_counter(const RawEvent& event, ImportReport& report);
  void add_naming(const RawEvent& event);
  void add_edge(const RawEvent& event, ShardCategoryId category, ImportReport& report);

  const Dialect* dialect_;
  bool keep_args_;
  ArgsWriter args_writer_;

  // Names, tracks and categories often repeat: small direct-mapped caches in front of the exact
  // tables.
  std::array<StringId, 1024> recent_names_{};
  struct RecentTrack {
    std::uint64_t process = ~0ull;  // packed text, see pack() in shard.cc
    std::uint64_t thread = ~0ull;
    std::int32_t device = 0;
    TrackId track;
  };
  std::array<RecentTrack, 64> recent_tracks_{};
  struct RecentLayout {
    std::uint32_t layout = 0;
    ShardCategoryId category;
    std::int32_t device = 0;
    TrackId track;
  };
  std::array<RecentLayout, 32> recent_layouts_{};
  ShardCategoryId last_category_;
  std::unordered_map<StringId, ShardCategoryId> category_ids_;
  struct TrackKeyHash {
    std::size_t operator()(const TrackKey& key) const noexcept {
      return (key.process.value * 0x9E3779B9u) ^ (key.thread.value * 0x85EBCA6Bu) ^
             static_cast<std::uint32_t>(key.device);
    }
  };
  std::unordered_map<TrackKey, TrackId, TrackKeyHash> track_ids_;
  std::string scratch_;
};

}  // namespace strobe::readers

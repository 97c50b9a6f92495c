#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// Finds the row of every slice of one track, so that slices of one row never overlap and a slice
// inside another one is in a lower row:
//
//     row 0   |------ a ------|        |-- d --|
//     row 1     |- b -|     |---- c ----|
//
// c crosses the end of a, so nothing contains it and it takes the first row that is free.
class RowLayout {
 public:
  // Slices must be sorted by start; of slices with the same start, the longest comes first.
  std::uint32_t place(Interval slice);

 private:
  // When the rows below a node of the tree end. A track of overlapping slices may have as many rows
  // as slices; the tree avoids quadratic cost.
  struct Ends {
    std::int64_t earliest_ns;
    std::int64_t latest_ns;
  };

  std::int64_t end_ns(std::size_t row) const { return tree_[leaves_ + row].latest_ns; }
  void set_end(std::size_t row, std::int64_t end_ns);
  std::size_t rows_around(std::int64_t end_ns) const;
  std::size_t first_free(std::size_t row, std::int64_t time_ns) const;
  void grow();

  std::vector<Ends> tree_;     // node 1 is the root, the children of n are 2n and 2n + 1
  std::size_t leaves_ = 0;     // a power of two; row r is node leaves_ + r
  std::size_t free_from_ = 0;  // this row and all below it are free
};

struct LookTag;
using LookId = Id<LookTag>;

// What distinguishes slices on a screen: slices of one look are drawn the same way.
struct Look {
  StringId name;
  SliceKind kind = SliceKind::kOther;
  bool communicates = false;
};

// A line of a track in which no two slices overlap: the slots [begin, end).
struct TimelineRow {
  TrackId track;
  std::uint32_t row = 0;  // within the track; slices nest downwards
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t first_block = 0;
};

// Sixteen neighbours of a row (fewer at its end), for zoomed-out views.
struct TimelineBlock {
  static constexpr std::uint32_t kSlots = 16;

  LookId leader;  // covers most of them
  float leader_ns = 0;
  float longest_ns = 0;  // at least as long as the longest of them
};

// The time of which a trace has anything to show, as Timeline::reach(); {0, 0} if there is none.
// Counters of other tools show nothing outside of the slices: some of them begin at time 0.
Interval shown_time(const Trace& trace);
// As Timeline::extent(), without a timeline.
Interval slice_extent(const Trace& trace);

// A trace ordered for drawing: track by track, row by row, by start. A place in that order is a
// slot. 25 bytes per slice.
class Timeline {
 public:
  explicit Timeline(const Trace& trace);

  const Trace& trace() const { return *trace_; }
  // From the first start to the last end of all slices but conditions; reach() if there are none.
  Interval extent() const { return extent_; }
  // What can be shown: the extent, the conditions, and the samples of a recorded run.
  Interval reach() const { return reach_; }

  std::span<const TimelineRow> rows() const { return rows_; }
  std::span<const TimelineRow> rows_of(TrackId track) const {
    const std::uint32_t begin = row_begins_[track.index()];
    return std::span(rows_).subspan(begin, row_begins_[track.index() + 1] - begin);
  }
  std::uint64_t slices_on(TrackId track) const;
  // How long at least one slice with is_busy() of the track was open.
  std::int64_t busy_ns(TrackId track) const { return busy_ns_[track.index()]; }

  SliceId slice(std::uint32_t slot) const { return slices_[slot]; }
  LookId look(std::uint32_t slot) const { return looks_of_slots_[slot]; }
  std::int64_t start_ns(std::uint32_t slot) const { return starts_ns_[slot]; }
  std::int64_t duration_ns(std::uint32_t slot) const { return sum_ns(slot, slot + 1); }
  std::int64_t end_ns(std::uint32_t slot) const { return starts_ns_[slot] + duration_ns(slot); }
  Interval interval(std::uint32_t slot) const { return {start_ns(slot), end_ns(slot)}; }
  // The durations of neighbours of one row, added up.
  std::int64_t sum_ns(std::uint32_t begin, std::uint32_t end) const {
    return static_cast<std::int64_t>(sums_ns_[end] - sums_ns_[begin]);
  }

  // The first slot of the row, not before `from`, that starts at or after the time; the row's end
  // if there is none. Fast if the answer is near.
  std::uint32_t first_from(const TimelineRow& row, std::int64_t time_ns, std::uint32_t from) const;
  std::uint32_t first_from(const TimelineRow& row, std::int64_t time_ns) const;
  // The slots of the row that overlap the window, including empty slices inside it.
  struct Slots {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  Slots visible(const TimelineRow& row, Interval window) const;

  const TimelineRow& row_of(SliceId slice) const;
  // The slice in the lowest row that is open at that time, or starts or ends then; invalid if there
  // is none.
  SliceId innermost_at(TrackId track, std::int64_t time_ns) const;
  std::span<const TimelineBlock> blocks() const { return blocks_; }
  std::span<const Look> looks() const { return looks_; }

 private:
  class LookIndex;
  void add_track(TrackId track, const std::vector<SliceId>& slices, LookIndex& index);
  void add_blocks(TimelineRow& row);

  const Trace* trace_;
  Interval extent_;
  Interval reach_;
  std::vector<TimelineRow> rows_;
  std::vector<std::uint32_t> row_begins_;  // per track, and one more for the end
  std::vector<std::int64_t> busy_ns_;      // per track
  std::vector<SliceId> slices_;            // per slot
  std::vector<LookId> looks_of_slots_;
  std::vector<std::int64_t> starts_ns_;  // per slot
  // Total duration of the first n slots: one column gives durations, ends and the sum of any range.
  // Unsigned, because the sum of all tracks may overflow; that of a row cannot.
  std::vector<std::uint64_t> sums_ns_;
  std::vector<TimelineBlock> blocks_;  // row by row
  std::vector<Look> looks_;
};

}  // namespace strobe::analysis

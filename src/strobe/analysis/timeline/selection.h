#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "strobe/analysis/tables/table_options.h"
#include "strobe/analysis/timeline/timeline.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// Every moment of a track belongs to the lowest row that is busy: a slice's self time is its time
// with nothing drawn below it, and the self times of a track add up to its busy time. Slices of an
// asynchronous track overlap without calling each other, so there the whole slice is self time.
class SelfTime {
 public:
  // Inside the window only. Rows must be added from the lowest upwards.
  SelfTime(const Timeline& timeline, TrackId track, Interval window)
      : timeline_(timeline),
        window_(window),
        nests_(timeline.trace().tracks()[track.index()].kind != TrackKind::kAsync) {}

  // Calls visit(slot, part of the slice inside the window, its self time there) by start.
  template <class Visit>
  void add_row(const TimelineRow& row, Visit visit) {
    const Timeline::Slots slots = timeline_.visible(row, window_);
    IntervalSet own;
    auto below = below_.begin();
    for (std::uint32_t i = slots.begin; i < slots.end; ++i) {
      const Interval part = clipped(timeline_.interval(i));
      std::int64_t self_ns = part.length_ns();
      while (below != below_.end() && below->end_ns <= part.start_ns) ++below;
      for (auto it = below; it != below_.end() && it->start_ns < part.end_ns; ++it) {
        self_ns -= std::min(it->end_ns, part.end_ns) - std::max(it->start_ns, part.start_ns);
      }
      visit(i, part, self_ns);
      if (nests_ && part.length_ns() > 0) add(own, part);
    }
    below_ = union_of(below_, own);
  }

 private:
  Interval clipped(Interval interval) const {
    return {std::max(interval.start_ns, window_.start_ns),
            std::min(interval.end_ns, window_.end_ns)};
  }
  static void add(IntervalSet& set, Interval next) {
    if (set.empty() || !join(set.back(), next)) set.push_back(next);
  }

  const Timeline& timeline_;
  Interval window_;
  bool nests_;
  IntervalSet below_;
};

// Self time of the whole slice.
std::int64_t self_ns(const Timeline& timeline, SliceId slice);

struct SelectionRequest {
  Interval window;
  std::optional<std::vector<TrackId>> tracks = {};  // all if absent
  std::optional<std::vector<SliceId>> slices = {};  // only these, ascending
  std::size_t top = 100;
};

struct SelectedTrack {
  TrackId track;
  std::uint64_t slices = 0;
  std::int64_t busy_ns = 0;  // at least one of them open
};

struct SelectedLook {
  Look look;
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;
  std::int64_t longest_ns = -1;
  SliceId longest;
};

// Sums over an area of the timeline. A slice counts with its part inside the window.
struct Selection {
  std::uint64_t slices = 0;
  std::vector<SelectedTrack> tracks;  // those with slices
  std::vector<SelectedLook> top;      // by total time, longest first
  std::uint64_t looks_left_out = 0;
};

Selection add_up_selection(const Timeline& timeline, const SelectionRequest& request);

struct SearchPage {
  std::size_t offset = 0;
  std::size_t limit = 1000;
};

struct SearchAnswer {
  std::uint64_t total = 0;  // of all matches, on the page or not
  std::int64_t total_ns = 0;
  std::vector<SliceId> slices;  // of the page, by start, then in file order
};

// Finds slices by name. Each distinct name is tested once.
SearchAnswer search_slices(const Trace& trace, const NameFilter& matches, SearchPage page = {});

}  // namespace strobe::analysis

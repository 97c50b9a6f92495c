#include "strobe/analysis/timeline/selection.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "strobe/base/interval.h"
#include "strobe/base/row_index.h"

namespace strobe::analysis {

std::int64_t self_ns(const Timeline& timeline, SliceId slice) {
  const TrackId track = timeline.trace().slices().tracks[slice.index()];
  const TimelineRow& own = timeline.row_of(slice);
  SelfTime self(timeline, track, timeline.trace().interval(slice));
  std::int64_t found_ns = 0;
  const auto rows = timeline.rows_of(track);
  for (std::size_t i = rows.size(); i-- > own.row;) {
    self.add_row(rows[i], [&](std::uint32_t slot, Interval, std::int64_t self_part_ns) {
      if (timeline.slice(slot) == slice) found_ns = self_part_ns;
    });
  }
  return found_ns;
}

namespace {

class Adder {
 public:
  Adder(const Timeline& timeline, const SelectionRequest& request)
      : timeline_(timeline), request_(request), sums_(timeline.looks().size()) {}

  void add_track(TrackId track) {
    const auto rows = timeline_.rows_of(track);
    SelfTime self(timeline_, track, request_.window);
    std::vector<IntervalSet> busy;
    SelectedTrack sum{track};
    for (std::size_t i = rows.size(); i-- > 0;) {
      GrowingUnion row_busy;
      self.add_row(rows[i], [&](std::uint32_t slot, Interval part, std::int64_t self_ns) {
        if (!is_chosen(timeline_.slice(slot))) return;
        ++sum.slices;
        const bool counts = is_busy(timeline_.trace().kind(timeline_.slice(slot)));
        if (counts && part.length_ns() > 0) row_busy.add(part);
        add_slice(slot, part.length_ns(), self_ns);
      });
      busy.push_back(row_busy.take());
    }
    if (sum.slices == 0) return;
    sum.busy_ns = total_ns(union_of_all(std::move(busy)));
    selection_.slices += sum.slices;
    selection_.tracks.push_back(sum);
  }

  Selection take() {
    auto& top = selection_.top;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].count == 0) continue;
      sums_[i].look = timeline_.looks()[i];
      top.push_back(sums_[i]);
    }
    std::ranges::stable_sort(top, std::ranges::greater(), &SelectedLook::total_ns);
    if (top.size() > request_.top) {
      selection_.looks_left_out = top.size() - request_.top;
      top.resize(request_.top);
    }
    return std::move(selection_);
  }

 private:
  bool is_chosen(SliceId slice) const {
    return !request_.slices || std::ranges::binary_search(*request_.slices, slice);
  }
  void add_slice(std::uint32_t slot, std::int64_t part_ns, std::int64_t self_ns) {
    SelectedLook& sum = sums_[timeline_.look(slot).index()];
    ++sum.count;
    sum.total_ns += part_ns;
    sum.self_ns += self_ns;
    if (part_ns <= sum.longest_ns) return;
    sum.longest_ns = part_ns;
    sum.longest = timeline_.slice(slot);
  }

  const Timeline& timeline_;
  const SelectionRequest& request_;
  std::vector<SelectedLook> sums_;  // per look
  Selection selection_;
};

// Only these tracks can have a selected slice.
std::vector<TrackId> tracks_to_visit(const Timeline& timeline, const SelectionRequest& request) {
  const Trace& trace = timeline.trace();
  std::vector<TrackId> tracks;
  if (request.slices) {
    for (const SliceId slice : *request.slices) {
      tracks.push_back(trace.slices().tracks[slice.index()]);
    }
    std::ranges::sort(tracks);
    tracks.erase(std::unique(tracks.begin(), tracks.end()), tracks.end());
  } else {
    for (std::size_t i = 0; i < trace.tracks().size(); ++i) tracks.push_back(TrackId(i));
  }
  if (request.tracks) {
    std::erase_if(tracks, [&](TrackId track) {
      return std::ranges::find(*request.tracks, track) == request.tracks->end();
    });
  }
  return tracks;
}

}  // namespace

Selection add_up_selection(const Timeline& timeline, const SelectionRequest& request) {
  Adder adder(timeline, request);
  for (const TrackId track : tracks_to_visit(timeline, request)) adder.add_track(track);
  return adder.take();
}

SearchAnswer search_slices(const Trace& trace, const NameFilter& matches, SearchPage page) {
  OncePerName is_match(trace.strings(), std::cref(matches));
  const auto& slices = trace.slices();
  std::vector<SliceId> found;
  SearchAnswer answer;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (!is_match(slices.names[row])) continue;
    found.push_back(SliceId(row));
    answer.total_ns += slices.durations_ns[row];
  }
  answer.total = found.size();
  const auto comes_before = [&](SliceId a, SliceId b) {
    const std::int64_t a_ns = trace.start_ns(a);
    const std::int64_t b_ns = trace.start_ns(b);
    return a_ns != b_ns ? a_ns < b_ns : a < b;
  };
  const std::size_t offset = std::min(page.offset, found.size());
  const auto begin = found.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto end = begin + static_cast<std::ptrdiff_t>(std::min(page.limit, found.size() - offset));
  std::nth_element(found.begin(), begin, found.end(), comes_before);
  std::partial_sort(begin, end, found.end(), comes_before);
  answer.slices.assign(begin, end);
  return answer;
}

}  // namespace strobe::analysis

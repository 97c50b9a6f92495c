#include "strobe/analysis/launches/flow_index.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "strobe/analysis/tables/natural_sort.h"

namespace strobe::analysis {

FlowIndex::FlowIndex(const Timeline& timeline) : timeline_(&timeline) {
  const FlowColumns& flows = timeline.trace().flows();
  by_place_.resize(flows.size());
  std::iota(by_place_.begin(), by_place_.end(), 0u);
  by_id_ = by_place_;
  natural_sort(by_place_, [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(flows.tracks[a], flows.times_ns[a]) <
           std::tuple(flows.tracks[b], flows.times_ns[b]);
  });
  natural_sort(by_id_, [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(flows.categories[a], flows.ids[a], flows.times_ns[a], flows.phases[a]) <
           std::tuple(flows.categories[b], flows.ids[b], flows.times_ns[b], flows.phases[b]);
  });
  positions_.resize(flows.size());
  for (std::uint32_t i = 0; i < by_id_.size(); ++i) positions_[by_id_[i]] = i;
}

SliceId FlowIndex::slice_of(std::uint32_t flow) const {
  const FlowColumns& flows = timeline_->trace().flows();
  return timeline_->innermost_at(flows.tracks[flow], flows.times_ns[flow]);
}

// Whether an arrow leads from the first to the second, which stands behind it in by_id_. An id may
// serve again once its arrow has ended.
bool FlowIndex::is_one_arrow(std::uint32_t a, std::uint32_t b) const {
  const FlowColumns& flows = timeline_->trace().flows();
  return flows.categories[a] == flows.categories[b] && flows.ids[a] == flows.ids[b] &&
         flows.phases[a] != FlowPhase::kEnd && flows.phases[b] != FlowPhase::kStart;
}

FlowIndex::Ends FlowIndex::arrows_of(SliceId slice) const {
  const Trace& trace = timeline_->trace();
  const FlowColumns& flows = trace.flows();
  const TrackId track = trace.slices().tracks[slice.index()];
  Ends ends;
  auto at =
      std::lower_bound(by_place_.begin(), by_place_.end(), std::tuple(track, trace.start_ns(slice)),
                       [&](std::uint32_t flow, const auto& wanted) {
                         return std::tuple(flows.tracks[flow], flows.times_ns[flow]) < wanted;
                       });
  for (; at != by_place_.end() && flows.tracks[*at] == track &&
         flows.times_ns[*at] <= trace.end_ns(slice);
       ++at) {
    if (slice_of(*at) != slice) continue;
    const std::uint32_t position = positions_[*at];
    if (position + 1 < by_id_.size() && is_one_arrow(*at, by_id_[position + 1])) {
      const SliceId to = slice_of(by_id_[position + 1]);
      if (to.valid() && to != slice) ends.to.push_back(to);
    }
    if (position > 0 && is_one_arrow(by_id_[position - 1], *at)) {
      const SliceId from = slice_of(by_id_[position - 1]);
      if (from.valid() && from != slice) ends.from.push_back(from);
    }
  }
  return ends;
}

}  // namespace strobe::analysis

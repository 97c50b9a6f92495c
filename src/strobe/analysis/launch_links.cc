#include "strobe/analysis/launch_links.h"

#include <algorithm>

namespace strobe::analysis {
namespace {

// How many unused entries per call the plain array may have.
constexpr std::uint64_t kDenseSlack = 8;

template <class Pair>
bool first_is_smaller(const Pair& a, const Pair& b) {
  return a.first < b.first;
}

}  // namespace

CallsByCorrelation::CallsByCorrelation(const Trace& trace,
                                       const std::vector<SliceId>& runtime_slices,
                                       const Attribution::Calls& calls) {
  const auto& correlations = trace.slices().correlations;
  for (const SliceId slice : runtime_slices) {
    const std::uint32_t id = correlations[slice.index()];
    if (id != kNoLaunchId) ids_.push_back(id);
  }
  if (ids_.empty()) return;
  const auto [lowest, highest] = std::minmax_element(ids_.begin(), ids_.end());
  lowest_ = *lowest;
  const std::size_t range = std::size_t{*highest - *lowest} + 1;
  is_dense_ = range <= kDenseSlack * ids_.size() + 1024;
  if (is_dense_) {
    entries_.resize(range);
    ids_.clear();
  } else {
    std::sort(ids_.begin(), ids_.end());
    ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
    entries_.resize(ids_.size());
  }
  for (const SliceId slice : runtime_slices) {
    const std::uint32_t id = correlations[slice.index()];
    if (id != kNoLaunchId) entries_[entry_of(id)].slice = slice;
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::uint32_t id = correlations[calls.slices[i].index()];
    if (id == kNoLaunchId) continue;
    Entry& entry = entries_[entry_of(id)];
    if (entry.slice == calls.slices[i]) entry.call = CallId(i);
  }
}

std::size_t CallsByCorrelation::entry_of(std::uint32_t correlation) const {
  if (is_dense_) {
    const std::size_t index = std::size_t{correlation} - lowest_;
    return correlation >= lowest_ && index < entries_.size() ? index : kNone;
  }
  const auto found = std::lower_bound(ids_.begin(), ids_.end(), correlation);
  if (found == ids_.end() || *found != correlation) return kNone;
  return static_cast<std::size_t>(found - ids_.begin());
}

CallsByCorrelation::Answer CallsByCorrelation::find(std::uint32_t correlation, CallId& call) const {
  if (correlation == kNoLaunchId) return Answer::kUnknown;
  const std::size_t entry = entry_of(correlation);
  if (entry == kNone || !entries_[entry].slice.valid()) return Answer::kUnknown;
  call = entries_[entry].call;
  return call.valid() ? Answer::kFound : Answer::kNotSelected;
}

OperatorsByExternalId::OperatorsByExternalId(const Trace& trace, const OpTree& tree) {
  const auto& slices = trace.slices();
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const std::uint32_t id = slices.externals[row];
    if (slices.kinds[row] != SliceKind::kOperator || id == kNoLaunchId) continue;
    if (tree.nodes_of_slices[row].valid()) sorted_.push_back({id, tree.nodes_of_slices[row]});
  }
  std::stable_sort(sorted_.begin(), sorted_.end(),
                   first_is_smaller<std::pair<std::uint32_t, NodeId>>);
}

NodeId OperatorsByExternalId::find(std::uint32_t external) const {
  if (external == kNoLaunchId) return {};
  const auto after = std::upper_bound(sorted_.begin(), sorted_.end(),
                                      std::pair<std::uint32_t, NodeId>{external, {}},
                                      first_is_smaller<std::pair<std::uint32_t, NodeId>>);
  if (after == sorted_.begin() || (after - 1)->first != external) return {};
  return (after - 1)->second;
}

LaunchesByFlow::LaunchesByFlow(const Trace& trace, const OpTree& tree,
                               const Attribution::Calls& calls)
    : trace_(&trace), tree_(&tree), calls_(&calls) {
  const auto& flows = trace.flows();
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows.phases[i] == FlowPhase::kEnd) {
      ends_.push_back({flows.tracks[i], flows.times_ns[i], i});
    } else if (flows.phases[i] == FlowPhase::kStart) {
      starts_.push_back({flows.categories[i], flows.ids[i], i});
    }
  }
  std::stable_sort(ends_.begin(), ends_.end());
  std::stable_sort(starts_.begin(), starts_.end());
}

LaunchesByFlow::Source LaunchesByFlow::find(SliceId device_slice) const {
  const auto& flows = trace_->flows();
  const TrackId track = trace_->slices().tracks[device_slice.index()];
  const auto end =
      std::lower_bound(ends_.begin(), ends_.end(), End{track, trace_->start_ns(device_slice), 0});
  if (end == ends_.end() || end->track != track || end->time_ns > trace_->end_ns(device_slice)) {
    return {};
  }
  const Start wanted{flows.categories[end->flow], flows.ids[end->flow], 0};
  const auto start = std::lower_bound(starts_.begin(), starts_.end(), wanted);
  if (start == starts_.end() || wanted < *start) return {};
  const HostThread* thread = tree_->thread_of(flows.tracks[start->flow]);
  if (thread == nullptr) return {};
  const std::int64_t time_ns = flows.times_ns[start->flow];
  Source source;
  source.owner = innermost_around(*tree_, *thread, time_ns, time_ns);
  const std::size_t number = static_cast<std::size_t>(thread - tree_->threads.data());
  const auto slice_at = [&](std::size_t i) {
    return calls_->slices.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const auto begin = slice_at(calls_->thread_begins[number]);
  const auto after =
      std::upper_bound(begin, slice_at(calls_->thread_begins[number + 1]), time_ns,
                       [&](std::int64_t t, SliceId call) { return t < trace_->start_ns(call); });
  if (after != begin && time_ns <= trace_->end_ns(*(after - 1))) {
    source.call = CallId(static_cast<std::size_t>(after - 1 - calls_->slices.begin()));
    source.owner = calls_->owners[source.call.index()];
  }
  return source;
}

NodeId innermost_around(const OpTree& tree, const HostThread& thread, std::int64_t start_ns,
                        std::int64_t end_ns) {
  const auto begin = tree.starts_ns.begin() + static_cast<std::ptrdiff_t>(thread.root.index());
  const auto end = tree.starts_ns.begin() + static_cast<std::ptrdiff_t>(thread.end.index());
  const auto after = std::upper_bound(begin, end, start_ns);
  NodeId node(thread.root.index() + static_cast<std::size_t>(after - begin) - 1);
  while (tree.ends_ns[node.index()] < end_ns) node = tree.parents[node.index()];
  return node;
}

}  // namespace strobe::analysis

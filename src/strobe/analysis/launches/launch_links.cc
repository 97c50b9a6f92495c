#include "strobe/analysis/launches/launch_links.h"

#include <algorithm>

#include "strobe/base/natural_sort.h"

namespace strobe::analysis {
namespace {

template <class Pair>
bool first_is_smaller(const Pair& a, const Pair& b) {
  return a.first < b.first;
}

// The last node of the thread that has started at that time.
NodeId latest_started(const Trace& trace, const OpTree& tree, const HostThread& thread,
                      std::int64_t time_ns) {
  const auto first = tree.slices.begin() + static_cast<std::ptrdiff_t>(thread.root.index()) + 1;
  const auto end = tree.slices.begin() + static_cast<std::ptrdiff_t>(thread.end.index());
  const auto after = std::upper_bound(first, end, time_ns, [&](std::int64_t t, SliceId slice) {
    return t < trace.start_ns(slice);
  });
  return NodeId(static_cast<std::size_t>(after - tree.slices.begin()) - 1);
}

}  // namespace

CallsByCorrelation::CallsByCorrelation(const Trace& trace,
                                       const std::vector<SliceId>& runtime_slices,
                                       const Attribution::Calls& calls) {
  const auto& correlations = trace.slices().correlations;
  const auto add = [&](SliceId slice, CallId call) {
    const std::uint32_t id = correlations[slice.index()];
    if (id != kNoLaunchId) entries_.push_back({id, slice, call});
  };
  entries_.reserve(runtime_slices.size());
  for (std::size_t i = 0; i < calls.size(); ++i) add(calls.slices[i], CallId(i));
  if (calls.size() < runtime_slices.size()) {
    std::vector<char> is_selected(trace.slice_count());
    for (const SliceId slice : calls.slices) is_selected[slice.index()] = 1;
    for (const SliceId slice : runtime_slices) {
      if (is_selected[slice.index()] == 0) add(slice, {});
    }
  }
  natural_sort(entries_, [](const Entry& a, const Entry& b) {
    return a.correlation != b.correlation ? a.correlation < b.correlation : a.slice < b.slice;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const bool repeats =
        i + 1 < entries_.size() && entries_[i + 1].correlation == entries_[i].correlation;
    if (!repeats) entries_[kept++] = entries_[i];
  }
  entries_.resize(kept);
}

// Looks at the entry after the last answer, then searches from there with doubling steps, then by
// bisection.
const CallsByCorrelation::Entry* CallsByCorrelation::entry_of(std::uint32_t correlation) {
  if (latest_ + 1 < entries_.size() && entries_[latest_ + 1].correlation == correlation) {
    return &entries_[++latest_];
  }
  std::size_t begin = latest_;
  std::size_t end = entries_.size();
  if (latest_ < end && entries_[latest_].correlation <= correlation) {
    std::size_t step = 1;
    while (latest_ + step < entries_.size() && entries_[latest_ + step].correlation < correlation) {
      begin = latest_ + step;
      step *= 2;
    }
    end = std::min(entries_.size(), latest_ + step + 1);
  } else {
    begin = 0;
    end = latest_;
  }
  const auto at = [&](std::size_t i) { return entries_.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto found = std::lower_bound(
      at(begin), at(end), correlation,
      [](const Entry& entry, std::uint32_t wanted) { return entry.correlation < wanted; });
  if (found == entries_.end() || found->correlation != correlation) return nullptr;
  latest_ = static_cast<std::size_t>(found - entries_.begin());
  return &*found;
}

CallsByCorrelation::Answer CallsByCorrelation::find(std::uint32_t correlation, CallId& call) {
  const Entry* entry = correlation == kNoLaunchId ? nullptr : entry_of(correlation);
  if (entry == nullptr) return Answer::kUnknown;
  call = entry->call;
  return call.valid() ? Answer::kFound : Answer::kNotSelected;
}

OperatorsByExternalId::OperatorsByExternalId(const Trace& trace, const OpTree& tree) {
  const auto& slices = trace.slices();
  const std::vector<NodeId> nodes = nodes_of_slices(trace, tree);
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const std::uint32_t id = slices.externals[row];
    if (slices.kinds[row] != SliceKind::kOperator || id == kNoLaunchId) continue;
    if (nodes[row].valid()) sorted_.push_back({id, nodes[row]});
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
  const Interval interval = trace_->interval(device_slice);
  const auto end = std::lower_bound(ends_.begin(), ends_.end(), End{track, interval.start_ns, 0});
  if (end == ends_.end() || end->track != track) return {};
  // Where a slice ends, the next one may start: the arrow is that one's. An empty slice has only
  // its start.
  if (end->time_ns > interval.start_ns && end->time_ns >= interval.end_ns) return {};
  const Start wanted{flows.categories[end->flow], flows.ids[end->flow], 0};
  const auto start = std::lower_bound(starts_.begin(), starts_.end(), wanted);
  if (start == starts_.end() || wanted < *start) return {};
  const HostThread* thread = tree_->thread_of(flows.tracks[start->flow]);
  if (thread == nullptr) return {};
  const std::int64_t time_ns = flows.times_ns[start->flow];
  Source source;
  source.owner = innermost_reaching(*trace_, *tree_,
                                    latest_started(*trace_, *tree_, *thread, time_ns), time_ns);
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

}  // namespace strobe::analysis

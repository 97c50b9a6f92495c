#include "strobe/analysis/timeline/slice_links.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <unordered_set>

#include "strobe/base/natural_sort.h"

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

// Whether an arrow leads from the first to the second, which comes later in by_id_. An id may be
// reused after its arrow has ended.
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

namespace {

struct Forward {
  StringId process;
  std::int64_t sequence_number;
  std::int64_t start_ns;
  SliceId slice;
};

bool is_earlier(const Forward& a, const Forward& b) {
  if (a.process != b.process) return a.process < b.process;
  if (a.sequence_number != b.sequence_number) return a.sequence_number < b.sequence_number;
  return a.start_ns < b.start_ns;
}

}  // namespace

std::vector<BackwardLink> link_backward(const Trace& trace) {
  const SequenceColumns& sequences = trace.sequences();
  std::vector<Forward> forwards;
  for (std::size_t i = 0; i < sequences.slices.size(); ++i) {
    if (sequences.forward_threads[i] != 0) continue;
    const SliceId slice = sequences.slices[i];
    forwards.push_back(
        {trace.track(slice).process, sequences.sequence_numbers[i], trace.start_ns(slice), slice});
  }
  std::stable_sort(forwards.begin(), forwards.end(), is_earlier);

  std::vector<BackwardLink> links;
  for (std::size_t i = 0; i < sequences.slices.size(); ++i) {
    if (sequences.forward_threads[i] == 0) continue;
    const SliceId slice = sequences.slices[i];
    const Forward wanted{trace.track(slice).process, sequences.sequence_numbers[i],
                         trace.start_ns(slice), slice};
    const auto after = std::upper_bound(forwards.begin(), forwards.end(), wanted, is_earlier);
    if (after == forwards.begin()) continue;
    const Forward& found = *(after - 1);
    if (found.process == wanted.process && found.sequence_number == wanted.sequence_number) {
      links.push_back({slice, found.slice});
    }
  }
  return links;
}

std::string_view word_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::kLaunches:
      return "launches";
    case LinkKind::kLaunchedBy:
      return "launched_by";
    case LinkKind::kBackward:
      return "backward";
    case LinkKind::kForward:
      return "forward";
    case LinkKind::kFlowOut:
      return "flow_out";
    case LinkKind::kFlowIn:
      return "flow_in";
  }
  return "";
}

SliceLinks::SliceLinks(const Timeline& timeline, const AttributedTrace& input)
    : input_(&input),
      flows_(timeline),
      by_backward_(link_backward(input.trace)),
      by_forward_(by_backward_) {
  const auto& calls = input.attribution.calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls_of_slices_.push_back({calls.slices[i], CallId(i)});
  }
  std::ranges::sort(calls_of_slices_, {}, &CallOfSlice::slice);
  const auto& works = input.attribution.works;
  for (std::uint32_t i = 0; i < works.size(); ++i) {
    if (works.calls[i].valid()) works_of_calls_.push_back({works.calls[i], i});
  }
  std::ranges::stable_sort(works_of_calls_, {}, &WorkOfCall::call);
  std::ranges::stable_sort(by_forward_, {}, &BackwardLink::forward);
}

CallId SliceLinks::call_at(SliceId slice) const {
  const auto found = std::ranges::lower_bound(calls_of_slices_, slice, {}, &CallOfSlice::slice);
  return found == calls_of_slices_.end() || found->slice != slice ? CallId() : found->call;
}

std::size_t SliceLinks::work_at(SliceId slice) const {
  const auto& slices = input_->attribution.works.slices;
  const auto found = std::ranges::lower_bound(slices, slice);
  return found == slices.end() || *found != slice
             ? slices.size()
             : static_cast<std::size_t>(found - slices.begin());
}

SliceId SliceLinks::call_of(SliceId device_slice) const {
  const auto& attribution = input_->attribution;
  const std::size_t work = work_at(device_slice);
  if (work == attribution.works.size() || !attribution.works.calls[work].valid()) return {};
  return attribution.calls.slices[attribution.works.calls[work].index()];
}

void SliceLinks::add_works_of(CallId call, std::vector<SliceId>& works) const {
  auto entry = std::ranges::lower_bound(works_of_calls_, call, {}, &WorkOfCall::call);
  for (; entry != works_of_calls_.end() && entry->call == call; ++entry) {
    works.push_back(input_->attribution.works.slices[entry->work]);
  }
}

std::vector<SliceId> SliceLinks::works_below(SliceId slice) const {
  const Trace& trace = input_->trace;
  const OpTree& tree = input_->tree;
  const auto& calls = input_->attribution.calls;
  const auto& works = input_->attribution.works;
  std::vector<SliceId> below;
  const NodeId node = find_node(trace, tree, slice);
  const HostThread* thread = tree.thread_of(trace.slices().tracks[slice.index()]);
  if (node.valid()) {
    const std::uint32_t first = tree.position_of(node);
    const std::uint32_t nodes = tree.subtree_ends[node.index()].value - node.value;
    for (std::uint32_t i = works.visiting_begins[first]; i < works.visiting_begins[first + nodes];
         ++i) {
      below.push_back(works.slices[works.visiting_order[i]]);
    }
  } else if (const CallId call = call_at(slice); call.valid()) {
    add_works_of(call, below);
  } else if (thread != nullptr && !is_on_device(trace.kind(slice))) {
    // An interpreter frame is not in the tree; its thread's calls show what it started.
    const auto number = static_cast<std::size_t>(thread - tree.threads.data());
    const auto at = [&](std::size_t i) {
      return calls.slices.begin() + static_cast<std::ptrdiff_t>(i);
    };
    const auto end = at(calls.thread_begins[number + 1]);
    auto inside = std::lower_bound(
        at(calls.thread_begins[number]), end, trace.start_ns(slice),
        [&](SliceId other, std::int64_t time_ns) { return trace.start_ns(other) < time_ns; });
    for (; inside != end && trace.start_ns(*inside) < trace.end_ns(slice); ++inside) {
      add_works_of(CallId(static_cast<std::size_t>(inside - calls.slices.begin())), below);
    }
  }
  std::ranges::stable_sort(below, {}, [&](SliceId work) { return trace.start_ns(work); });
  return below;
}

namespace {

NodeId outermost_operator(const OpTree& tree, NodeId inner) {
  NodeId outer = inner;
  for (NodeId node = tree.parents[inner.index()]; node.valid();) {
    const NodeId around = tree.operators[node.index()];
    if (!around.valid()) break;
    outer = around;
    node = tree.parents[around.index()];
  }
  return outer;
}

}  // namespace

void SliceLinks::add_launchers(SliceId slice, std::vector<SliceLink>& links) const {
  const OpTree& tree = input_->tree;
  const auto& attribution = input_->attribution;
  NodeId owner;
  if (const std::size_t work = work_at(slice); work < attribution.works.size()) {
    if (const SliceId call = call_of(slice); call.valid()) {
      links.push_back({LinkKind::kLaunchedBy, call});
    }
    owner = attribution.works.owners[work];
  } else if (const CallId call = call_at(slice); call.valid()) {
    owner = attribution.calls.owners[call.index()];
  }
  if (!owner.valid() || tree.is_thread(owner)) return;
  links.push_back({LinkKind::kLaunchedBy, tree.slices[owner.index()]});
  const NodeId inner = tree.operators[owner.index()];
  if (!inner.valid()) return;
  if (inner != owner) links.push_back({LinkKind::kLaunchedBy, tree.slices[inner.index()]});
  const NodeId outer = outermost_operator(tree, inner);
  if (outer != inner) links.push_back({LinkKind::kLaunchedBy, tree.slices[outer.index()]});
}

void SliceLinks::add_gradients(SliceId slice, std::vector<SliceLink>& links) const {
  auto to = std::ranges::lower_bound(by_forward_, slice, {}, &BackwardLink::forward);
  for (; to != by_forward_.end() && to->forward == slice; ++to) {
    links.push_back({LinkKind::kBackward, to->backward});
  }
  auto from = std::ranges::lower_bound(by_backward_, slice, {}, &BackwardLink::backward);
  for (; from != by_backward_.end() && from->backward == slice; ++from) {
    links.push_back({LinkKind::kForward, from->forward});
  }
}

void SliceLinks::add_arrows(SliceId slice, std::vector<SliceLink>& links) const {
  std::unordered_set<SliceId> known;
  for (const SliceLink& link : links) known.insert(link.slice);
  const FlowIndex::Ends arrows = flows_.arrows_of(slice);
  for (const SliceId to : arrows.to) {
    if (known.insert(to).second) links.push_back({LinkKind::kFlowOut, to});
  }
  for (const SliceId from : arrows.from) {
    if (known.insert(from).second) links.push_back({LinkKind::kFlowIn, from});
  }
}

std::vector<SliceLink> SliceLinks::of(SliceId slice) const {
  std::vector<SliceLink> links;
  add_launchers(slice, links);
  add_gradients(slice, links);
  const std::size_t launches = links.size();
  for (const SliceId work : works_below(slice)) links.push_back({LinkKind::kLaunches, work});
  add_arrows(slice, links);
  // A long range may have started enough work to fill any list, so arrows go first.
  const auto is_launch = [](const SliceLink& link) { return link.kind == LinkKind::kLaunches; };
  std::stable_partition(links.begin() + static_cast<std::ptrdiff_t>(launches), links.end(),
                        [&](const SliceLink& link) { return !is_launch(link); });
  return links;
}

}  // namespace strobe::analysis

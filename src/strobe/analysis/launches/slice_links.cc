#include "strobe/analysis/launches/slice_links.h"

#include <algorithm>
#include <unordered_set>

namespace strobe::analysis {

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
  const NodeId node = tree.nodes_of_slices[slice.index()];
  const HostThread* thread = tree.thread_of(trace.slices().tracks[slice.index()]);
  if (node.valid()) {
    const std::uint32_t first = tree.positions[node.index()];
    const std::uint32_t nodes = tree.subtree_ends[node.index()].value - node.value;
    for (std::uint32_t i = works.visiting_begins[first]; i < works.visiting_begins[first + nodes];
         ++i) {
      below.push_back(works.slices[works.visiting_order[i]]);
    }
  } else if (const CallId call = call_at(slice); call.valid()) {
    add_works_of(call, below);
  } else if (thread != nullptr && !is_on_device(trace.kind(slice))) {
    // An interpreter frame stands in no tree, but its thread's calls tell what it started.
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
  const NodeId op = tree.operators[owner.index()];
  if (op.valid() && op != owner) links.push_back({LinkKind::kLaunchedBy, tree.slices[op.index()]});
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
  // What a long range started may fill any list: arrows go before it.
  const auto is_launch = [](const SliceLink& link) { return link.kind == LinkKind::kLaunches; };
  std::stable_partition(links.begin() + static_cast<std::ptrdiff_t>(launches), links.end(),
                        [&](const SliceLink& link) { return !is_launch(link); });
  return links;
}

}  // namespace strobe::analysis

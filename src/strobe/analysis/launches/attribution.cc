#include "strobe/analysis/launches/attribution.h"

#include <numeric>
#include <optional>
#include <utility>

#include "strobe/analysis/launches/launch_links.h"
#include "strobe/base/natural_sort.h"

namespace strobe::analysis {
namespace {

// Finds the innermost node around a position. Queries must come in ascending order, so one pass
// over the nodes of a thread answers them all.
class InnermostNode {
 public:
  InnermostNode(const Trace& trace, const OpTree& tree, const HostThread& thread)
      : trace_(trace), tree_(tree), latest_(thread.root.index()), end_(thread.end.index()) {}

  NodeId around(std::int64_t start_ns, std::int64_t end_ns) {
    while (latest_ + 1 < end_ && trace_.start_ns(tree_.slices[latest_ + 1]) <= start_ns) ++latest_;
    return innermost_reaching(trace_, tree_, NodeId(latest_), end_ns);
  }

 private:
  const Trace& trace_;
  const OpTree& tree_;
  std::size_t latest_;  // the last node that has started
  std::size_t end_;
};

// The node of a slice that the file names as owner; the thread itself if it names none.
NodeId node_of_owner(const OpTree& tree, const HostThread& thread, SliceId owner) {
  const NodeId node = owner.valid() ? tree.nodes_of_slices[owner.index()] : NodeId();
  return node.valid() ? node : thread.root;
}

void attribute_calls(const Trace& trace, const OpTree& tree, const TimeSelection& selection,
                     const std::vector<SliceId>& runtime_slices, Attribution::Calls& calls) {
  const auto& owners = trace.nesting_hints().owners;
  std::vector<std::vector<SliceId>> threads(tree.threads.size());
  for (const SliceId slice : runtime_slices) {
    const HostThread* thread = tree.thread_of(trace.slices().tracks[slice.index()]);
    if (thread == nullptr || !selection.holds(trace.start_ns(slice))) continue;
    threads[static_cast<std::size_t>(thread - tree.threads.data())].push_back(slice);
  }
  calls.slices.reserve(runtime_slices.size());
  calls.owners.reserve(runtime_slices.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    calls.thread_begins.push_back(calls.size());
    natural_sort(threads[i],
                 [&](SliceId a, SliceId b) { return trace.start_ns(a) < trace.start_ns(b); });
    InnermostNode innermost(trace, tree, tree.threads[i]);
    for (const SliceId call : threads[i]) {
      calls.slices.push_back(call);
      calls.owners.push_back(owners.empty()
                                 ? innermost.around(trace.start_ns(call), nest_end_ns(trace, call))
                                 : node_of_owner(tree, tree.threads[i], owners[call.index()]));
    }
  }
  calls.thread_begins.push_back(calls.size());
}

// Finds the launch of device work without a correlation, by its external id or an arrow.
class Fallbacks {
 public:
  Fallbacks(const Trace& trace, const OpTree& tree, const Attribution::Calls& calls)
      : trace_(trace), operators_(trace, tree), flows_(trace, tree, calls) {}

  void link(SliceId slice, CallId& call, NodeId& owner, LaunchEvidence& evidence) const {
    owner = operators_.find(trace_.slices().externals[slice.index()]);
    if (owner.valid()) {
      evidence = LaunchEvidence::kExternalId;
      return;
    }
    const LaunchesByFlow::Source source = flows_.find(slice);
    if (!source.owner.valid()) return;
    call = source.call;
    owner = source.owner;
    evidence = LaunchEvidence::kFlow;
  }

 private:
  const Trace& trace_;
  OperatorsByExternalId operators_;
  LaunchesByFlow flows_;
};

// Device work whose call is given by the order of the file.
class CallsByOrder {
 public:
  CallsByOrder(const Trace& trace, const Attribution::Calls& calls)
      : owners_(trace.nesting_hints().owners) {
    if (owners_.empty()) return;
    calls_of_slices_.resize(trace.slice_count());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      calls_of_slices_[calls.slices[i].index()] = CallId(i);
    }
  }
  CallsByCorrelation::Answer find(SliceId work, CallId& call) const {
    if (owners_.empty() || !owners_[work.index()].valid()) {
      return CallsByCorrelation::Answer::kUnknown;
    }
    call = calls_of_slices_[owners_[work.index()].index()];
    return call.valid() ? CallsByCorrelation::Answer::kFound
                        : CallsByCorrelation::Answer::kNotSelected;
  }

 private:
  const Column<SliceId>& owners_;
  std::vector<CallId> calls_of_slices_;
};

void attribute_works(const Trace& trace, const OpTree& tree, const TimeSelection& selection,
                     const std::vector<SliceId>& runtime_slices,
                     const std::vector<SliceId>& device_slices, Attribution& result) {
  const auto& slices = trace.slices();
  const CallsByOrder by_order(trace, result.calls);
  CallsByCorrelation by_correlation(trace, runtime_slices, result.calls);
  std::optional<Fallbacks> fallbacks;
  Attribution::Works& works = result.works;
  works.slices.reserve(device_slices.size());
  works.calls.reserve(device_slices.size());
  works.owners.reserve(device_slices.size());
  works.evidence.reserve(device_slices.size());
  for (const SliceId slice : device_slices) {
    CallId call;
    NodeId owner;
    LaunchEvidence evidence = LaunchEvidence::kNone;
    CallsByCorrelation::Answer answer = by_order.find(slice, call);
    if (answer == CallsByCorrelation::Answer::kUnknown) {
      answer = by_correlation.find(slices.correlations[slice.index()], call);
    }
    switch (answer) {
      case CallsByCorrelation::Answer::kFound:
        owner = result.calls.owners[call.index()];
        evidence = LaunchEvidence::kCorrelation;
        break;
      case CallsByCorrelation::Answer::kNotSelected:
        continue;
      case CallsByCorrelation::Answer::kUnknown:
        if (!fallbacks) fallbacks.emplace(trace, tree, result.calls);
        fallbacks->link(slice, call, owner, evidence);
        if (!owner.valid() && !selection.holds(trace.start_ns(slice))) continue;
        break;
    }
    works.slices.push_back(slice);
    works.calls.push_back(call);
    works.owners.push_back(owner);
    works.evidence.push_back(evidence);
  }
}

// A stable sort by keys below `key_count`, in two passes. `begins` receives the position where each
// key begins, and the end.
template <class KeyOf>
std::vector<std::uint32_t> counting_sorted(const std::vector<std::uint32_t>& items,
                                           std::size_t key_count, KeyOf key_of,
                                           std::vector<std::uint32_t>& begins) {
  // Counts are stored one place further on; scattering then moves every begin to its own place.
  begins.assign(key_count + 2, 0);
  for (const std::uint32_t item : items) ++begins[key_of(item) + 2];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<std::uint32_t> sorted(items.size());
  for (const std::uint32_t item : items) sorted[begins[key_of(item) + 1]++] = item;
  begins.pop_back();
  return sorted;
}

void order_works(const Trace& trace, const OpTree& tree, const Attribution::Calls& calls,
                 Attribution::Works& works) {
  std::vector<std::uint32_t> all(works.size());
  std::iota(all.begin(), all.end(), 0u);
  const auto call_key = [&](std::uint32_t work) {
    return works.calls[work].valid() ? works.calls[work].index() : calls.size();
  };
  const auto position_key = [&](std::uint32_t work) {
    const NodeId owner = works.owners[work];
    return owner.valid() ? std::size_t{tree.positions[owner.index()]} : tree.size();
  };
  const auto by_call = counting_sorted(all, calls.size() + 1, call_key, works.visiting_begins);
  works.visiting_order =
      counting_sorted(by_call, tree.size() + 1, position_key, works.visiting_begins);

  works.time_order = std::move(all);
  natural_sort(works.time_order, [&](std::uint32_t a, std::uint32_t b) {
    return trace.start_ns(works.slices[a]) < trace.start_ns(works.slices[b]);
  });
}

void add_up_works(const Trace& trace, Attribution::Works& works) {
  works.kernel_sums_ns.reserve(works.size() + 1);
  works.device_sums_ns.reserve(works.size() + 1);
  std::int64_t kernel_ns = 0;
  std::int64_t device_ns = 0;
  works.kernel_sums_ns.push_back(0);
  works.device_sums_ns.push_back(0);
  for (const std::uint32_t work : works.visiting_order) {
    const SliceId slice = works.slices[work];
    device_ns += trace.duration_ns(slice);
    if (trace.kind(slice) == SliceKind::kKernel) kernel_ns += trace.duration_ns(slice);
    works.kernel_sums_ns.push_back(kernel_ns);
    works.device_sums_ns.push_back(device_ns);
  }
}

std::vector<NodeId> attribute_memory(const Trace& trace, const OpTree& tree,
                                     const TimeSelection& selection) {
  const MemoryColumns& memory = trace.memory();
  std::vector<NodeId> owners(memory.size());
  std::vector<std::vector<std::uint32_t>> threads(tree.threads.size());
  for (std::uint32_t row = 0; row < memory.size(); ++row) {
    const std::uint32_t thread = tree.threads_of_tracks[memory.tracks[row].index()];
    if (thread == OpTree::kNoThread || !selection.holds(memory.times_ns[row])) continue;
    if (memory.owners_are_known) {
      owners[row] = node_of_owner(tree, tree.threads[thread], memory.owners[row]);
    } else {
      threads[thread].push_back(row);
    }
  }
  for (std::size_t i = 0; i < threads.size(); ++i) {
    natural_sort(threads[i], [&](std::uint32_t a, std::uint32_t b) {
      return memory.times_ns[a] < memory.times_ns[b];
    });
    InnermostNode innermost(trace, tree, tree.threads[i]);
    for (const std::uint32_t row : threads[i]) {
      owners[row] = innermost.around(memory.times_ns[row], memory.times_ns[row]);
    }
  }
  return owners;
}

}  // namespace

Attribution attribute(const Trace& trace, const OpTree& tree, const TimeSelection& selection) {
  std::vector<SliceId> runtime_slices;
  std::vector<SliceId> device_slices;
  const auto& kinds = trace.slices().kinds;
  for (std::size_t row = 0; row < kinds.size(); ++row) {
    if (kinds[row] == SliceKind::kRuntimeCall) {
      runtime_slices.push_back(SliceId(row));
    } else if (is_device_work(kinds[row])) {
      device_slices.push_back(SliceId(row));
    }
  }
  Attribution result;
  attribute_calls(trace, tree, selection, runtime_slices, result.calls);
  attribute_works(trace, tree, selection, runtime_slices, device_slices, result);
  order_works(trace, tree, result.calls, result.works);
  add_up_works(trace, result.works);
  result.memory_owners = attribute_memory(trace, tree, selection);
  return result;
}

AttributedTrace attribute_trace(const Trace& trace, const TimeSelection& selection) {
  OpTree tree = build_op_tree(trace, selection);
  Attribution attribution = attribute(trace, tree, selection);
  return {trace, std::move(tree), std::move(attribution)};
}

}  // namespace strobe::analysis

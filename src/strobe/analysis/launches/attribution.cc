#include "strobe/analysis/launches/attribution.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "strobe/analysis/launches/graph_captures.h"
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
NodeId node_of_owner(const std::vector<NodeId>& nodes_of_slices, const HostThread& thread,
                     SliceId owner) {
  const NodeId node = owner.valid() ? nodes_of_slices[owner.index()] : NodeId();
  return node.valid() ? node : thread.root;
}

void attribute_calls(const Trace& trace, const OpTree& tree, const TimeSelection& selection,
                     const std::vector<SliceId>& runtime_slices, Attribution::Calls& calls) {
  const auto& owners = trace.nesting_hints().owners;
  const std::vector<NodeId> nodes =
      owners.empty() ? std::vector<NodeId>() : nodes_of_slices(trace, tree);
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
                                 : node_of_owner(nodes, tree.threads[i], owners[call.index()]));
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
    return owner.valid() ? std::size_t{tree.position_of(owner)} : tree.size();
  };
  std::vector<std::uint32_t> by_call = all;
  natural_sort(by_call,
               [&](std::uint32_t a, std::uint32_t b) { return call_key(a) < call_key(b); });
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
  const std::vector<NodeId> nodes =
      memory.owners_are_known ? nodes_of_slices(trace, tree) : std::vector<NodeId>();
  std::vector<NodeId> owners(memory.size());
  std::vector<std::vector<std::uint32_t>> threads(tree.threads.size());
  for (std::uint32_t row = 0; row < memory.size(); ++row) {
    const std::uint32_t thread = tree.threads_of_tracks[memory.tracks[row].index()];
    if (thread == OpTree::kNoThread || !selection.holds(memory.times_ns[row])) continue;
    if (memory.owners_are_known) {
      owners[row] = node_of_owner(nodes, tree.threads[thread], memory.owners[row]);
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

// The launch of a work: of its call or, where that is not known, of its owner.
Interval launch_interval(const Trace& trace, const OpTree& tree, const Attribution& attribution,
                         std::uint32_t work) {
  const CallId call = attribution.works.calls[work];
  const SliceId slice = call.valid() ? attribution.calls.slices[call.index()]
                                     : tree.slices[attribution.works.owners[work].index()];
  return {trace.start_ns(slice), nest_end_ns(trace, slice)};
}

// Nodes are sorted by start, so those that start in a crossed one outside of its subtree follow the
// subtree.
void find_crossings(const Trace& trace, const OpTree& tree, Attribution& attribution) {
  if (tree.crossed.empty() || attribution.works.size() == 0) return;
  const Attribution::Works& works = attribution.works;
  Attribution::Crossings& crossings = attribution.crossings;
  crossings.nodes = tree.crossed;
  std::sort(crossings.nodes.begin(), crossings.nodes.end());
  for (const NodeId crossed : crossings.nodes) {
    crossings.begins.push_back(crossings.launches.size());
    const std::int64_t end_ns = nest_end_ns(trace, tree.slices[crossed.index()]);
    for (std::size_t node = tree.subtree_ends[crossed.index()].index();
         node < tree.size() && !tree.is_thread(NodeId(node)) &&
         trace.start_ns(tree.slices[node]) < end_ns;
         ++node) {
      const std::uint32_t position = tree.position_of(NodeId(node));
      for (std::uint32_t i = works.visiting_begins[position];
           i < works.visiting_begins[position + 1]; ++i) {
        const std::uint32_t work = works.visiting_order[i];
        const Interval launch = launch_interval(trace, tree, attribution, work);
        if (launch.end_ns > end_ns) continue;
        crossings.launches.push_back({work, launch.end_ns, trace.duration_ns(works.slices[work])});
      }
    }
  }
  crossings.begins.push_back(crossings.launches.size());
}

// Goes through a thread's time once, with the ranges that are open in the order of their starts.
// One that ends below a later one stays on the list until it is the last again.
class SelfTimes {
 public:
  explicit SelfTimes(std::vector<std::int64_t>& self_ns) : self_ns_(self_ns) {}

  // The time up to here goes to the ranges that are open.
  void go_to(std::int64_t time_ns) {
    for (; !open_.empty() && now_ns_ < time_ns; open_.pop_back()) {
      const auto [node, end_ns] = open_.back();
      const std::int64_t until_ns = std::min(end_ns, time_ns);
      if (until_ns > now_ns_) {
        self_ns_[node] += until_ns - now_ns_;
        now_ns_ = until_ns;
      }
      if (end_ns > time_ns) break;
    }
    now_ns_ = std::max(now_ns_, time_ns);
  }
  void open(std::size_t node, Interval range) {
    go_to(range.start_ns);
    open_.push_back({node, range.end_ns});
  }
  // The time of a call goes to nobody.
  void skip(Interval call) {
    go_to(call.start_ns);
    now_ns_ = std::max(now_ns_, call.end_ns);
  }

 private:
  struct Open {
    std::size_t node;
    std::int64_t end_ns;
  };
  std::vector<std::int64_t>& self_ns_;
  std::vector<Open> open_;
  std::int64_t now_ns_ = std::numeric_limits<std::int64_t>::min();
};

// `calls`: of the thread, by start.
void add_self_times(const Trace& trace, const OpTree& tree, const HostThread& thread,
                    std::span<const SliceId> calls, std::vector<std::int64_t>& self_ns) {
  SelfTimes times(self_ns);
  auto call = calls.begin();
  for (std::size_t node = thread.root.index() + 1; node < thread.end.index(); ++node) {
    const Interval range = trace.interval(tree.slices[node]);
    for (; call != calls.end() && trace.start_ns(*call) <= range.start_ns; ++call) {
      times.skip(trace.interval(*call));
    }
    times.open(node, range);
  }
  for (; call != calls.end(); ++call) times.skip(trace.interval(*call));
  times.go_to(kForever);
}

std::vector<std::int64_t> find_self_times(const Trace& trace, const OpTree& tree,
                                          const Attribution::Calls& calls) {
  std::vector<std::int64_t> self_ns(tree.size());
  for (std::size_t i = 0; i < tree.threads.size(); ++i) {
    const std::size_t begin = calls.thread_begins[i];
    const std::size_t count = calls.thread_begins[i + 1] - begin;
    add_self_times(trace, tree, tree.threads[i], std::span(calls.slices).subspan(begin, count),
                   self_ns);
  }
  return self_ns;
}

}  // namespace

Attribution attribute(const Trace& trace, const OpTree& tree, const TimeSelection& selection) {
  Attribution result;
  std::vector<SliceId> runtime_slices;
  std::vector<SliceId> device_slices;
  const auto& kinds = trace.slices().kinds;
  for (std::size_t row = 0; row < kinds.size(); ++row) {
    if (is_tree_kind(kinds[row])) continue;
    if (kinds[row] == SliceKind::kRuntimeCall) {
      runtime_slices.push_back(SliceId(row));
    } else if (is_device_work(kinds[row])) {
      device_slices.push_back(SliceId(row));
    } else if (kinds[row] != SliceKind::kCondition) {
      result.loose_slices.push_back(SliceId(row));
    }
  }
  attribute_calls(trace, tree, selection, runtime_slices, result.calls);
  attribute_works(trace, tree, selection, runtime_slices, device_slices, result);
  order_works(trace, tree, result.calls, result.works);
  add_up_works(trace, result.works);
  result.memory_owners = attribute_memory(trace, tree, selection);
  if (tree.rules == TreeRules::kStrobe) {
    result.self_host_ns = find_self_times(trace, tree, result.calls);
    find_crossings(trace, tree, result);
    result.works.capturers = find_capturers(trace, result.calls, result.works);
  }
  return result;
}

AttributedTrace attribute_trace(const Trace& trace, const TimeSelection& selection,
                                TreeRules rules) {
  OpTree tree = build_op_tree(trace, selection, rules);
  Attribution attribution = attribute(trace, tree, selection);
  return {trace, std::move(tree), std::move(attribution), selection.is_everything()};
}

}  // namespace strobe::analysis

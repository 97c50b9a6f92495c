#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/launches/op_tree.h"
#include "strobe/analysis/timeline/time_selection.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// A trace with its trees and launches: what every table is made from.
struct AttributedTrace {
  const Trace& trace;
  OpTree tree;
  Attribution attribution;

  StringId name(NodeId node) const {
    return trace.slices().names[tree.slices[node.index()].index()];
  }
  std::int64_t host_ns(NodeId node) const {
    return trace.slices().durations_ns[tree.slices[node.index()].index()];
  }
  // Device work launched by the node itself, as indices into Attribution::Works.
  std::span<const std::uint32_t> works_of(NodeId node) const {
    const auto& works = attribution.works;
    const std::uint32_t position = tree.positions[node.index()];
    const std::uint32_t begin = works.visiting_begins[position];
    return std::span(works.visiting_order)
        .subspan(begin, works.visiting_begins[position + 1] - begin);
  }
  // Device time launched by the node and everything below it, whenever the device ran it; overlap
  // between streams is not removed.
  std::int64_t kernel_ns(NodeId node) const {
    return sum_below(node, attribution.works.kernel_sums_ns);
  }
  std::int64_t device_ns(NodeId node) const {
    return sum_below(node, attribution.works.device_sums_ns);
  }

  // Some writers' own tables skip what happens outside every host range: what hangs on a thread
  // itself counts for kernels only. Where a step owns the launches of all threads there is no
  // reason to lose it.
  bool counts_call(std::size_t call) const { return counts(attribution.calls.owners[call]); }
  bool counts_work(std::size_t work) const {
    return attribution.works.is_orphan(work) || counts(attribution.works.owners[work]);
  }

 private:
  std::int64_t sum_below(NodeId node, const std::vector<std::int64_t>& sums_ns) const {
    const auto& begins = attribution.works.visiting_begins;
    const std::uint32_t first = tree.positions[node.index()];
    const std::uint32_t nodes = tree.subtree_ends[node.index()].value - node.value;
    return sums_ns[begins[first + nodes]] - sums_ns[begins[first]];
  }
  bool counts(NodeId owner) const {
    return trace.traits().steps_cover_all_threads || !tree.is_thread(owner);
  }
};

AttributedTrace attribute_trace(const Trace& trace, const TimeSelection& selection = {});

}  // namespace strobe::analysis

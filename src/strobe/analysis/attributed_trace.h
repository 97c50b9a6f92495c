#pragma once

#include <cstdint>
#include <span>

#include "strobe/analysis/attribution.h"
#include "strobe/analysis/node_times.h"
#include "strobe/analysis/op_tree.h"
#include "strobe/analysis/time_selection.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// A trace with its trees, its launches and their sums: what every table is made from.
struct AttributedTrace {
  const Trace& trace;
  OpTree tree;
  Attribution attribution;
  NodeTimes times;

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

  // Some writers' own tables skip what happens outside every host range: what hangs on a thread
  // itself counts for kernels only. Where a step owns the launches of all threads there is no
  // reason to lose it.
  bool counts_call(std::size_t call) const { return counts(attribution.calls.owners[call]); }
  bool counts_work(std::size_t work) const {
    return attribution.works.is_orphan(work) || counts(attribution.works.owners[work]);
  }

 private:
  bool counts(NodeId owner) const {
    return trace.traits().steps_cover_all_threads || !tree.is_thread(owner);
  }
};

AttributedTrace attribute_trace(const Trace& trace, const TimeSelection& selection = {});

}  // namespace strobe::analysis

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strobe/analysis/launches/op_tree.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

struct CallTag;
using CallId = Id<CallTag>;

// How the origin of device work is known, best evidence first.
enum class LaunchEvidence : std::uint8_t {
  kCorrelation,  // a runtime call of the same correlation id
  kExternalId,   // an operator of the same external id
  kFlow,         // an arrow that leaves from a host slice
  kNone,         // an orphan: its launch was not recorded
};

// Who launched what, and who allocated what.
struct Attribution {
  // Runtime calls: thread by thread, by start. The owner is the innermost node that contains the
  // whole call.
  struct Calls {
    std::vector<SliceId> slices;
    std::vector<NodeId> owners;
    std::vector<std::size_t> thread_begins;  // per thread of the tree, and one more for the end
    std::size_t size() const { return slices.size(); }
  };
  // Device work, in file order. The owner is that of the call.
  struct Works {
    std::vector<SliceId> slices;
    std::vector<CallId> calls;   // invalid when no call is known
    std::vector<NodeId> owners;  // invalid for orphans
    std::vector<LaunchEvidence> evidence;
    // Where work that a graph replays was captured, see find_capturers(); empty if it is not known
    // of any work. Its owner remains that of the call that launched the graph.
    std::vector<NodeId> capturers;
    std::vector<std::uint32_t>
        visiting_order;  // by the owner's position (OpTree::position_of), then the
                         // call's start, then file order; orphans last
    // Where the works of the node at a position begin in visiting_order; the orphans follow the
    // last node.
    std::vector<std::uint32_t> visiting_begins;
    // Total duration of the first n works of visiting_order, for n from 0 to size(). The work of a
    // subtree is one range of visiting_order, so its time is one subtraction.
    std::vector<std::int64_t> kernel_sums_ns;
    std::vector<std::int64_t> device_sums_ns;  // the same with copies and memsets
    std::vector<std::uint32_t> time_order;     // by start
    std::size_t size() const { return slices.size(); }
    bool is_orphan(std::size_t work) const { return !owners[work].valid(); }
    // The node that asked for this work: where it was captured, or else launched.
    NodeId origin_of(std::size_t work) const {
      const bool is_captured = !capturers.empty() && capturers[work].valid();
      return is_captured ? capturers[work] : owners[work];
    }
  };

  // What was launched inside of a range by time though not below it in the tree, because another
  // range crosses it. Here k is below b, and inside of both:
  //
  //     |---- a ----|
  //           |---- b ----|
  //             |k|
  //
  // Only under TreeRules::kStrobe, else empty.
  struct Crossings {
    struct Launch {
      std::uint32_t work;      // of Works
      std::int64_t end_ns;     // of the launch
      std::int64_t device_ns;  // of the work
    };
    std::vector<NodeId> nodes;        // crossed by another one, ascending
    std::vector<std::size_t> begins;  // in launches, per node, and one more for the end
    std::vector<Launch> launches;
  };

  Calls calls;
  Works works;
  Crossings crossings;
  // All slices of the trace that are neither of the trees nor calls nor device work, such as
  // interpreter frames; in file order. States of the machine are none of them.
  std::vector<SliceId> loose_slices;
  // Per memory event: the innermost node open at its time; invalid where its thread has no tree or
  // the event is not selected.
  std::vector<NodeId> memory_owners;
  // Per node: the time in which it was the innermost open range of its thread and no runtime call
  // was open there. Of several open ranges the innermost is the one that started last, also where
  // they cross, so no moment counts twice:
  //
  //     |---- a ----|             a  ==       =
  //       |- b -| |---- c ----|   b          =
  //       |call|                  c            ======  //
  // Only under TreeRules::kStrobe, else empty.
  std::vector<std::int64_t> self_host_ns;
};

Attribution attribute(const Trace& trace, const OpTree& tree, const TimeSelection& selection = {});

// A trace with its trees and launches: what every table is made from.
struct AttributedTrace {
  const Trace& trace;
  OpTree tree;
  Attribution attribution;
  bool is_whole = true;  // nothing was left out of the trees and launches

  StringId name(NodeId node) const {
    return trace.slices().names[tree.slices[node.index()].index()];
  }
  std::int64_t host_ns(NodeId node) const {
    return trace.slices().durations_ns[tree.slices[node.index()].index()];
  }
  // Device work launched by the node itself, as indices into Attribution::Works.
  std::span<const std::uint32_t> works_of(NodeId node) const {
    const auto& works = attribution.works;
    const std::uint32_t position = tree.position_of(node);
    const std::uint32_t begin = works.visiting_begins[position];
    return std::span(works.visiting_order)
        .subspan(begin, works.visiting_begins[position + 1] - begin);
  }
  // The slice that launched a work: its call or, where that is not known, its owner. Invalid if
  // neither is known.
  SliceId launch_of(std::size_t work) const {
    const auto& works = attribution.works;
    if (const CallId call = works.calls[work]; call.valid()) {
      return attribution.calls.slices[call.index()];
    }
    const NodeId owner = works.owners[work];
    return owner.valid() ? tree.slices[owner.index()] : SliceId();
  }
  // Device time launched by the node itself.
  std::int64_t own_device_ns(NodeId node) const {
    const auto& works = attribution.works;
    const std::uint32_t position = tree.position_of(node);
    return works.device_sums_ns[works.visiting_begins[position + 1]] -
           works.device_sums_ns[works.visiting_begins[position]];
  }
  // Device time launched by the node and everything below it, whenever the device ran it; overlap
  // between streams is not removed.
  std::int64_t kernel_ns(NodeId node) const {
    return sum_below(node, attribution.works.kernel_sums_ns);
  }
  std::int64_t device_ns(NodeId node) const {
    return sum_below(node, attribution.works.device_sums_ns);
  }

  // See Attribution::Crossings; none for nearly every node.
  std::span<const Attribution::Crossings::Launch> crossing_launches_of(NodeId node) const {
    const Attribution::Crossings& crossings = attribution.crossings;
    if (crossings.nodes.empty()) return {};
    const auto found = std::lower_bound(crossings.nodes.begin(), crossings.nodes.end(), node);
    if (found == crossings.nodes.end() || *found != node) return {};
    const auto place = static_cast<std::size_t>(found - crossings.nodes.begin());
    const std::size_t begin = crossings.begins[place];
    return std::span(crossings.launches).subspan(begin, crossings.begins[place + 1] - begin);
  }

  // Under TreeRules::kCompatible the tables skip what happens outside every host range: works whose
  // owner is the thread itself count for kernels only. Where a step owns the launches of all
  // threads, they always count.
  bool counts_call(std::size_t call) const { return counts(attribution.calls.owners[call]); }
  bool counts_work(std::size_t work) const {
    return attribution.works.is_orphan(work) || counts(attribution.works.owners[work]);
  }

 private:
  std::int64_t sum_below(NodeId node, const std::vector<std::int64_t>& sums_ns) const {
    const auto& begins = attribution.works.visiting_begins;
    const std::uint32_t first = tree.position_of(node);
    const std::uint32_t nodes = tree.subtree_ends[node.index()].value - node.value;
    return sums_ns[begins[first + nodes]] - sums_ns[begins[first]];
  }
  bool counts(NodeId owner) const {
    return tree.rules == TreeRules::kStrobe || trace.traits().steps_cover_all_threads ||
           !tree.is_thread(owner);
  }
};

AttributedTrace attribute_trace(const Trace& trace, const TimeSelection& selection = {},
                                TreeRules rules = TreeRules::kStrobe);

}  // namespace strobe::analysis

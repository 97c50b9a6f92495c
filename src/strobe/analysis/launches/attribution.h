#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/launches/op_tree.h"
#include "strobe/analysis/timeline/time_selection.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

struct CallTag;
using CallId = Id<CallTag>;

// How it is known where device work comes from, best evidence first.
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
    std::vector<std::uint32_t> visiting_order;  // by the owner's visiting position, then the call's
                                                // start, then file order; orphans last
    // Where the works of the node at a visiting position begin in visiting_order; the orphans
    // follow the last node.
    std::vector<std::uint32_t> visiting_begins;
    // How long the first n works of visiting_order take together, for n from 0 to size(): the work
    // of a subtree is one range of visiting_order, so its time is one subtraction.
    std::vector<std::int64_t> kernel_sums_ns;
    std::vector<std::int64_t> device_sums_ns;  // the same with copies and memsets
    std::vector<std::uint32_t> time_order;     // by start
    std::size_t size() const { return slices.size(); }
    bool is_orphan(std::size_t work) const { return !owners[work].valid(); }
  };

  Calls calls;
  Works works;
  // Per memory event: the innermost node open at its time; invalid where its thread has no tree or
  // the event is not selected.
  std::vector<NodeId> memory_owners;
};

Attribution attribute(const Trace& trace, const OpTree& tree, const TimeSelection& selection = {});

}  // namespace strobe::analysis

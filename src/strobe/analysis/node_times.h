#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/attribution.h"
#include "strobe/analysis/op_tree.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// What every node of the trees cost, per node. Device times are those of the work launched,
// whenever the device ran it; overlap between streams is not removed.
struct NodeTimes {
  std::vector<std::int64_t> kernel_ns;     // launched at any depth
  std::vector<std::int64_t> device_ns;     // the same with copies and memsets
  std::vector<std::int64_t> self_host_ns;  // without children and runtime calls
};

NodeTimes add_up_nodes(const Trace& trace, const OpTree& tree, const Attribution& attribution);

}  // namespace strobe::analysis

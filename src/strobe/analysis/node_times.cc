#include "strobe/analysis/node_times.h"

namespace strobe::analysis {

NodeTimes add_up_nodes(const Trace& trace, const OpTree& tree, const Attribution& attribution) {
  const auto& slices = trace.slices();
  const auto& works = attribution.works;
  const auto& calls = attribution.calls;
  NodeTimes times;
  times.kernel_ns.resize(tree.size());
  times.device_ns.resize(tree.size());
  times.self_host_ns.resize(tree.size());
  for (std::size_t i = 0; i < works.size(); ++i) {
    const NodeId owner = works.owners[i];
    if (!owner.valid()) continue;
    const std::size_t row = works.slices[i].index();
    times.device_ns[owner.index()] += slices.durations_ns[row];
    if (slices.kinds[row] == SliceKind::kKernel) {
      times.kernel_ns[owner.index()] += slices.durations_ns[row];
    }
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    times.self_host_ns[calls.owners[i].index()] -= slices.durations_ns[calls.slices[i].index()];
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    const NodeId parent = tree.parents[i];
    if (!parent.valid()) continue;
    const std::int64_t host_ns = slices.durations_ns[tree.slices[i].index()];
    times.kernel_ns[parent.index()] += times.kernel_ns[i];
    times.device_ns[parent.index()] += times.device_ns[i];
    times.self_host_ns[i] += host_ns;
    times.self_host_ns[parent.index()] -= host_ns;
  }
  return times;
}

}  // namespace strobe::analysis

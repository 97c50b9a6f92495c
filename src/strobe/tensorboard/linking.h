#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "strobe/tensorboard/events.h"
#include "strobe/tensorboard/node.h"
#include "strobe/tensorboard/ranges.h"

namespace strobe::tensorboard {

// One call of a communication library.
struct CommNode {
  Link ext = kNoLink;
  EventId event;  // name, input_dims, input_types
  Number start;
  Number end;
  Ranges ranges;  // the host's own, then those of the device work it launched
};

// The nodes of one thread in order of time, before they become a tree.
struct ThreadNodes {
  std::int64_t thread = 0;
  std::vector<NodeId> nodes;
};

// Links each runtime call to the device work it launched, and to the node that made it.
struct Links {
  Forest forest;                               // nodes, runtimes and device work; no trees yet
  std::vector<ThreadNodes> threads;            // in order of first appearance
  std::vector<ThreadNodes> lightning_threads;  // of Lightning's own profiler
  std::map<std::int64_t, std::vector<RuntimeId>>
      root_runtimes;                        // calls without an operator, by thread
  std::vector<DeviceWorkId> stale_kernels;  // without a launch
  std::vector<CommNode> comm_nodes;         // one per external id, in order of first appearance
  std::set<CommLibrary> comm_libraries;
  std::set<std::string, std::less<>> device_pids;  // of all device work; JSON text
  bool uses_data_parallel = false;
  bool uses_distributed_data_parallel = false;

  const CommNode* comm_node(Link ext) const;  // null: this id does not belong to communication

 private:
  friend Links link(const Events& events, Variant variant);
  std::map<Link, std::size_t> comm_by_ext_;
};

Links link(const Events& events, Variant variant);

// PyTorch 2.0 to 2.2 wrote the correlation instead of the external id of a runtime call. Such a
// call gets the external id of the range around it: of the events around it on its thread, the last
// to begin that has one. Needs sorted events.
void link_repeated_correlations(Events& events);

// The same for every runtime call, as in one variant.
void link_all_by_nesting(Events& events);

}  // namespace strobe::tensorboard

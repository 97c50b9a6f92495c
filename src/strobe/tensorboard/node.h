#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "strobe/tensorboard/events.h"

// Operators with their runtime calls and the device work that these launched. Everything is in
// arenas and referred to by row, and walks use their own stack: traces nest to any depth.
namespace strobe::tensorboard {

struct NodeTag;
using NodeId = Id<NodeTag>;
struct RuntimeTag;
using RuntimeId = Id<RuntimeTag>;
struct DeviceWorkTag;
using DeviceWorkId = Id<DeviceWorkTag>;

// A kernel, copy or memset. Times and name are those of its event.
struct DeviceWork {
  EventId event;
  StringId op_name;             // the node that launched it, if any
  bool op_is_eligible = false;  // the launcher's own name is one that could use tensor cores
};

struct Runtime {
  EventId event;  // invalid: the dummy for stale kernels, without times
  std::vector<DeviceWorkId> launched;
  Number device_us;       // the sum over what it launched
  Number tensor_core_us;  // of that, kernels on tensor cores
};

enum class NodeClass : std::uint8_t {
  kOp,
  kStep,
  kModule,
  kLightningModule,
  kLoader,
  kOptimizer,
  kBackward,
};

struct Node {
  NodeClass node_class = NodeClass::kOp;
  EventType type = EventType::kOperator;
  bool is_eligible = false;  // could use tensor cores, itself or something below
  bool has_times = true;     // false: a root or backward node without children
  StringId name;
  StringId tid;   // JSON text as in the file
  EventId event;  // arguments; invalid for roots and backward nodes
  Number start;
  Number end;
  std::vector<NodeId> children;  // by start, ties longest first
  std::vector<RuntimeId> runtimes;

  Number host_self;
  Number device_total;
  Number device_self;
  Number tensor_core_total;
  Number tensor_core_self;

  Number host_total() const { return end - start; }
};

struct Tree {
  std::int64_t thread = 0;
  NodeId root;
};

struct Forest {
  std::vector<Node> nodes;  // including those of nodes in no tree
  std::vector<Runtime> runtimes;
  std::vector<DeviceWork> device_works;
  std::vector<Tree> trees;            // in order of first appearance of the threads
  std::vector<Tree> lightning_trees;  // over the ranges of Lightning's own profiler

  const Node& operator[](NodeId id) const { return nodes[id.index()]; }
  Node& operator[](NodeId id) { return nodes[id.index()]; }
  const Runtime& operator[](RuntimeId id) const { return runtimes[id.index()]; }
  const DeviceWork& operator[](DeviceWorkId id) const { return device_works[id.index()]; }
};

// The nodes that the operator tables count.
bool is_operator(const Node& node, const Events& events);

// "By start, ties longest first": the order of nodes, runtimes, ranges everywhere in the plugin.
template <class Span>
bool starts_before(const Span& a, const Span& b) {
  return a.start != b.start ? a.start < b.start : b.end < a.end;
}
inline bool starts_before(const Event& a, const Event& b) {
  return a.ts_us != b.ts_us ? a.ts_us < b.ts_us : b.end() < a.end();
}

// Calls enter(NodeId) before the children, which returns whether to visit them, and leave(NodeId)
// after them in any case. enter() may change children, but not below a node being visited.
template <class Enter, class Leave>
void walk(const Forest& forest, NodeId root, Enter&& enter, Leave&& leave) {
  std::vector<std::pair<NodeId, std::size_t>> open;  // with the next child to visit
  const auto push = [&](NodeId id) {
    open.emplace_back(id, enter(id) ? 0 : forest[id].children.size());
  };
  push(root);
  while (!open.empty()) {
    auto& [id, next] = open.back();
    if (next < forest[id].children.size()) {
      push(forest[id].children[next++]);
    } else {
      leave(id);
      open.pop_back();
    }
  }
}

}  // namespace strobe::tensorboard

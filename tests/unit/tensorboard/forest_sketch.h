#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/tensorboard/op_tree.h"

namespace strobe::tensorboard {

inline Range whole_range(double start, double end) {
  return {Number::whole(start), Number::whole(end)};
}

// Trees defined by hand: sketch.add(parent, "aten::mm", 10, 20).
class ForestSketch {
 public:
  NodeId tree(std::int64_t thread) {
    const NodeId root = make(kRootName, NodeClass::kOp, EventType::kPython, 0, 0, thread);
    links.forest[root].has_times = false;
    links.forest.trees.push_back({thread, root});
    links.threads.push_back({thread, {}});
    return root;
  }

  // Children come in order of time. The root spans from its first child to its last.
  NodeId add(NodeId parent, std::string_view name, double start, double end,
             NodeClass node_class = NodeClass::kOp) {
    const std::size_t tree = tree_of_.at(parent.index());
    const Tree& in = links.forest.trees[tree];
    const NodeId id = make(name, node_class, type_of(node_class), start, end, in.thread);
    tree_of_.back() = tree;
    links.forest[parent].children.push_back(id);
    links.threads[tree].nodes.push_back(id);
    if (parent == in.root) {
      Node& root = links.forest[parent];
      if (!root.has_times) root.start = links.forest[id].start;
      root.end = links.forest[id].end;
      root.has_times = true;
    }
    return id;
  }

  NodeId step(NodeId parent, int number, double start, double end) {
    return add(parent, "ProfilerStep#" + std::to_string(number), start, end, NodeClass::kStep);
  }
  NodeId module(NodeId parent, std::string_view name, double start, double end) {
    return add(parent, name, start, end, NodeClass::kModule);
  }
  NodeId engine(NodeId parent, std::string_view function, double start, double end) {
    return add(parent, "autograd::engine::evaluate_function: " + std::string(function), start, end);
  }

  void flow(double forward, double backward) {
    events.forward_backward.emplace_back(Number::whole(forward), Number::whole(backward));
  }

  void memory(std::string_view tid, double ts, double bytes, MemoryArgs args = {}) {
    Event event;
    event.type = EventType::kMemory;
    event.ts_us = ts;
    event.tid = events.texts.intern(tid);
    event.details = static_cast<std::uint32_t>(events.memory_args.size());
    args.bytes = bytes;
    events.memory_args.push_back(args);
    events.all.push_back(event);
  }

  // "name[child name[...] ...]", names without their common prefix.
  std::string text(NodeId id) const {
    std::string out;
    walk(
        links.forest, id,
        [&](NodeId node) {
          if (!out.empty() && out.back() != '[') out += ' ';
          out += short_name(events.text(links.forest[node].name));
          if (!links.forest[node].children.empty()) out += '[';
          return true;
        },
        [&](NodeId node) {
          if (!links.forest[node].children.empty()) out += ']';
        });
    return out;
  }
  std::string text() const { return text(links.forest.trees.front().root); }

  Links links;
  Events events;

 private:
  static EventType type_of(NodeClass node_class) {
    switch (node_class) {
      case NodeClass::kStep:
        return EventType::kProfilerStep;
      case NodeClass::kModule:
        return EventType::kModule;
      case NodeClass::kLightningModule:
        return EventType::kLightningModule;
      default:
        return EventType::kOperator;
    }
  }

  static std::string short_name(std::string_view name) {
    for (const std::string_view prefix :
         {std::string_view("autograd::engine::evaluate_function: "), std::string_view("aten::")}) {
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    return std::string(name == kRootName ? "root" : name);
  }

  NodeId make(std::string_view name, NodeClass node_class, EventType type, double start, double end,
              std::int64_t thread) {
    Node node;
    node.node_class = node_class;
    node.type = type;
    node.name = events.texts.intern(name);
    node.tid = events.texts.intern(std::to_string(thread));
    node.start = Number::whole(start);
    node.end = Number::whole(end);
    node.host_self = node.host_total();
    links.forest.nodes.push_back(std::move(node));
    tree_of_.resize(links.forest.nodes.size(), links.forest.trees.size());
    return NodeId(links.forest.nodes.size() - 1);
  }

  std::vector<std::size_t> tree_of_;  // by node
};

}  // namespace strobe::tensorboard

#include "strobe/tensorboard/backward_modules.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace strobe::tensorboard {
namespace {

constexpr std::string_view kEnginePrefix = "autograd::engine::evaluate_function:";
constexpr std::string_view kAccumulate =
    "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";

bool is_engine_node(const Node& node, const Events& events) {
  return events.text(node.name).starts_with(kEnginePrefix);
}

// Nodes without times come last.
void sort_nodes_by_start(const Forest& forest, std::vector<NodeId>& nodes) {
  std::ranges::stable_sort(nodes, [&](NodeId left, NodeId right) {
    const Node& a = forest[left];
    const Node& b = forest[right];
    if (!a.has_times || !b.has_times) return a.has_times && !b.has_times;
    return starts_before(a, b);
  });
}

std::optional<std::int64_t> engine_thread(const Forest& forest, const Events& events) {
  for (const Tree& tree : forest.trees) {
    for (const NodeId child : forest[tree.root].children) {
      if (is_engine_node(forest[child], events)) return tree.thread;
    }
  }
  return std::nullopt;
}

NodeId main_root(const Links& links, const Events& events) {
  const Forest& forest = links.forest;
  const auto has_step = [&](const ThreadNodes& thread) {
    return std::ranges::any_of(thread.nodes,
                               [&](NodeId id) { return is_step(events.text(forest[id].name)); });
  };
  for (auto thread = links.threads.rbegin(); thread != links.threads.rend(); ++thread) {
    if (!has_step(*thread)) continue;
    const auto tree = std::ranges::find(forest.trees, thread->thread, &Tree::thread);
    if (tree != forest.trees.end()) return tree->root;
  }
  if (forest.trees.size() == 1) return forest.trees.front().root;

  const auto left_out = engine_thread(forest, events);
  NodeId longest;
  for (const Tree& tree : forest.trees) {
    if (tree.thread == left_out || !forest[tree.root].has_times) continue;
    if (!longest.valid() || forest[longest].host_total() < forest[tree.root].host_total()) {
      longest = tree.root;
    }
  }
  return longest;
}

// The nodes directly below the roots and below steps.
struct TopNodes {
  std::vector<NodeId> modules;
  std::vector<std::pair<NodeId, NodeId>> engine_nodes;  // parent, node
};

TopNodes find_top_nodes(const Forest& forest, const Events& events) {
  TopNodes top;
  for (const Tree& tree : forest.trees) {
    std::vector<NodeId> parents = {NodeId()};
    walk(
        forest, tree.root,
        [&](NodeId id) {
          const Node& node = forest[id];
          const bool is_entered = id == tree.root || node.node_class == NodeClass::kStep;
          if (node.node_class == NodeClass::kModule) {
            top.modules.push_back(id);
          } else if (!is_entered && is_engine_node(node, events)) {
            top.engine_nodes.emplace_back(parents.back(), id);
          }
          parents.push_back(id);
          return is_entered;
        },
        [&](NodeId) { parents.pop_back(); });
  }
  return top;
}

// The removed nodes, those of one parent together, parents by their first node.
std::vector<NodeId> take_out(Forest& forest,
                             const std::vector<std::pair<NodeId, NodeId>>& engine_nodes) {
  std::vector<std::pair<NodeId, std::vector<NodeId>>> by_parent;
  std::unordered_map<NodeId, std::size_t> places;
  std::unordered_set<NodeId> gone;
  for (const auto& [parent, node] : engine_nodes) {
    const auto [place, is_new] = places.emplace(parent, by_parent.size());
    if (is_new) by_parent.emplace_back(parent, std::vector<NodeId>());
    by_parent[place->second].second.push_back(node);
    gone.insert(node);
  }
  std::vector<NodeId> removed;
  for (const auto& [parent, nodes] : by_parent) {
    std::erase_if(forest[parent].children, [&](NodeId id) { return gone.contains(id); });
    removed.insert(removed.end(), nodes.begin(), nodes.end());
  }
  return removed;
}

using ParentByStart = std::unordered_map<double, NodeId>;

ParentByStart parents_by_start(const Forest& forest, const std::vector<NodeId>& removed) {
  ParentByStart parents;
  for (const NodeId root : removed) {
    std::vector<NodeId> above;
    walk(
        forest, root,
        [&](NodeId id) {
          if (!above.empty()) parents.emplace(forest[id].start.value, above.back());
          above.push_back(id);
          return true;
        },
        [&](NodeId) { above.pop_back(); });
  }
  return parents;
}

using Group = std::vector<NodeId>;

std::vector<Group> group(const Forest& forest, const Events& events,
                         const std::vector<NodeId>& removed) {
  std::vector<Group> groups;
  for (const NodeId id : removed) {
    if (groups.empty() || events.text(forest[id].name) != kAccumulate) groups.emplace_back();
    groups.back().push_back(id);
  }
  return groups;
}

// Data of the forward operators that start at a time.
using GroupByForward = std::unordered_map<double, Group>;

GroupByForward match_forward(const Forest& forest, const Events& events,
                             const std::vector<NodeId>& removed) {
  const ParentByStart parents = parents_by_start(forest, removed);
  const auto parent_of = [&](Number start) {
    const auto found = parents.find(start.value);
    return found == parents.end() ? NodeId() : found->second;
  };
  std::unordered_map<NodeId, Group> by_head;
  for (Group& members : group(forest, events, removed)) {
    const NodeId head = members.front();
    by_head.emplace(head, std::move(members));
  }

  GroupByForward matched;
  for (const auto& [forward, backward] : events.forward_backward) {
    NodeId engine = parent_of(backward);
    while (engine.valid() && !is_engine_node(forest[engine], events)) {
      engine = parent_of(forest[engine].start);
    }
    const auto found = by_head.find(engine);
    if (found == by_head.end()) continue;
    matched.emplace(forward.value, std::move(found->second));
    by_head.erase(found);
  }
  return matched;
}

void fill_from_children(Forest& forest, NodeId id) {
  Node& node = forest[id];
  sort_nodes_by_start(forest, node.children);
  const Node& first = forest[node.children.front()];
  node.tid = first.tid;
  node.has_times = first.has_times;
  node.start = first.start;
  for (const NodeId child : node.children) {
    if (forest[child].has_times) node.end = forest[child].end;
  }
  node.host_self = node.host_total();
  for (const NodeId child_id : node.children) {
    const Node& child = forest[child_id];
    node.device_total += child.device_total;
    node.tensor_core_total += child.tensor_core_total;
    node.host_self -= child.host_total();
    node.is_eligible |= child.is_eligible;
  }
}

class BackwardBuilder {
 public:
  BackwardBuilder(Forest& forest, Events& events, const GroupByForward& groups,
                  const VariantRules& rules)
      : forest_(forest), events_(events), groups_(groups), rules_(rules) {}

  void build(NodeId module) {
    walk(
        forest_, module, [&](NodeId id) { return enter(id); }, [&](NodeId id) { leave(id); });
  }

  std::vector<NodeId> take_top() { return std::move(top_); }

 private:
  bool enter(NodeId id) {
    if (forest_[id].node_class == NodeClass::kModule) {
      const NodeId made = make_node(id);
      siblings().push_back(made);
      open_.push_back(made);
    } else if (is_operator(forest_[id], events_)) {
      const auto found = groups_.find(forest_[id].start.value);
      if (found != groups_.end()) {
        auto& children = forest_[open_.back()].children;
        children.insert(children.end(), found->second.begin(), found->second.end());
      }
    }
    return true;
  }

  void leave(NodeId id) {
    if (forest_[id].node_class != NodeClass::kModule) return;
    const NodeId made = open_.back();
    open_.pop_back();
    if (!forest_[made].children.empty()) {
      fill_from_children(forest_, made);
    } else if (rules_.drops_childless_backward) {
      siblings().pop_back();
    }
  }

  NodeId make_node(NodeId module_id) {
    const Node& module = forest_[module_id];
    Node node;
    node.node_class = NodeClass::kBackward;
    node.type = EventType::kBackward;
    node.name = events_.texts.intern(std::string(events_.text(module.name)) + ".backward");
    if (rules_.backward_starts_empty) {
      node.has_times = false;
      node.tid = events_.texts.intern("0");
    } else {
      node.tid = module.tid;
      node.start = module.start;
      node.end = module.end;
    }
    forest_.nodes.push_back(std::move(node));
    return NodeId(forest_.nodes.size() - 1);
  }

  std::vector<NodeId>& siblings() { return open_.empty() ? top_ : forest_[open_.back()].children; }

  Forest& forest_;
  Events& events_;
  const GroupByForward& groups_;
  const VariantRules& rules_;
  std::vector<NodeId> top_;
  std::vector<NodeId> open_;
};

// One walk for all nodes, from left to right: the position is kept from one node to the next.
void insert(Forest& forest, NodeId root, std::vector<NodeId> nodes) {
  std::erase_if(nodes, [&](NodeId id) { return !forest[id].has_times; });
  sort_nodes_by_start(forest, nodes);
  std::vector<std::pair<NodeId, std::size_t>> above;
  NodeId current = root;
  std::size_t next = 0;
  for (const NodeId id : nodes) {
    const Number start = forest[id].start;
    const Number end = forest[id].end;
    if (end < forest[current].start) continue;
    while (start > forest[current].end) {
      if (above.empty()) return;
      std::tie(current, next) = above.back();
      above.pop_back();
      ++next;
    }
    while (next < forest[current].children.size()) {
      const Node& child = forest[forest[current].children[next]];
      if (end < child.start) break;
      if (start >= child.end) {
        ++next;
        continue;
      }
      above.emplace_back(current, next);
      current = forest[current].children[next];
      next = 0;
    }
    auto& children = forest[current].children;
    children.insert(children.begin() + static_cast<std::ptrdiff_t>(next), id);
    ++next;
  }
}

}  // namespace

void add_backward_modules(Links& links, Events& events, const VariantRules& rules) {
  Forest& forest = links.forest;
  if (events.forward_backward.empty()) return;
  const NodeId main = main_root(links, events);
  const TopNodes top = find_top_nodes(forest, events);
  if (top.modules.empty() || top.engine_nodes.empty()) return;

  const std::vector<NodeId> removed = take_out(forest, top.engine_nodes);
  const GroupByForward groups = match_forward(forest, events, removed);
  if (!groups.empty()) {
    BackwardBuilder builder(forest, events, groups, rules);
    for (const NodeId module : top.modules) builder.build(module);
    if (main.valid() && forest[main].has_times) insert(forest, main, builder.take_top());
  }
  std::erase_if(forest.trees, [&](const Tree& tree) { return forest[tree.root].children.empty(); });
}

}  // namespace strobe::tensorboard

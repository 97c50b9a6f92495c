#include "strobe/tensorboard/op_tree.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "strobe/tensorboard/tensor_cores.h"

namespace strobe::tensorboard {
namespace {

// A test of names, evaluated once for each.
template <bool (*ask)(std::string_view)>
class NameMemo {
 public:
  explicit NameMemo(const Events& events) : events_(events) {}

  bool operator()(StringId name) {
    const auto [known, is_new] = answers_.try_emplace(name, false);
    if (is_new) known->second = ask(events_.text(name));
    return known->second;
  }

 private:
  const Events& events_;
  std::unordered_map<StringId, bool> answers_;
};

class TreeBuilder {
 public:
  TreeBuilder(Forest& forest, const Events& events, const VariantRules& rules, StringId root_name)
      : forest_(forest),
        events_(events),
        rules_(rules),
        root_name_(root_name),
        uses_(events),
        could_use_(events) {}

  Tree build(ThreadNodes thread, StringId tid, std::vector<RuntimeId> root_runtimes) {
    std::ranges::stable_sort(
        thread.nodes, [&](NodeId a, NodeId b) { return starts_before(forest_[a], forest_[b]); });
    const NodeId root(forest_.nodes.size());
    Node& node = forest_.nodes.emplace_back();
    node.type = EventType::kPython;
    node.name = root_name_;
    node.tid = tid;
    node.runtimes = std::move(root_runtimes);
    nest(root, thread.nodes);
    merge_repeats(root);
    close_root(root);
    walk(
        forest_, root, [](NodeId) { return true; }, [&](NodeId id) { add_statistics(id); });
    return {.thread = thread.thread, .root = root};
  }

 private:
  // A node that ends after its parent is dropped; its children move one level up.
  void nest(NodeId root, const std::vector<NodeId>& sorted) {
    std::vector<NodeId> open;
    for (const NodeId id : sorted) {
      const Node& node = forest_[id];
      while (!open.empty() && !(node.start < forest_[open.back()].end)) open.pop_back();
      if (!open.empty() && node.end > forest_[open.back()].end) continue;
      forest_[open.empty() ? root : open.back()].children.push_back(id);
      open.push_back(id);
    }
  }

  const Node* only_repeat(const Node& node) const {
    if (node.type != EventType::kOperator || node.children.size() != 1) return nullptr;
    const Node& child = forest_[node.children[0]];
    return child.type == EventType::kOperator && child.name == node.name ? &child : nullptr;
  }

  void merge_repeats(NodeId root) {
    const auto absorb = [&](NodeId id) {
      Node& node = forest_[id];
      while (const Node* const repeat = only_repeat(node)) {
        node.runtimes = repeat->runtimes;
        node.children = std::vector(repeat->children);
      }
      return true;
    };
    walk(forest_, root, absorb, [](NodeId) {});
  }

  void close_root(NodeId id) {
    Node& root = forest_[id];
    root.has_times = !root.children.empty();
    if (!root.has_times) return;
    root.start = forest_[root.children.front()].start;
    root.end = forest_[root.children.back()].end;
  }

  void add_statistics(NodeId id) {
    Node& node = forest_[id];
    const bool own_name_could_use = rules_.has_tensor_cores && could_use_(node.name);
    node.is_eligible = own_name_could_use;
    node.host_self = node.end - node.start;
    for (const NodeId child_id : node.children) {
      const Node& child = forest_[child_id];
      node.host_self -= child.host_total();
      node.device_total += child.device_total;
      node.tensor_core_total += child.tensor_core_total;
      if (node.type == EventType::kOperator && child.is_eligible) node.is_eligible = true;
    }
    sort_runtimes(node);
    subtract_calls(node);
    for (const RuntimeId runtime_id : node.runtimes) {
      Runtime& runtime = forest_.runtimes[runtime_id.index()];
      measure(runtime, node, own_name_could_use);
      node.device_total += runtime.device_us;
      node.device_self += runtime.device_us;
      node.tensor_core_total += runtime.tensor_core_us;
      node.tensor_core_self += runtime.tensor_core_us;
      if (node.type == EventType::kOperator && runtime.tensor_core_us.value > 0) {
        node.is_eligible = true;
      }
    }
    if (node.node_class == NodeClass::kModule || node.node_class == NodeClass::kLightningModule) {
      Number below;
      for (const NodeId child : node.children) {
        if (is_operator(forest_[child], events_)) below += forest_[child].device_total;
      }
      node.device_self += below;
    }
  }

  void subtract_calls(Node& node) {
    const Event* before = nullptr;
    for (const RuntimeId id : node.runtimes) {
      if (!forest_[id].event.valid()) continue;
      const Event& call = events_[forest_[id].event];
      if (rules_.nested_calls_count_once) {
        const bool is_nested =
            before != nullptr && call.ts_us >= before->ts_us && call.end() <= before->end();
        if (is_nested) continue;
        before = &call;
      }
      node.host_self -= call.end() - call.start();
    }
  }

  // By start, ties longest first; the dummy comes last.
  void sort_runtimes(Node& node) {
    std::ranges::stable_sort(node.runtimes, [&](RuntimeId a, RuntimeId b) {
      const EventId first = forest_[a].event;
      const EventId second = forest_[b].event;
      if (!first.valid() || !second.valid()) return first.valid();
      return starts_before(events_[first], events_[second]);
    });
  }

  void measure(Runtime& runtime, const Node& launcher, bool launcher_could_use) {
    runtime.device_us = runtime.tensor_core_us = Number();
    for (const DeviceWorkId id : runtime.launched) {
      DeviceWork& work = forest_.device_works[id.index()];
      work.op_name = launcher.name;
      work.op_is_eligible = launcher_could_use;
      const Event& event = events_[work.event];
      const Number duration = event.end() - event.start();
      runtime.device_us += duration;
      if (rules_.has_tensor_cores && uses_(event.name)) runtime.tensor_core_us += duration;
    }
  }

  Forest& forest_;
  const Events& events_;
  const VariantRules& rules_;
  const StringId root_name_;
  NameMemo<kernel_uses_tensor_cores> uses_;
  NameMemo<operator_could_use_tensor_cores> could_use_;
};

bool has_step(const ThreadNodes& thread, const Forest& forest, const Events& events) {
  return std::ranges::any_of(thread.nodes,
                             [&](NodeId id) { return is_step(events.text(forest[id].name)); });
}

}  // namespace

void build_trees(Links& links, Events& events, const VariantRules& rules) {
  Forest& forest = links.forest;
  std::vector<DeviceWorkId> stale = links.stale_kernels;
  std::ranges::stable_sort(stale, [&](DeviceWorkId a, DeviceWorkId b) {
    return starts_before(events[forest[a].event], events[forest[b].event]);
  });
  const StringId root_name = events.texts.intern(kRootName);
  const auto tid_of = [&](std::int64_t thread) {
    return events.texts.intern(fmt::format("{}", thread));
  };
  TreeBuilder builder(forest, events, rules, root_name);
  for (const ThreadNodes& thread : links.threads) {
    std::vector<RuntimeId> runtimes;
    if (const auto calls = links.root_runtimes.find(thread.thread);
        calls != links.root_runtimes.end()) {
      runtimes = calls->second;
    }
    if (!stale.empty() && has_step(thread, forest, events)) {
      runtimes.emplace_back(forest.runtimes.size());
      forest.runtimes.emplace_back().launched = stale;
    }
    forest.trees.push_back(builder.build(thread, tid_of(thread.thread), std::move(runtimes)));
  }
  for (const ThreadNodes& thread : links.lightning_threads) {
    forest.lightning_trees.push_back(builder.build(thread, tid_of(thread.thread), {}));
  }
}

bool is_operator(const Node& node, const Events& events) {
  if (node.node_class != NodeClass::kOp || node.type != EventType::kOperator) return false;
  const std::string_view name = events.text(node.name);
  return name != "DataParallel.forward" && name != "DistributedDataParallel.forward" &&
         !name.starts_with("Optimizer.");
}

}  // namespace strobe::tensorboard

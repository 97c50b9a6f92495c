#include "strobe/tensorboard/operator_groups.h"

#include <array>
#include <unordered_map>

namespace strobe::tensorboard {
namespace {

// Name, shape and call stack; a part that a grouping ignores is kNone.
using Key = std::array<std::uint32_t, 3>;

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = 0;
    for (const std::uint32_t part : key) hash = (hash ^ part) * 0x9E3779B97F4A7C15;
    return static_cast<std::size_t>(hash ^ hash >> 32);
  }
};

class Grouping {
 public:
  Grouping(std::vector<OperatorGroup>& groups, bool by_shape, bool by_stack)
      : groups_(groups), by_shape_(by_shape), by_stack_(by_stack) {}

  void add(const Node& node, StringId stack, std::uint32_t shape_row, const std::string& shape) {
    if (by_stack_ && !stack.valid()) return;
    const Key key{node.name.value, by_shape_ ? shape_row : StringId::kNone,
                  by_stack_ ? stack.value : StringId::kNone};
    const auto [row, is_new] = rows_.try_emplace(key, groups_.size());
    if (is_new) {
      OperatorGroup& group = groups_.emplace_back();
      group.name = node.name;
      group.input_shape = shape;
      if (by_stack_) group.call_stack = stack;
      group.is_eligible = node.is_eligible;
    }
    OperatorGroup& group = groups_[row->second];
    ++group.calls;
    group.host_total += node.host_total();
    group.device_total += node.device_total;
    group.host_self += node.host_self;
    group.device_self += node.device_self;
    group.tensor_core_self += node.tensor_core_self;
    group.tensor_core_total += node.tensor_core_total;
  }

 private:
  std::vector<OperatorGroup>& groups_;
  const bool by_shape_;
  const bool by_stack_;
  std::unordered_map<Key, std::size_t, KeyHash> rows_;
};

// Shapes with the same text count as one, however the file wrote them.
class Shapes {
 public:
  explicit Shapes(const Events& events) : events_(events) {}

  std::uint32_t row_of(const Event& event) {
    const StringId dims = events_.operators(event).input_dims;
    const auto [known, is_new] = row_of_dims_.try_emplace(dims, 0);
    if (is_new) known->second = shapes_.intern(events_.input_shape(event)).value;
    return known->second;
  }
  std::string text(std::uint32_t row) const { return std::string(shapes_[StringId(row)]); }

 private:
  const Events& events_;
  StringPool shapes_;
  std::unordered_map<StringId, std::uint32_t> row_of_dims_;
};

}  // namespace

TreeOrder tree_order(const Forest& forest, const Events& events) {
  TreeOrder order;
  const auto leave = [&](NodeId id) {
    for (const RuntimeId runtime : forest[id].runtimes) {
      for (const DeviceWorkId work : forest[runtime].launched) {
        if (events[forest[work].event].type == EventType::kKernel) order.kernels.push_back(work);
      }
    }
    if (is_operator(forest[id], events)) order.operators.push_back(id);
  };
  for (const Tree& tree : forest.trees) {
    walk(
        forest, tree.root, [](NodeId) { return true; }, leave);
  }
  return order;
}

OperatorGroups group_operators(const Forest& forest, const Events& events,
                               const std::vector<NodeId>& operators) {
  OperatorGroups groups;
  Grouping groupings[] = {{groups.by_name, false, false},
                          {groups.by_shape, true, false},
                          {groups.by_name_and_stack, false, true},
                          {groups.by_shape_and_stack, true, true}};
  Shapes shapes(events);
  for (const NodeId id : operators) {
    const Node& node = forest[id];
    const Event& event = events[node.event];
    const std::uint32_t shape = shapes.row_of(event);
    const std::string shape_text = shapes.text(shape);
    for (Grouping& grouping : groupings) {
      grouping.add(node, events.operators(event).call_stack, shape, shape_text);
    }
  }
  return groups;
}

}  // namespace strobe::tensorboard

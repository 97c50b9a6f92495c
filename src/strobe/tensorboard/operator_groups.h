#pragma once

#include <string>
#include <vector>

#include "strobe/tensorboard/node.h"

namespace strobe::tensorboard {

// Operators that share one row.
struct OperatorGroup {
  StringId name;
  std::string input_shape;   // repr of the first member's shape
  StringId call_stack;       // groupings by stack only
  bool is_eligible = false;  // of the first member
  std::size_t calls = 0;
  Number host_total;
  Number device_total;
  Number host_self;
  Number device_self;
  Number tensor_core_self;
  Number tensor_core_total;
};

struct OperatorGroups {
  std::vector<OperatorGroup> by_name;
  std::vector<OperatorGroup> by_shape;
  std::vector<OperatorGroup> by_name_and_stack;  // without operators that have no stack
  std::vector<OperatorGroup> by_shape_and_stack;
};

// Operators and launched kernels of all trees, each in post order of its tree: children, then the
// node's own kernels, then the node.
struct TreeOrder {
  std::vector<NodeId> operators;
  std::vector<DeviceWorkId> kernels;
};
TreeOrder tree_order(const Forest& forest, const Events& events);

OperatorGroups group_operators(const Forest& forest, const Events& events,
                               const std::vector<NodeId>& operators);

}  // namespace strobe::tensorboard

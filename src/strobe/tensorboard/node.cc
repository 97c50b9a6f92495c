#include "strobe/tensorboard/node.h"

namespace strobe::tensorboard {

bool is_operator(const Node& node, const Events& events) {
  if (node.node_class != NodeClass::kOp || node.type != EventType::kOperator) return false;
  const std::string_view name = events.text(node.name);
  return name != "DataParallel.forward" && name != "DistributedDataParallel.forward" &&
         !name.starts_with("Optimizer.");
}

}  // namespace strobe::tensorboard

#include "strobe/bench/cases/case_info.h"

#include <algorithm>
#include <map>
#include <utility>

#include "strobe/base/check.h"

namespace strobe::bench {
namespace {

// Appends operators to one expression; a tensor made by an earlier operator becomes its node.
class Fuser {
 public:
  void append(const Operator& op) {
    std::vector<NodeIndex> place(op.expression.nodes.size());
    const auto moved = [&](NodeIndex node) {
      return node == kNoNode ? kNoNode : place[static_cast<std::size_t>(node)];
    };
    for (std::size_t i = 0; i < op.expression.nodes.size(); ++i) {
      Node node = op.expression.nodes[i];
      if (node.op == Op::kInput) {
        place[i] = input(op.expression.inputs[static_cast<std::size_t>(node.input)]);
        continue;
      }
      node.a = moved(node.a);
      node.b = moved(node.b);
      place[i] = add(node);
    }
    for (const Output& output : op.expression.outputs) {
      tensors_[output.tensor.name] = moved(output.node);
      made_.push_back({output.tensor, moved(output.node)});
    }
  }

  // Tensors that no operator reads are the outputs.
  Expression finish() && {
    for (Output& output : made_) {
      if (!std::ranges::count(read_, output.tensor.name))
        whole_.outputs.push_back(std::move(output));
    }
    return std::move(whole_);
  }

 private:
  NodeIndex input(const Tensor& tensor) {
    read_.push_back(tensor.name);
    const auto known = tensors_.find(tensor.name);
    if (known != tensors_.end()) return known->second;
    whole_.inputs.push_back(tensor);
    const NodeIndex node = add({.op = Op::kInput,
                                .extent = tensor.extent,
                                .input = static_cast<std::int32_t>(whole_.inputs.size() - 1)});
    return tensors_[tensor.name] = node;
  }

  NodeIndex add(const Node& node) {
    const auto same = std::ranges::find(whole_.nodes, node);
    if (same != whole_.nodes.end()) return static_cast<NodeIndex>(same - whole_.nodes.begin());
    whole_.nodes.push_back(node);
    return static_cast<NodeIndex>(whole_.nodes.size() - 1);
  }

  Expression whole_;
  std::map<std::string, NodeIndex> tensors_;
  std::vector<std::string> read_;
  std::vector<Output> made_;
};

}  // namespace

Expression fused(const CaseInfo& info) {
  STROBE_CHECK(!info.operators.empty(), "only cases over rows are expressions");
  Fuser fusion;
  for (const Operator& op : info.operators) fusion.append(op);
  return std::move(fusion).finish();
}

std::size_t axes_of(CaseKind kind) {
  switch (kind) {
    case CaseKind::kRows:
      return 2;
    case CaseKind::kMatmul:
      return 3;
    case CaseKind::kConvolution:
      return 7;
    case CaseKind::kAttention:
      return 4;
  }
  return 0;
}

std::int64_t convolved(std::int64_t length, std::int64_t window, std::int64_t stride) {
  return (length + 2 * (window / 2) - window) / stride + 1;
}

}  // namespace strobe::bench

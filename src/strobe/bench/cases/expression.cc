#include "strobe/bench/cases/expression.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "strobe/base/check.h"
#include "strobe/bench/cases/case_info.h"

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

bool Expression::has_reduction() const {
  return std::ranges::any_of(
      nodes, [](const Node& node) { return node.op == Op::kRowSum || node.op == Op::kRowMax; });
}

int Expression::dependent_reductions() const {
  std::vector<int> depth(nodes.size(), 0);
  int deepest = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (node.a != kNoNode) depth[i] = std::max(depth[i], depth[static_cast<std::size_t>(node.a)]);
    if (node.b != kNoNode) depth[i] = std::max(depth[i], depth[static_cast<std::size_t>(node.b)]);
    if (node.op == Op::kRowSum || node.op == Op::kRowMax) ++depth[i];
    deepest = std::max(deepest, depth[i]);
  }
  return deepest;
}

const Node* Expression::dropout() const {
  const auto found = std::ranges::find(nodes, Op::kDropout, &Node::op);
  return found == nodes.end() ? nullptr : &*found;
}

Value ExpressionBuilder::input(Tensor tensor) {
  const Extent extent = tensor.extent;
  expression_.inputs.push_back(std::move(tensor));
  expression_.nodes.push_back({.op = Op::kInput,
                               .extent = extent,
                               .input = static_cast<std::int32_t>(expression_.inputs.size() - 1)});
  return {this, static_cast<NodeIndex>(expression_.nodes.size() - 1)};
}

Value ExpressionBuilder::constant(double value) {
  expression_.nodes.push_back({.op = Op::kConst, .constant = value});
  return {this, static_cast<NodeIndex>(expression_.nodes.size() - 1)};
}

Value ExpressionBuilder::column_count() {
  expression_.nodes.push_back({.op = Op::kColumnCount});
  return {this, static_cast<NodeIndex>(expression_.nodes.size() - 1)};
}

Value ExpressionBuilder::unary(Op op, Value a) {
  const Extent extent = expression_.nodes[static_cast<std::size_t>(a.node)].extent;
  expression_.nodes.push_back({.op = op, .extent = extent, .a = a.node});
  return {this, static_cast<NodeIndex>(expression_.nodes.size() - 1)};
}

Value ExpressionBuilder::binary(Op op, Value a, Value b) {
  const Extent of_a = expression_.nodes[static_cast<std::size_t>(a.node)].extent;
  const Extent of_b = expression_.nodes[static_cast<std::size_t>(b.node)].extent;
  const bool is_outer = (of_a == Extent::kRows && of_b == Extent::kColumns) ||
                        (of_a == Extent::kColumns && of_b == Extent::kRows);
  const Extent extent = is_outer ? Extent::kElements : std::max(of_a, of_b);
  expression_.nodes.push_back({.op = op, .extent = extent, .a = a.node, .b = b.node});
  return {this, static_cast<NodeIndex>(expression_.nodes.size() - 1)};
}

Value ExpressionBuilder::row(Op op, Value a) {
  expression_.nodes.push_back({.op = op, .extent = Extent::kRows, .a = a.node});
  return {this, static_cast<NodeIndex>(expression_.nodes.size() - 1)};
}

Value ExpressionBuilder::dropout(Value a, double p) {
  expression_.nodes.push_back(
      {.op = Op::kDropout, .extent = Extent::kElements, .a = a.node, .constant = p});
  return {this, static_cast<NodeIndex>(expression_.nodes.size() - 1)};
}

void ExpressionBuilder::output(Tensor tensor, Value value) {
  expression_.outputs.push_back({std::move(tensor), value.node});
}

Expression ExpressionBuilder::build() && { return std::move(expression_); }

Value operator+(Value a, Value b) { return a.builder->binary(Op::kAdd, a, b); }
Value operator-(Value a, Value b) { return a.builder->binary(Op::kSub, a, b); }
Value operator*(Value a, Value b) { return a.builder->binary(Op::kMul, a, b); }
Value operator/(Value a, Value b) { return a.builder->binary(Op::kDiv, a, b); }
Value operator+(Value a, double b) { return a + a.builder->constant(b); }
Value operator*(Value a, double b) { return a * a.builder->constant(b); }
Value max(Value a, Value b) { return a.builder->binary(Op::kMax, a, b); }
Value cos(Value a) { return a.builder->unary(Op::kCos, a); }
Value exp(Value a) { return a.builder->unary(Op::kExp, a); }
Value tanh(Value a) { return a.builder->unary(Op::kTanh, a); }
Value relu(Value a) { return a.builder->unary(Op::kRelu, a); }
Value rsqrt(Value a) { return a.builder->unary(Op::kRsqrt, a); }
Value row_sum(Value a) { return a.builder->row(Op::kRowSum, a); }
Value row_max(Value a) { return a.builder->row(Op::kRowMax, a); }
Value dropout(Value a, double p) { return a.builder->dropout(a, p); }

Expression fused(const CaseInfo& info) {
  STROBE_CHECK(!info.operators.empty(), "only cases over rows are expressions");
  Fuser fusion;
  for (const Operator& op : info.operators) fusion.append(op);
  return std::move(fusion).finish();
}

}  // namespace strobe::bench

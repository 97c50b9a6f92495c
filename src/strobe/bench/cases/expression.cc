#include "strobe/bench/cases/expression.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strobe::bench {
namespace {

double larger(double a, double b) { return a > b || std::isnan(a) ? a : b; }
double smaller(double a, double b) { return a < b || std::isnan(a) ? a : b; }

}  // namespace

double applied(Op op, double a, double b) {
  switch (op) {
    case Op::kCos:
      return std::cos(a);
    case Op::kExp:
      return std::exp(a);
    case Op::kTanh:
      return std::tanh(a);
    case Op::kRelu:
      return larger(a, 0);
    case Op::kNeg:
      return -a;
    case Op::kRsqrt:
      return 1 / std::sqrt(a);
    case Op::kRecip:
      return 1 / a;
    case Op::kAdd:
      return a + b;
    case Op::kSub:
      return a - b;
    case Op::kMul:
      return a * b;
    case Op::kDiv:
      return a / b;
    case Op::kMax:
      return larger(a, b);
    case Op::kMin:
      return smaller(a, b);
    default:
      return a;
  }
}

StoredSize stored_size(const Tensor& tensor, std::int64_t rows, std::int64_t columns) {
  switch (tensor.extent) {
    case Extent::kScalar:
      return {1, 1};
    case Extent::kColumns:
      return {1, columns};
    case Extent::kRows:
      return {rows, 1};
    case Extent::kElements:
      break;
  }
  return tensor.is_transposed ? StoredSize{columns, rows} : StoredSize{rows, columns};
}

bool Expression::has_reduction() const { return std::ranges::any_of(nodes, is_reduction); }

std::vector<int> Expression::reduction_depths() const {
  std::vector<int> depths(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const NodeIndex operand : {nodes[i].a, nodes[i].b}) {
      if (operand == kNoNode) continue;
      depths[i] = std::max(depths[i], depths[static_cast<std::size_t>(operand)]);
    }
    if (is_reduction(nodes[i])) ++depths[i];
  }
  return depths;
}

int Expression::dependent_reductions() const {
  const std::vector<int> depths = reduction_depths();
  return depths.empty() ? 0 : std::ranges::max(depths);
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

}  // namespace strobe::bench

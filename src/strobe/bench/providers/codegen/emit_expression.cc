#include "strobe/bench/providers/codegen/emit_expression.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "strobe/base/check.h"
#include "strobe/bench/providers/codegen/source_text.h"
#include "strobe/bench/reference/dropout.h"

namespace strobe::bench {
namespace {

class Simplifier {
 public:
  Simplifier(const Expression& from, std::int64_t columns)
      : from_(from), columns_(static_cast<double>(columns)) {}

  Expression run() && {
    mark_needed();
    place_.assign(from_.nodes.size(), kNoNode);
    for (std::size_t i = 0; i < from_.nodes.size(); ++i) {
      if (is_needed_[i]) place_[i] = rewritten(from_.nodes[i]);
    }
    to_.inputs = from_.inputs;
    for (const Output& output : from_.outputs) {
      to_.outputs.push_back({output.tensor, place_[static_cast<std::size_t>(output.node)]});
    }
    return std::move(to_);
  }

 private:
  void mark_needed() {
    is_needed_.assign(from_.nodes.size(), false);
    for (const Output& output : from_.outputs)
      is_needed_[static_cast<std::size_t>(output.node)] = true;
    for (std::size_t i = from_.nodes.size(); i-- > 0;) {
      if (!is_needed_[i]) continue;
      for (const NodeIndex operand : {from_.nodes[i].a, from_.nodes[i].b}) {
        if (operand != kNoNode) is_needed_[static_cast<std::size_t>(operand)] = true;
      }
    }
  }

  NodeIndex rewritten(Node node) {
    if (node.a != kNoNode) node.a = place_[static_cast<std::size_t>(node.a)];
    if (node.b != kNoNode) node.b = place_[static_cast<std::size_t>(node.b)];
    if (node.op == Op::kColumnCount) return constant(columns_);
    if (node.op == Op::kDiv) {
      const Node divisor = node_of(to_, node.b);
      if (divisor.op == Op::kConst) {
        node.op = Op::kMul;
        node.b = constant(1.0 / divisor.constant);
      } else if (divisor.extent == Extent::kRows) {
        node.op = Op::kMul;
        node.b = add({.op = Op::kRecip, .extent = Extent::kRows, .a = node.b});
      }
    }
    return add(node);
  }

  NodeIndex constant(double value) { return add({.op = Op::kConst, .constant = value}); }

  NodeIndex add(const Node& node) {
    const auto same = std::ranges::find(to_.nodes, node);
    if (same != to_.nodes.end()) return static_cast<NodeIndex>(same - to_.nodes.begin());
    to_.nodes.push_back(node);
    return static_cast<NodeIndex>(to_.nodes.size() - 1);
  }

  const Expression& from_;
  double columns_;
  Expression to_;
  std::vector<bool> is_needed_;
  std::vector<NodeIndex> place_;
};

}  // namespace

Expression simplified(const Expression& expression, std::int64_t columns) {
  return Simplifier(expression, columns).run();
}

std::string node_text(const Node& node, const OperandName& name) {
  const std::string a = node.a == kNoNode ? "" : name(node.a);
  const std::string b = node.b == kNoNode ? "" : name(node.b);
  switch (node.op) {
    case Op::kConst:
      return float_text(node.constant);
    case Op::kCos:
      return cat("strobe_cos(", a, ")");
    case Op::kExp:
      return cat("strobe_exp(", a, ")");
    case Op::kTanh:
      return cat("strobe_tanh(", a, ")");
    case Op::kRelu:
      return cat("fmaxf(", a, ", 0.0f)");
    case Op::kNeg:
      return cat("-", a);
    case Op::kRsqrt:
      return cat("rsqrtf(", a, ")");
    case Op::kRecip:
      return cat("strobe_recip(", a, ")");
    case Op::kAdd:
      return cat(a, " + ", b);
    case Op::kSub:
      return cat(a, " - ", b);
    case Op::kMul:
      return cat(a, " * ", b);
    case Op::kDiv:
      return cat(a, " / ", b);
    case Op::kMax:
      return cat("fmaxf(", a, ", ", b, ")");
    case Op::kMin:
      return cat("fminf(", a, ", ", b, ")");
    case Op::kInput:
    case Op::kColumnCount:
    case Op::kRowSum:
    case Op::kRowMax:
    case Op::kDropout:
      break;
  }
  STROBE_CHECK(false,
               "inputs, reductions and dropout are emitted by the schedule, C by simplified()");
  return "";
}

std::string dropout_text(const Node& node, const OperandName& name, const std::string& index) {
  return cat("strobe_dropout(", name(node.a), ", dropout_key + ", index, ", ",
             dropped_below(node.constant), "u, ", float_text(kept_scale(node.constant)), ")");
}

std::string accumulate_text(const Node& reduction, const std::string& into,
                            const std::string& value) {
  return reduction.op == Op::kRowSum ? cat(into, " += ", value, ";")
                                     : cat(into, " = fmaxf(", into, ", ", value, ");");
}

std::string identity_text(const Node& reduction) {
  return reduction.op == Op::kRowSum ? "0.0f" : "-strobe_infinity()";
}

bool uses(const Expression& expression, Op op) {
  return std::ranges::any_of(expression.nodes, [op](const Node& node) { return node.op == op; });
}

}  // namespace strobe::bench

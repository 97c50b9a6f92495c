#include "strobe/bench/providers/cpu/row_kernel_match.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "strobe/bench/cases/case_info.h"

namespace strobe::bench {
namespace {

using Id = RowsKernelId;

bool same_work(const Expression& a, const Expression& b) {
  const auto node_of = [](const Output& output) { return output.node; };
  return a.nodes == b.nodes && std::ranges::equal(a.outputs, b.outputs, {}, node_of, node_of) &&
         std::ranges::none_of(a.inputs, &Tensor::is_transposed);
}

// Kernels that do more than one operator, by the case for which they were written.
std::vector<std::pair<Expression, Id>> whole_kernels() {
  const auto whole = [](const char* id) { return fused(*find_case(id)); };
  return {{whole("pointwise_chain"), Id::kPointwiseChain},
          {whole("softmax"), Id::kSoftmax},
          {whole("double_softmax"), Id::kDoubleSoftmax},
          {whole("softmax_backward"), Id::kSoftmaxBackwardWhole},
          {find_case("softmax_backward")->operators[1].expression, Id::kSoftmaxBackward},
          {whole("layernorm"), Id::kLayernorm},
          {whole("norm_chain"), Id::kNormChain},
          {whole("horizontal_reduction_pointwise"), Id::kSumAndCos},
          {whole("horizontal_reduction_reduction"), Id::kSumAndMax},
          {whole("bias_dropout_add"), Id::kAddThree},
          {whole("bias_gelu"), Id::kBiasGelu},
          {whole("bias_dropout_add_train"), Id::kBiasDropoutAdd}};
}

std::optional<Id> unary_kernel(Op op) {
  constexpr std::pair<Op, Id> kUnary[] = {
      {Op::kCos, Id::kCos},        {Op::kExp, Id::kExp},    {Op::kTanh, Id::kTanh},
      {Op::kRelu, Id::kRelu},      {Op::kNeg, Id::kNeg},    {Op::kRsqrt, Id::kRsqrt},
      {Op::kRecip, Id::kRecip},    {Op::kRowSum, Id::kSum}, {Op::kRowMax, Id::kLargest},
      {Op::kDropout, Id::kDropout}};
  for (const auto& [known, id] : kUnary) {
    if (known == op) return id;
  }
  return {};
}

// Two tensors; a tensor and a value of its row; a value of the row and a tensor.
struct BinaryIds {
  Op op;
  Id tensors, with_row, row_first;
};
constexpr BinaryIds kBinary[] = {
    {Op::kAdd, Id::kAdd, Id::kAddRow, Id::kAddRow}, {Op::kSub, Id::kSub, Id::kSubRow, Id::kRowSub},
    {Op::kMul, Id::kMul, Id::kMulRow, Id::kMulRow}, {Op::kDiv, Id::kDiv, Id::kDivRow, Id::kRowDiv},
    {Op::kMax, Id::kMax, Id::kMaxRow, Id::kMaxRow}, {Op::kMin, Id::kMin, Id::kMinRow, Id::kMinRow}};

std::optional<RowKernelMatch> match_single(const Expression& expression) {
  if (expression.outputs.size() != 1) return {};
  const Node& node = expression.nodes[static_cast<std::size_t>(expression.outputs[0].node)];
  const auto operand = [&](NodeIndex index) -> const Node* {
    return index == kNoNode ? nullptr : &expression.nodes[static_cast<std::size_t>(index)];
  };
  const Node* const a = operand(node.a);
  const Node* const b = operand(node.b);
  if (!a || a->op != Op::kInput || a->extent != Extent::kElements) {
    if (!a || !b || a->op != Op::kInput || a->extent != Extent::kRows) return {};
  }
  const auto number = [](const Node* input) { return static_cast<std::size_t>(input->input); };
  if (!b) {
    const auto id = unary_kernel(node.op);
    if (!id) return {};
    return RowKernelMatch{*id, {number(a)}};
  }
  if (b->op == Op::kConst && a->extent == Extent::kElements) {
    if (node.op == Op::kAdd) return RowKernelMatch{Id::kAddConstant, {number(a)}, b->constant};
    if (node.op == Op::kMul) return RowKernelMatch{Id::kMulConstant, {number(a)}, b->constant};
  }
  if (b->op != Op::kInput || node.extent != Extent::kElements) return {};
  const auto id = kernel_of_op(node.op, a->extent, b->extent);
  if (!id) return {};
  if (is_one_a_row(a->extent)) return RowKernelMatch{*id, {number(b), number(a)}};
  return RowKernelMatch{*id, {number(a), number(b)}};
}

}  // namespace

std::optional<Id> kernel_of_op(Op op, Extent a, Extent b) {
  for (const BinaryIds& ids : kBinary) {
    if (ids.op != op) continue;
    if (is_one_a_row(a)) return ids.row_first;
    return is_one_a_row(b) ? ids.with_row : ids.tensors;
  }
  return unary_kernel(op);
}

std::optional<RowKernelMatch> match_row_kernel(const Expression& expression) {
  static const auto known = whole_kernels();
  for (const auto& [whole, id] : known) {
    if (!same_work(expression, whole)) continue;
    std::vector<std::size_t> inputs(expression.inputs.size());
    std::iota(inputs.begin(), inputs.end(), 0);
    return RowKernelMatch{id, std::move(inputs)};
  }
  if (std::ranges::any_of(expression.inputs, &Tensor::is_transposed)) return {};
  return match_single(expression);
}

std::optional<TransposedMatch> match_transposed_dropout(const Expression& expression) {
  static const Expression known = fused(*find_case("bias_dropout_add_transposed_train"));
  if (expression != known) return {};
  return TransposedMatch{.turned = 0, .straight = {1, 2}};
}

std::optional<TransposedMatch> match_transposed_sum(const Expression& expression) {
  if (expression.outputs.size() != 1 || expression.inputs.size() > 3) return {};
  TransposedMatch match;
  std::size_t turned = 0;
  for (std::size_t i = 0; i < expression.inputs.size(); ++i) {
    if (expression.inputs[i].extent != Extent::kElements) return {};
    if (expression.inputs[i].is_transposed == expression.outputs[0].tensor.is_transposed) {
      match.straight.push_back(i);
    } else {
      match.turned = i;
      ++turned;
    }
  }
  const std::size_t sums =
      static_cast<std::size_t>(std::ranges::count(expression.nodes, Op::kAdd, &Node::op));
  const bool is_sum =
      sums + expression.inputs.size() == expression.nodes.size() &&
      sums + 1 == expression.inputs.size() &&
      expression.outputs[0].node == static_cast<NodeIndex>(expression.nodes.size() - 1);
  if (turned != 1 || match.straight.empty() || !is_sum) return {};
  return match;
}

}  // namespace strobe::bench

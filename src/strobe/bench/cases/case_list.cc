#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "strobe/base/check.h"
#include "strobe/bench/cases/case_info.h"

namespace strobe::bench {
namespace {

using Arguments = std::vector<Value>;

const Tensor kRow = {.name = "", .extent = Extent::kRows};
const Tensor kColumns = {.name = "", .extent = Extent::kColumns};
const Tensor kElements = {.name = "", .extent = Extent::kElements};
const Tensor kTransposed = {.name = "", .extent = Extent::kElements, .is_transposed = true};

Tensor named(const char* name, Tensor tensor = kElements) {
  tensor.name = name;
  return tensor;
}

Operator make(const char* name, std::vector<Tensor> inputs, Tensor output,
              const std::function<Value(const Arguments&)>& compute) {
  ExpressionBuilder builder;
  Arguments arguments;
  for (Tensor& tensor : inputs) arguments.push_back(builder.input(std::move(tensor)));
  builder.output(std::move(output), compute(arguments));
  return {name, std::move(builder).build()};
}

Value normalised(Value x) {
  const Value e = exp(x - row_max(x));
  return e / row_sum(e);
}

Value product(const Arguments& in) { return in[0] * in[1]; }
Value sum(const Arguments& in) { return in[0] + in[1]; }
Value total(const Arguments& in) { return row_sum(in[0]); }
Value softmax(const Arguments& in) { return normalised(in[0]); }
Value half_dropped(const Arguments& in) { return dropout(in[0], 0.5); }

std::vector<Operator> pointwise_chain() {
  return {make("cos", {named("x")}, named("y"), [](const Arguments& in) { return cos(in[0]); }),
          make("mul", {named("x"), named("y")}, named("x1"), product),
          make("max", {named("x1"), named("y")}, named("y1"),
               [](const Arguments& in) { return max(in[0], in[1]); }),
          make("add", {named("x1"), named("y1")}, named("out"), sum)};
}

std::vector<Operator> naive_softmax() {
  return {make("max", {named("x")}, named("m", kRow),
               [](const Arguments& in) { return row_max(in[0]); }),
          make("sub", {named("x"), named("m", kRow)}, named("d"),
               [](const Arguments& in) { return in[0] - in[1]; }),
          make("exp", {named("d")}, named("e"), [](const Arguments& in) { return exp(in[0]); }),
          make("sum", {named("e")}, named("s", kRow), total),
          make("div", {named("e"), named("s", kRow)}, named("out"),
               [](const Arguments& in) { return in[0] / in[1]; })};
}

// The product comes first, as in today's eager frameworks.
std::vector<Operator> softmax_backward() {
  return {make("mul", {named("dy"), named("y")}, named("g"), product),
          make("softmax_backward", {named("g"), named("y")}, named("dx"),
               [](const Arguments& in) { return in[0] - in[1] * row_sum(in[0]); })};
}

Operator layernorm() {
  return make("layernorm", {named("x"), named("gamma", kColumns), named("beta", kColumns)},
              named("out"), [](const Arguments& in) {
                const Value count = in[0].builder->column_count();
                const Value centred = in[0] - row_sum(in[0]) / count;
                const Value variance = row_sum(centred * centred) / count;
                return centred * rsqrt(variance + 1e-5) * in[1] + in[2];
              });
}

std::vector<Operator> norm_chain() {
  return {make("sum", {named("x")}, named("s1", kRow), total),
          make("mul", {named("x"), named("s1", kRow)}, named("x1"), product),
          make("sum", {named("x1")}, named("s2", kRow), total),
          make("mul", {named("x1"), named("s2", kRow)}, named("x2"), product),
          make("sum", {named("x2")}, named("s3", kRow), total),
          make("mul", {named("x2"), named("s3", kRow)}, named("out"), product)};
}

// x 0.5 (1 + tanh(0.79788456 x (1 + 0.044715 x x))), one kernel for each arithmetic sign.
std::vector<Operator> bias_gelu() {
  const auto times = [](double factor) {
    return [factor](const Arguments& in) { return in[0] * factor; };
  };
  const auto plus_one = [](const Arguments& in) { return in[0] + 1.0; };
  return {make("add", {named("inp"), named("bias", kColumns)}, named("x"), sum),
          make("mul", {named("x")}, named("a"), times(0.5)),
          make("mul", {named("x")}, named("b"), times(0.79788456)),
          make("mul", {named("x")}, named("c"), times(0.044715)),
          make("mul", {named("c"), named("x")}, named("d"), product),
          make("add", {named("d")}, named("e"), plus_one),
          make("mul", {named("b"), named("e")}, named("f"), product),
          make("tanh", {named("f")}, named("t"), [](const Arguments& in) { return tanh(in[0]); }),
          make("add", {named("t")}, named("u"), plus_one),
          make("mul", {named("a"), named("u")}, named("out"), product)};
}

std::vector<CaseInfo> make_cases() {
  using enum CaseKind;
  return {
      {.id = "pointwise_chain",
       .definition = "y = cos x; x1 = x y; y1 = max(x1, y); out = x1 + y1",
       .operators = pointwise_chain(),
       .eager_kernels = 4},
      {.id = "softmax",
       .definition = "exp(x - max) / sum over a row",
       .operators = {make("softmax", {named("x")}, named("out"), softmax)},
       .eager_kernels = 1},
      {.id = "naive_softmax",
       .definition = "max, subtract, exp, sum, divide as five operators",
       .operators = naive_softmax(),
       .eager_kernels = 5},
      {.id = "double_softmax",
       .definition = "softmax(softmax(x))",
       .operators = {make("softmax", {named("x")}, named("y"), softmax),
                     make("softmax", {named("y")}, named("out"), softmax)},
       .eager_kernels = 2},
      {.id = "softmax_backward",
       .definition = "dx = y (dy - sum(dy y))",
       .operators = softmax_backward(),
       .eager_kernels = 2,
       .has_affine_accuracy_inputs = true},
      {.id = "layernorm",
       .definition = "gamma (x - mean) / sqrt(variance + 1e-5) + beta",
       .operators = {layernorm()},
       .eager_kernels = 1},
      {.id = "norm_chain",
       .definition = "three times: y = sum of the row; x = x y",
       .operators = norm_chain(),
       .eager_kernels = 6,
       .has_affine_accuracy_inputs = true},
      {.id = "horizontal_reduction_pointwise",
       .definition = "b = sum of the row of a; c = cos a",
       .operators = {make("sum", {named("a")}, named("b", kRow), total),
                     make("cos", {named("a")}, named("c"),
                          [](const Arguments& in) { return cos(in[0]); })},
       .eager_kernels = 2},
      {.id = "horizontal_reduction_reduction",
       .definition = "b = sum, c = max of the row of a",
       .operators = {make("sum", {named("a")}, named("b", kRow), total),
                     make("max", {named("a")}, named("c", kRow),
                          [](const Arguments& in) { return row_max(in[0]); })},
       .eager_kernels = 2},
      {.id = "bias_dropout_add",
       .definition = "residual + dropout(inp + bias), dropout at inference",
       .operators = {make("add", {named("inp"), named("bias", kColumns)}, named("t"), sum),
                     make("add", {named("residual"), named("t")}, named("out"), sum)},
       .eager_kernels = 2},
      {.id = "bias_dropout_add_train",
       .definition = "bias_dropout_add in training (--train): half is dropped, the rest doubled",
       .operators = {make("add", {named("inp"), named("bias", kColumns)}, named("t"), sum),
                     make("dropout", {named("t")}, named("d"), half_dropped),
                     make("add", {named("residual"), named("d")}, named("out"), sum)},
       .eager_kernels = 3,
       .training_of = "bias_dropout_add"},
      {.id = "bias_gelu",
       .definition = "x = inp + bias; x 0.5 (1 + tanh(0.79788456 x (1 + 0.044715 x x)))",
       .operators = bias_gelu(),
       .eager_kernels = 10},
      {.id = "bias_dropout_add_transposed",
       .definition = "bias_dropout_add with bias, residual and out stored the other way round",
       .operators = {make("add", {named("inp"), named("bias", kTransposed)}, named("t"), sum),
                     make("add", {named("residual", kTransposed), named("t")},
                          named("out", kTransposed), sum)},
       .eager_kernels = 2},
      {.id = "bias_dropout_add_transposed_train",
       .definition = "bias_dropout_add_transposed in training (--train)",
       .operators = {make("add", {named("inp"), named("bias", kTransposed)}, named("t"), sum),
                     make("dropout", {named("t")}, named("d"), half_dropped),
                     make("add", {named("residual", kTransposed), named("d")},
                          named("out", kTransposed), sum)},
       .eager_kernels = 3,
       .training_of = "bias_dropout_add_transposed"},
      {.id = "matmul_add", .definition = "A B + D", .kind = kMatmul, .eager_kernels = 2},
      {.id = "matmul_relu", .definition = "relu(A B)", .kind = kMatmul, .eager_kernels = 2},
      {.id = "matmul_add_relu", .definition = "relu(A B + D)", .kind = kMatmul, .eager_kernels = 3},
      {.id = "matmul_matmul", .definition = "(A B) W", .kind = kMatmul, .eager_kernels = 2},
      {.id = "conv_add", .definition = "conv(x, w) + D", .kind = kConvolution, .eager_kernels = 2},
      {.id = "conv_relu",
       .definition = "relu(conv(x, w))",
       .kind = kConvolution,
       .eager_kernels = 2},
      {.id = "conv_bn",
       .definition = "batch norm at inference of conv(x, w)",
       .kind = kConvolution,
       .eager_kernels = 2},
      {.id = "attention",
       .definition = "causal softmax(q k / sqrt(D)) v",
       .kind = kAttention,
       .eager_kernels = 7}};
}

// Multiples of E elements, R rows and C columns; bytes are times the size of a value.
struct Multiples {
  double elements = 0;
  double rows = 0;
  double columns = 0;
};

struct RowCosts {
  std::string_view id;
  Multiples least;
  Multiples streamed;
  Multiples unfused;
  double flops;            // per element
  double transcendentals;  // per element
  double saved_rows = 0;   // f32 values per row that the unfused operator keeps for later
};

constexpr std::array kRowCosts = {
    RowCosts{"pointwise_chain", {2}, {2}, {11}, 3, 1},
    RowCosts{"softmax", {2}, {3}, {2}, 4, 1},
    RowCosts{"naive_softmax", {2}, {3}, {8, 2}, 4, 1},
    RowCosts{"double_softmax", {2}, {4}, {4}, 8, 2},
    RowCosts{"softmax_backward", {3}, {5}, {7}, 4, 0},
    RowCosts{"layernorm", {2, 0, 2}, {3, 0, 2}, {2, 0, 2}, 8, 0, 2},
    RowCosts{"norm_chain", {2}, {5}, {9, 6}, 6, 0},
    RowCosts{"horizontal_reduction_pointwise", {2, 1}, {2, 1}, {3, 1}, 1, 1},
    RowCosts{"horizontal_reduction_reduction", {1, 2}, {1, 2}, {2, 2}, 2, 0},
    RowCosts{"bias_dropout_add", {3, 0, 1}, {3, 0, 1}, {5, 0, 1}, 2, 0},
    RowCosts{"bias_dropout_add_train", {3, 0, 1}, {3, 0, 1}, {7, 0, 1}, 3, 0},
    RowCosts{"bias_gelu", {2, 0, 1}, {2, 0, 1}, {23, 0, 1}, 9, 1},
    RowCosts{"bias_dropout_add_transposed", {4}, {4}, {6}, 2, 0},
    RowCosts{"bias_dropout_add_transposed_train", {4}, {4}, {8}, 3, 0},
};

CaseCosts row_costs(const CaseInfo& info, const Shape& shape, double size) {
  const auto rows = static_cast<double>(shape[0]);
  const auto columns = static_cast<double>(shape[1]);
  const auto bytes = [&](const Multiples& times) {
    return (times.elements * rows * columns + times.rows * rows + times.columns * columns) * size;
  };
  for (const RowCosts& costs : kRowCosts) {
    if (costs.id != info.id) continue;
    return {.min_bytes = bytes(costs.least),
            .streamed_bytes = bytes(costs.streamed),
            .unfused_bytes = bytes(costs.unfused) + costs.saved_rows * rows * 4,
            .flops = costs.flops * rows * columns,
            .transcendentals = costs.transcendentals * rows * columns};
  }
  STROBE_CHECK(false, "every case over rows has its costs");
  return {};
}

// `extra`: reads of an M x N operand besides the product; `later`: operators after the product.
CaseCosts matmul_costs(const CaseInfo& info, const Shape& shape, double size) {
  const auto m = static_cast<double>(shape[0]);
  const auto n = static_cast<double>(shape[1]);
  const auto k = static_cast<double>(shape[2]);
  if (info.id == "matmul_matmul") {
    const double least = (2 * m * k + 2 * k * n) * size;
    return {least, least, least + 2 * m * n * size, 4 * m * n * k, 0};
  }
  const double extra = info.id == "matmul_relu" ? 0 : 1;
  const double later = info.eager_kernels - 1;
  const double least = (m * k + k * n + (1 + extra) * m * n) * size;
  return {least, least, least + later * 2 * m * n * size, 2 * m * n * k + later * m * n, 0};
}

CaseCosts convolution_costs(const CaseInfo& info, const Shape& shape, double size) {
  const auto n = static_cast<double>(shape[0]);
  const auto channels = static_cast<double>(shape[3]);
  const auto filters = static_cast<double>(shape[4]);
  const auto window = static_cast<double>(shape[5]);
  const auto p = static_cast<double>(convolved(shape[1], shape[5], shape[6]));
  const auto q = static_cast<double>(convolved(shape[2], shape[5], shape[6]));
  const double out = n * p * q * filters;
  const double read = n * static_cast<double>(shape[1]) * static_cast<double>(shape[2]) * channels +
                      filters * window * window * channels;
  const double extra = info.id == "conv_add" ? 1 : 0;
  const double least = (read + (1 + extra) * out) * size;
  return {least, least, least + 2 * out * size, 2 * out * channels * window * window, 0};
}

CaseCosts attention_costs(const Shape& shape, double size) {
  const auto batch = static_cast<double>(shape[0]);
  const auto sequence = static_cast<double>(shape[1]);
  const auto heads = static_cast<double>(shape[2]);
  const auto width = static_cast<double>(shape[3]);
  const double values = batch * sequence * heads * width;
  const double scores = batch * heads * sequence * sequence;
  const double least = 4 * values * size;
  return {least, least, 6 * scores * size + 8 * values * size, 4 * scores * width, scores};
}

}  // namespace

std::span<const CaseInfo> cases() {
  static const std::vector<CaseInfo> all = make_cases();
  return all;
}

const CaseInfo* find_case(std::string_view id) {
  for (const CaseInfo& info : cases()) {
    if (info.id == id) return &info;
  }
  return nullptr;
}

const CaseInfo* training_variant(std::string_view id) {
  for (const CaseInfo& info : cases()) {
    if (info.training_of == id && !id.empty()) return &info;
  }
  return nullptr;
}

CaseCosts costs_of(const CaseInfo& info, const Shape& shape, DType dtype) {
  const auto size = static_cast<double>(bytes_of(dtype));
  switch (info.kind) {
    case CaseKind::kRows:
      return row_costs(info, shape, size);
    case CaseKind::kMatmul:
      return matmul_costs(info, shape, size);
    case CaseKind::kConvolution:
      return convolution_costs(info, shape, size);
    case CaseKind::kAttention:
      return attention_costs(shape, size);
  }
  return {};
}

bool loses_by_streaming(const CaseInfo& info, const CaseCosts& costs) {
  const auto needs_row_twice = [](const Operator& op) {
    return op.expression.has_reduction() &&
           std::ranges::any_of(op.expression.outputs, [](const Output& output) {
             return output.tensor.extent == Extent::kElements;
           });
  };
  return costs.streamed_bytes > costs.min_bytes &&
         std::ranges::none_of(info.operators, needs_row_twice);
}

}  // namespace strobe::bench

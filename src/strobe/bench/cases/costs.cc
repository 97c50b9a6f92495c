#include <array>
#include <cmath>

#include "strobe/base/check.h"
#include "strobe/bench/cases/case_info.h"

namespace strobe::bench {
namespace {

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
  double flops;            // an element
  double transcendentals;  // an element
  double saved_rows = 0;   // f32 values a row that the unfused operator keeps for later
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

// `extra` are reads of an M x N operand beside the product, `later` operators after the product.
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

std::int64_t convolved(std::int64_t length, std::int64_t window, std::int64_t stride) {
  return (length + 2 * (window / 2) - window) / stride + 1;
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

}  // namespace strobe::bench

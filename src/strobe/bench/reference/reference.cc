#include "strobe/bench/reference/reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "strobe/bench/reference/evaluate.h"
#include "strobe/bench/reference/input_tensors.h"
#include "strobe/bench/reference/input_values.h"
#include "strobe/bench/reference/products.h"
#include "strobe/bench/reference/row_parts.h"

namespace strobe::bench {
namespace {

constexpr std::int64_t kAllElements = std::int64_t{1} << 24;
constexpr std::int64_t kMostWork = std::int64_t{1} << 30;
constexpr std::int64_t kSomeRows = 512;
constexpr std::int64_t kFewestRows = 16;
constexpr std::uint32_t kChoice = 0xFF;  // a stream of random bits that no tensor uses

OutputLayout row_layout(const Tensor& tensor, const Shape& shape) {
  const StoredSize size = stored_size(tensor, shape[0], shape[1]);
  return {size.rows, size.columns, tensor.extent == Extent::kRows ? shape[1] : size.columns};
}

std::vector<double> expression_rows(const CaseInfo& info, const PrepareRequest& request,
                                    std::size_t index, std::span<const std::int64_t> rows) {
  const std::int64_t height = request.cell.shape[0], width = request.cell.shape[1];
  const Expression expression = fused(info);
  const auto inputs = input_sources(info, request);
  const auto read = [&](std::size_t input, std::int64_t at) {
    return static_cast<double>(inputs[input](at));
  };
  const Tensor& tensor = expression.outputs[index].tensor;
  if (tensor.is_transposed) {
    std::vector<double> out(rows.size() * static_cast<std::size_t>(height));
    for_parts(height, 16, [&](std::int64_t from, std::int64_t to) {
      RowEvaluator evaluator(expression, height, width, read, request.seed);
      for (std::int64_t row = from; row < to; ++row) {
        evaluator.evaluate(row, rows);
        const auto values = evaluator.output(index);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          out[i * static_cast<std::size_t>(height) + static_cast<std::size_t>(row)] = values[i];
        }
      }
    });
    return out;
  }
  std::vector<std::int64_t> columns(static_cast<std::size_t>(width));
  std::iota(columns.begin(), columns.end(), 0);
  const std::int64_t values_a_row = row_layout(tensor, request.cell.shape).columns;
  std::vector<double> out(rows.size() * static_cast<std::size_t>(values_a_row));
  for_parts(static_cast<std::int64_t>(rows.size()), 1 + 4096 / width,
            [&](std::int64_t from, std::int64_t to) {
              RowEvaluator evaluator(expression, height, width, read, request.seed);
              for (std::int64_t i = from; i < to; ++i) {
                evaluator.evaluate(rows[static_cast<std::size_t>(i)], columns);
                std::ranges::copy(evaluator.output(index), out.begin() + i * values_a_row);
              }
            });
  return out;
}

// The tolerances of each type; rounding errors are 2^-24, 2^-11 or 2^-8 of a value.
struct TypeRow {
  DType dtype;
  Tolerance pointwise;
  double product_rtol;
  Tolerance attention;
};
constexpr TypeRow kTypeRows[] = {
    {DType::kF32, {1e-6, 1e-5}, 1e-3, {1e-4, 1e-3}},
    {DType::kF16, {1e-3, 1e-3}, 5e-3, {2e-3, 1e-2}},
    {DType::kBf16, {8e-3, 8e-3}, 2e-2, {1.6e-2, 4e-2}},
};

// Unfused operators round an intermediate 16-bit tensor once more than a fused kernel does: the sum
// of two values of N(0, 1) reaches 7, and half a unit there is twice the tolerance of a value.
constexpr double kHandedOn = 4;

// norm_chain is x S^7 for a row's sum S, which multiplies the rounding error of S by 7.
constexpr double kPowerOfItsSum = 7;

// K of the products: the number of terms of an output value.
double inner_of(const CaseInfo& info, const Shape& shape) {
  if (info.kind == CaseKind::kMatmul) return static_cast<double>(shape[2]);
  return static_cast<double>(shape[3] * shape[5] * shape[5]);
}

// Sums of K products of N(0, 1) have the size sqrt(K). So has the rounding error of an intermediate
// 16-bit result, which may exceed a value near zero. A second product multiplies sizes and errors
// by sqrt(N).
Tolerance product_tolerance(const CaseInfo& info, const Shape& shape, const TypeRow& type) {
  const double inner = inner_of(info, shape);
  const double atol = type.dtype == DType::kF32 ? 1e-3 * std::sqrt(inner / 1024)
                                                : type.product_rtol * std::sqrt(inner);
  const double second = info.id == "matmul_matmul" ? std::sqrt(static_cast<double>(shape[1])) : 1;
  return {atol * second, type.product_rtol};
}

// The largest values of a softmax of N(0, 1) are this many times their mean.
constexpr double kLargestShare = 16;

// Outputs of the size 1 / C, because a softmax sums to 1: with a tolerance for values of the size
// 1, zeros would pass too.
bool has_shares_of_a_row(const CaseInfo& info) {
  return info.has_affine_accuracy_inputs || info.id.ends_with("softmax");
}

Tolerance row_tolerance(const CaseInfo& info, const Shape& shape, const TypeRow& type) {
  Tolerance tolerance = type.pointwise;
  if (info.id.starts_with("bias_dropout_add_transposed")) {
    tolerance = {std::max(tolerance.atol, 1e-3), std::max(tolerance.rtol, 1e-2)};
  }
  if (fused(info).has_reduction()) tolerance.atol *= std::sqrt(static_cast<double>(shape[1]));
  if (has_shares_of_a_row(info))
    tolerance.atol *= std::min(1.0, kLargestShare / static_cast<double>(shape[1]));
  if (type.dtype != DType::kF32 && info.operators.size() > 1) tolerance.atol *= kHandedOn;
  if (type.dtype != DType::kF32 && info.id == "norm_chain") tolerance.rtol *= kPowerOfItsSum;
  return tolerance;
}

double relative_error(const Accuracy& accuracy) {
  return accuracy.error > 0 ? accuracy.error / accuracy.norm : 0;
}

}  // namespace

std::vector<OutputLayout> output_layouts(const CaseInfo& info, const Shape& shape) {
  switch (info.kind) {
    case CaseKind::kRows: {
      std::vector<OutputLayout> layouts;
      for (const Output& output : fused(info).outputs)
        layouts.push_back(row_layout(output.tensor, shape));
      return layouts;
    }
    case CaseKind::kMatmul: {
      const std::int64_t product = shape[1] * shape[2];
      if (info.id == "matmul_matmul") return {{shape[0], shape[2], 2 * product}};
      return {{shape[0], shape[1], product}};
    }
    case CaseKind::kConvolution:
      return {{shape[0] * convolved(shape[1], shape[5], shape[6]) *
                   convolved(shape[2], shape[5], shape[6]),
               shape[4], shape[4] * shape[5] * shape[5] * shape[3]}};
    case CaseKind::kAttention:
      return {{shape[0] * shape[2] * shape[1], shape[3], shape[1] * shape[3]}};
  }
  return {};
}

std::vector<std::int64_t> rows_to_check(const OutputLayout& layout, std::uint64_t seed) {
  const std::int64_t affordable =
      std::max(kFewestRows, kMostWork / std::max<std::int64_t>(layout.row_work, 1));
  const bool is_small = layout.rows * layout.columns <= kAllElements;
  const std::int64_t count =
      std::min({layout.rows, affordable, is_small ? layout.rows : kSomeRows});
  std::vector<std::int64_t> rows;
  // One random row from each of `count` equal parts, so none occurs twice.
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = i * layout.rows / count;
    const std::int64_t last = (i + 1) * layout.rows / count;
    const std::uint64_t bits = input_bits(seed, kChoice, static_cast<std::uint64_t>(i));
    rows.push_back(first +
                   static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(last - first)));
  }
  if (!rows.empty() && rows.front() != 0) rows.insert(rows.begin(), 0);
  if (!rows.empty() && rows.back() != layout.rows - 1) rows.push_back(layout.rows - 1);
  return rows;
}

std::vector<double> reference_rows(const CaseInfo& info, const PrepareRequest& request,
                                   std::size_t index, std::span<const std::int64_t> rows) {
  switch (info.kind) {
    case CaseKind::kRows:
      return expression_rows(info, request, index, rows);
    case CaseKind::kMatmul:
      return matmul_rows(info, request, rows);
    case CaseKind::kConvolution:
      return convolution_rows(info, request, rows);
    case CaseKind::kAttention:
      return attention_rows(info, request, rows);
  }
  return {};
}

Tolerance tolerance_of(const CaseInfo& info, const Shape& shape, DType dtype) {
  const TypeRow& type = *std::ranges::find(kTypeRows, dtype, &TypeRow::dtype);
  switch (info.kind) {
    case CaseKind::kRows:
      return row_tolerance(info, shape, type);
    case CaseKind::kMatmul:
    case CaseKind::kConvolution:
      return product_tolerance(info, shape, type);
    case CaseKind::kAttention:
      return type.attention;
  }
  return {};
}

Accuracy compare_values(std::span<const float> actual, std::span<const double> expected,
                        const Tolerance& tolerance) {
  Accuracy accuracy;
  accuracy.checked = expected.size();
  accuracy.atol = tolerance.atol;
  accuracy.rtol = tolerance.rtol;
  double error_square = 0;
  double norm_square = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double right = expected[i];
    const double value = i < actual.size() ? static_cast<double>(actual[i]) : NAN;
    // Infinities of one sign are equal; any other non-finite value is infinitely wrong.
    const bool is_finite = std::isfinite(value) && std::isfinite(right);
    const double error = is_finite ? std::abs(value - right) : (value == right ? 0.0 : INFINITY);
    const double allowed = tolerance.atol + tolerance.rtol * std::abs(right);
    const bool passes = is_finite ? error <= allowed : error == 0;
    if (!passes) ++accuracy.mismatches;
    accuracy.max_abs = std::max(accuracy.max_abs, error);
    if (right != 0 && is_finite)
      accuracy.max_rel = std::max(accuracy.max_rel, error / std::abs(right));
    if (!is_finite && !passes) accuracy.max_rel = INFINITY;
    const double beyond = !is_finite ? error : error == 0 ? 0 : error / allowed;
    if (beyond > accuracy.worst_ratio) {
      accuracy.worst_ratio = beyond;
      accuracy.worst_index = static_cast<std::int64_t>(i);
    }
    if (std::isfinite(right)) norm_square += right * right;
    error_square += error * error;
  }
  accuracy.error = std::sqrt(error_square);
  accuracy.norm = std::sqrt(norm_square);
  accuracy.norm_rel = relative_error(accuracy);
  return accuracy;
}

void merge(Accuracy& into, const Accuracy& other, std::int64_t first_index) {
  if (other.checked == 0) return;
  if (into.checked == 0) {
    into = other;
    if (other.worst_index >= 0) into.worst_index += first_index;
    return;
  }
  if (other.worst_ratio > into.worst_ratio) {
    into.worst_ratio = other.worst_ratio;
    into.worst_index = other.worst_index + first_index;
  }
  into.error = std::hypot(into.error, other.error);
  into.norm = std::hypot(into.norm, other.norm);
  into.norm_rel = relative_error(into);
  into.max_abs = std::max(into.max_abs, other.max_abs);
  into.max_rel = std::max(into.max_rel, other.max_rel);
  into.checked += other.checked;
  into.mismatches += other.mismatches;
}

std::string equality_line(const Accuracy& accuracy) {
  // 99.999 % must not be shown as 100.00 %: a single mismatch stays visible.
  const double percent = accuracy.equality() * 100;
  return fmt::format("Equality ratio: {:.2f}%",
                     accuracy.mismatches > 0 ? std::min(percent, 99.99) : percent);
}

}  // namespace strobe::bench

#include "strobe/bench/reference/reference.h"

#include <algorithm>
#include <numeric>

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
  switch (tensor.extent) {
    case Extent::kScalar:
      return {1, 1, 1};
    case Extent::kColumns:
      return {1, shape[1], shape[1]};
    case Extent::kRows:
      return {shape[0], 1, shape[1]};
    case Extent::kElements:
      break;
  }
  if (tensor.is_transposed) return {shape[1], shape[0], shape[0]};
  return {shape[0], shape[1], shape[1]};
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
  // One out of each of `count` equal parts: by chance, and none twice.
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

}  // namespace strobe::bench

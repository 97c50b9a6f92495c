#include "strobe/bench/reference/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "strobe/bench/reference/dropout.h"

namespace strobe::bench {
namespace {

// A value that is the same in every column is stored once in `values`.
double reduced(Op op, const std::vector<double>& values, std::int64_t columns) {
  if (op == Op::kRowSum) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return sum * static_cast<double>(columns) / static_cast<double>(values.size());
  }
  return std::accumulate(values.begin(), values.end(), -INFINITY,
                         [](double a, double b) { return applied(Op::kMax, a, b); });
}

std::int64_t stored_at(const Tensor& tensor, std::int64_t row, std::int64_t column,
                       std::int64_t rows, std::int64_t columns) {
  switch (tensor.extent) {
    case Extent::kScalar:
      return 0;
    case Extent::kColumns:
      return column;
    case Extent::kRows:
      return row;
    case Extent::kElements:
      return tensor.is_transposed ? column * rows + row : row * columns + column;
  }
  return 0;
}

}  // namespace

RowEvaluator::RowEvaluator(const Expression& expression, std::int64_t rows, std::int64_t columns,
                           Read read, std::uint64_t seed)
    : expression_(expression),
      rows_(rows),
      column_count_(columns),
      read_(std::move(read)),
      dropout_key_(dropout_key(seed)),
      values_(expression.nodes.size()) {
  if (!expression_.has_reduction()) return;
  every_column_.resize(static_cast<std::size_t>(columns));
  std::iota(every_column_.begin(), every_column_.end(), 0);
}

void RowEvaluator::evaluate(std::int64_t row, std::span<const std::int64_t> columns) {
  picked_.clear();
  if (!every_column_.empty() && !std::ranges::equal(columns, every_column_)) {
    picked_.assign(columns.begin(), columns.end());
    columns = every_column_;
  }
  for (std::size_t node = 0; node < values_.size(); ++node) compute(node, row, columns);
}

double RowEvaluator::operand(NodeIndex node, std::size_t lane) const {
  if (node == kNoNode) return 0;
  const std::vector<double>& values = values_[static_cast<std::size_t>(node)];
  return is_one_a_row(expression_.nodes[static_cast<std::size_t>(node)].extent) ? values[0]
                                                                                : values[lane];
}

void RowEvaluator::compute(std::size_t index, std::int64_t row,
                           std::span<const std::int64_t> columns) {
  const Node& node = expression_.nodes[index];
  std::vector<double>& values = values_[index];
  values.resize(is_one_a_row(node.extent) ? 1 : columns.size());
  switch (node.op) {
    case Op::kConst:
      values[0] = node.constant;
      return;
    case Op::kColumnCount:
      values[0] = static_cast<double>(column_count_);
      return;
    case Op::kInput: {
      const auto input = static_cast<std::size_t>(node.input);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t column = is_one_a_row(node.extent) ? 0 : columns[i];
        values[i] =
            read_(input, stored_at(expression_.inputs[input], row, column, rows_, column_count_));
      }
      return;
    }
    case Op::kRowSum:
    case Op::kRowMax:
      values[0] = reduced(node.op, values_[static_cast<std::size_t>(node.a)], column_count_);
      return;
    case Op::kDropout:
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t place = row * column_count_ + columns[i];
        values[i] = is_dropped(dropout_key_, place, node.constant)
                        ? 0
                        : operand(node.a, i) * kept_scale(node.constant);
      }
      return;
    default:
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = applied(node.op, operand(node.a, i), operand(node.b, i));
      }
  }
}

std::vector<double> RowEvaluator::output(std::size_t index) const {
  const NodeIndex node = expression_.outputs[index].node;
  const std::vector<double>& values = values_[static_cast<std::size_t>(node)];
  if (picked_.empty() || is_one_a_row(expression_.nodes[static_cast<std::size_t>(node)].extent)) {
    return values;
  }
  std::vector<double> picked;
  for (const std::int64_t column : picked_)
    picked.push_back(values[static_cast<std::size_t>(column)]);
  return picked;
}

}  // namespace strobe::bench

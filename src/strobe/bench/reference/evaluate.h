#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "strobe/bench/cases/expression.h"

// Evaluates an expression in f64, one row at a time, without rounding between nodes.
namespace strobe::bench {

class RowEvaluator {
 public:
  // Value `index` of input `input`, in storage order.
  using Read = std::function<double(std::size_t input, std::int64_t index)>;

  // `seed` decides which elements are dropped.
  RowEvaluator(const Expression& expression, std::int64_t rows, std::int64_t columns, Read read,
               std::uint64_t seed = 1);

  // Computes the nodes of one row at some of its columns. If a reduction needs the whole row, that
  // is computed first.
  void evaluate(std::int64_t row, std::span<const std::int64_t> columns);
  // For the last row: a value per requested column, or a single one for an output of extent kRows.
  std::vector<double> output(std::size_t index) const;

 private:
  void compute(std::size_t node, std::int64_t row, std::span<const std::int64_t> columns);
  double operand(NodeIndex node, std::size_t lane) const;

  const Expression& expression_;
  std::int64_t rows_;
  std::int64_t column_count_;
  Read read_;
  std::uint32_t dropout_key_;
  std::vector<std::int64_t> every_column_;
  std::vector<std::int64_t> picked_;  // columns of the last evaluation, if fewer than computed
  std::vector<std::vector<double>> values_;  // by node: one value per column, or one
};

}  // namespace strobe::bench

#include "strobe/bench/providers/cpu/blocked_expression.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "strobe/base/check.h"
#include "strobe/bench/providers/cpu/host_buffer.h"
#include "strobe/bench/providers/cpu/row_kernel_match.h"
#include "strobe/bench/reference/dropout.h"

namespace strobe::bench {
namespace {

constexpr std::int64_t kPieceColumns = 1024;

}  // namespace

// One row in progress: a piece of every node in scratch, and the nodes that have one value.
struct BlockedExpression::Row {
  const std::vector<const void*>& inputs;
  const std::vector<void*>& outputs;
  float* scratch;
  std::uint32_t dropout_key;
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t count = 0;
  std::vector<double> values;  // by node

  float* piece(std::size_t node) const {
    return scratch + static_cast<std::int64_t>(node) * kPieceColumns;
  }
};

BlockedExpression::BlockedExpression(Expression expression, const KernelSet& kernels, DType dtype,
                                     std::int64_t rows, std::int64_t columns)
    : expression_(std::move(expression)),
      kernels_(kernels),
      dtype_(dtype),
      rows_(rows),
      columns_(columns),
      depth_(expression_.reduction_depths()),
      passes_(expression_.dependent_reductions()) {}

std::int64_t BlockedExpression::scratch() const {
  return static_cast<std::int64_t>(expression_.nodes.size()) * kPieceColumns;
}

float BlockedExpression::value_of(const Row& row, NodeIndex node) const {
  return static_cast<float>(row.values[static_cast<std::size_t>(node)]);
}

void BlockedExpression::load_piece(Row& row, std::size_t index) const {
  const Node& node = expression_.nodes[index];
  const auto input = static_cast<std::size_t>(node.input);
  const bool is_columns = node.extent == Extent::kColumns;
  const bool is_turned = expression_.inputs[input].is_transposed && !is_columns;
  for (std::int64_t i = 0; i < row.count; ++i) {
    const std::int64_t column = row.column + i;
    const std::int64_t at = is_columns  ? column
                            : is_turned ? column * rows_ + row.row
                                        : row.row * columns_ + column;
    row.piece(index)[i] = read_value(dtype_, row.inputs[input], at);
  }
}

void BlockedExpression::compute_piece(Row& row, std::size_t index) const {
  const Node& node = expression_.nodes[index];
  const auto extent_of = [&](NodeIndex operand) {
    return operand == kNoNode ? Extent::kElements
                              : expression_.nodes[static_cast<std::size_t>(operand)].extent;
  };
  const auto id = kernel_of_op(node.op, extent_of(node.a), extent_of(node.b));
  STROBE_CHECK(id.has_value(), "every operator of expressions has a kernel");
  const bool is_row_first = is_one_a_row(extent_of(node.a));
  const NodeIndex tensor = is_row_first ? node.b : node.a;
  const NodeIndex other = is_row_first ? node.a : node.b;
  RowsTask task;
  task.columns = row.count;
  task.in[0] = row.piece(static_cast<std::size_t>(tensor));
  float value = 0;
  if (other != kNoNode && is_one_a_row(extent_of(other))) {
    value = value_of(row, other);
    task.in[1] = &value;
  } else if (other != kNoNode) {
    task.in[1] = row.piece(static_cast<std::size_t>(other));
  }
  if (node.op == Op::kDropout) {
    const std::int64_t place = row.row * columns_ + row.column;
    task.counter = row.dropout_key + static_cast<std::uint32_t>(place);
    task.dropped_below = dropped_below(node.constant);
    task.constant = static_cast<float>(kept_scale(node.constant));
  }
  task.out[0] = row.piece(index);
  kernels_.kernel(DType::kF32, *id)(task, 0, 1);
}

void BlockedExpression::reduce_piece(Row& row, std::size_t index) const {
  const Node& node = expression_.nodes[index];
  const auto operand = static_cast<std::size_t>(node.a);
  double& value = row.values[index];
  if (is_one_a_row(expression_.nodes[operand].extent)) {
    const double same = row.values[operand];
    value = node.op == Op::kRowSum ? value + same * static_cast<double>(row.count) : same;
    return;
  }
  float part = 0;
  RowsTask task;
  task.columns = row.count;
  task.in[0] = row.piece(operand);
  task.out[0] = &part;
  kernels_.kernel(DType::kF32,
                  node.op == Op::kRowSum ? RowsKernelId::kSum : RowsKernelId::kLargest)(task, 0, 1);
  value = node.op == Op::kRowSum ? value + static_cast<double>(part)
                                 : std::max(value, static_cast<double>(part));
}

void BlockedExpression::store_piece(Row& row, std::size_t index) const {
  const Output& output = expression_.outputs[index];
  const auto node = static_cast<std::size_t>(output.node);
  if (is_one_a_row(expression_.nodes[node].extent)) {
    write_value(dtype_, row.outputs[index], row.row, value_of(row, output.node));
    return;
  }
  for (std::int64_t i = 0; i < row.count; ++i) {
    const std::int64_t column = row.column + i;
    const std::int64_t at =
        output.tensor.is_transposed ? column * rows_ + row.row : row.row * columns_ + column;
    write_value(dtype_, row.outputs[index], at, row.piece(node)[i]);
  }
}

// Computes everything that needs at most `pass` reductions, into the next reductions.
void BlockedExpression::sweep(Row& row, int pass) const {
  const std::size_t nodes = expression_.nodes.size();
  for (std::size_t i = 0; i < nodes; ++i) {
    const Node& node = expression_.nodes[i];
    if (is_reduction(node)) {
      if (depth_[i] == pass + 1) row.values[i] = node.op == Op::kRowSum ? 0.0 : -INFINITY;
    } else if (is_one_a_row(node.extent) && depth_[i] <= pass) {
      if (node.op == Op::kConst) row.values[i] = node.constant;
      if (node.op == Op::kColumnCount) row.values[i] = static_cast<double>(columns_);
      if (node.op == Op::kInput) {
        row.values[i] =
            static_cast<double>(read_value(dtype_, row.inputs[static_cast<std::size_t>(node.input)],
                                           node.extent == Extent::kRows ? row.row : 0));
      }
      if (node.a == kNoNode) continue;
      const double b = node.b == kNoNode ? 0 : row.values[static_cast<std::size_t>(node.b)];
      row.values[i] = applied(node.op, row.values[static_cast<std::size_t>(node.a)], b);
    }
  }
  for (row.column = 0; row.column < columns_; row.column += kPieceColumns) {
    row.count = std::min(kPieceColumns, columns_ - row.column);
    for (std::size_t i = 0; i < nodes; ++i) {
      const Node& node = expression_.nodes[i];
      if (is_reduction(node)) {
        if (depth_[i] == pass + 1) reduce_piece(row, i);
      } else if (!is_one_a_row(node.extent) && depth_[i] <= pass) {
        if (node.op == Op::kInput) {
          load_piece(row, i);
        } else {
          compute_piece(row, i);
        }
      }
    }
    if (pass < passes_) continue;
    for (std::size_t i = 0; i < expression_.outputs.size(); ++i) store_piece(row, i);
  }
}

void BlockedExpression::run(const std::vector<const void*>& inputs,
                            const std::vector<void*>& outputs, float* scratch,
                            std::int64_t first_row, std::int64_t last_row,
                            std::uint32_t dropout_key) const {
  Row row{.inputs = inputs,
          .outputs = outputs,
          .scratch = scratch,
          .dropout_key = dropout_key,
          .values = std::vector<double>(expression_.nodes.size(), 0.0)};
  for (row.row = first_row; row.row < last_row; ++row.row) {
    for (int pass = 0; pass <= passes_; ++pass) sweep(row, pass);
  }
}

}  // namespace strobe::bench

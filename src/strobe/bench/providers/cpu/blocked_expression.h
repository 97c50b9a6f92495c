#pragma once

#include <cstdint>
#include <vector>

#include "strobe/bench/cases/expression.h"
#include "strobe/bench/providers/cpu/kernels.h"

// Evaluates any expression, node by node over pieces of a row that stay in the first cache. A row
// needs one pass per dependent reduction and one more; each pass recomputes what it needs.
namespace strobe::bench {

class BlockedExpression {
 public:
  BlockedExpression(Expression expression, const KernelSet& kernels, DType dtype, std::int64_t rows,
                    std::int64_t columns);

  // Floats of scratch that a thread needs.
  std::int64_t scratch() const;
  // Tensors in the order of the expression's inputs and outputs.
  void run(const std::vector<const void*>& inputs, const std::vector<void*>& outputs,
           float* scratch, std::int64_t first_row, std::int64_t last_row,
           std::uint32_t dropout_key) const;

 private:
  struct Row;
  void sweep(Row& row, int pass) const;
  void load_piece(Row& row, std::size_t node) const;
  void compute_piece(Row& row, std::size_t node) const;
  void store_piece(Row& row, std::size_t output) const;
  void reduce_piece(Row& row, std::size_t node) const;
  float value_of(const Row& row, NodeIndex node) const;

  Expression expression_;
  const KernelSet& kernels_;
  DType dtype_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::vector<int> depth_;  // reductions that must be known before a node
  int passes_ = 0;
};

}  // namespace strobe::bench

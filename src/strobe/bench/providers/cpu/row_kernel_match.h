#pragma once

#include <optional>
#include <vector>

#include "strobe/bench/cases/expression.h"
#include "strobe/bench/providers/cpu/kernels.h"

// Finds the kernel that computes an expression.
namespace strobe::bench {

struct RowKernelMatch {
  RowsKernelId id = RowsKernelId::kCopy;
  std::vector<std::size_t> inputs;  // of the expression, in the kernel's order
  double constant = 0;
};
// Nothing: the expression is interpreted.
std::optional<RowKernelMatch> match_row_kernel(const Expression& expression);
// a transposed + b (+ c), with the output in the layout of b and c: their indices in the inputs.
struct TransposedMatch {
  std::size_t turned = 0;
  std::vector<std::size_t> straight;
};
std::optional<TransposedMatch> match_transposed_sum(const Expression& expression);
// c + dropout(a transposed + b), where b, c and the output have the other layout.
std::optional<TransposedMatch> match_transposed_dropout(const Expression& expression);
// One operator on two tensors, on a tensor and a value of the row, or on one tensor.
std::optional<RowsKernelId> kernel_of_op(Op op, Extent a, Extent b);

}  // namespace strobe::bench

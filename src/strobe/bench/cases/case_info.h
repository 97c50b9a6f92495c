#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/cases/expression.h"
#include "strobe/bench/cell.h"

// The benchmarked functions: what each computes and how many bytes a perfect fusion must move.
namespace strobe::bench {

enum class CaseKind : std::uint8_t { kRows, kMatmul, kConvolution, kAttention };

// One operator as an eager framework runs it: its own kernel that reads and writes memory. Its
// inputs have the names of the case's inputs or of outputs of earlier operators.
struct Operator {
  std::string name;  // "cos", "softmax"
  Expression expression;
};

struct CaseInfo {
  std::string_view id;
  std::string_view definition;  // for people, one line
  CaseKind kind = CaseKind::kRows;
  std::vector<Operator> operators = {};  // kRows: in execution order
  int eager_kernels = 0;
  bool has_affine_accuracy_inputs = false;  // checked on U(0, 2) / C: badly conditioned on N(0, 1)
  // The case whose training variant this is; selected only by its own name or by --train.
  std::string_view training_of = {};
};

std::span<const CaseInfo> cases();
const CaseInfo* find_case(std::string_view id);
const CaseInfo* training_variant(std::string_view id);  // null if it has none
// One expression for all operators, without the intermediate tensors.
Expression fused(const CaseInfo& info);

// `transcendentals` are not part of `flops`.
struct CaseCosts {
  double min_bytes = 0;       // what a perfect fusion moves
  double streamed_bytes = 0;  // moved by one kernel that cannot keep a row; >= min_bytes
  double unfused_bytes = 0;   // what one kernel per operator moves
  double flops = 0;
  double transcendentals = 0;
  double ceiling() const { return unfused_bytes / min_bytes; }
};
// Attention counts every query and key: the causal half is not subtracted.
CaseCosts costs_of(const CaseInfo& info, const Shape& shape, DType dtype);
// Whether fusion gains less if a row does not fit on the chip: then it is read again for every
// reduction. If an operator by itself needs its row twice, the unfused side also reads more, and
// nothing is lost.
bool loses_by_streaming(const CaseInfo& info, const CaseCosts& costs);

// Number of axes of a shape of that kind.
std::size_t axes_of(CaseKind kind);
// Length of an axis after a convolution that is padded by half its window.
std::int64_t convolved(std::int64_t length, std::int64_t window, std::int64_t stride);

}  // namespace strobe::bench

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "strobe/bench/cases/expression.h"
#include "strobe/bench/cell.h"

// The vector kernels of the host, one set for each instruction set that this binary was compiled
// for. What a set may use is asked of the machine at run time. Plain pointers only: code for
// another instruction set must share no inline function with the rest of the program.
namespace strobe::bench {

// Some rows of a case or of one operator. A stride is the elements from one row to the next: 0
// where every row reads the same (a bias), 1 where a row has one value (a sum).
struct RowsTask {
  const void* in[3] = {};
  std::int64_t in_stride[3] = {};
  void* out[2] = {};
  std::int64_t out_stride[2] = {};
  std::int64_t columns = 0;
  float* scratch = nullptr;  // one row of f32, of this thread alone
  float constant = 0;        // of operators with one
  bool is_streamed = false;  // the outputs go past the caches
  // Of dropout, whose kept elements are scaled by the constant (reference/dropout.h).
  std::uint32_t counter = 0;  // of the first element of row 0
  std::uint32_t dropped_below = 0;
};
using RowsKernel = void (*)(const RowsTask& task, std::int64_t first_row, std::int64_t last_row);

enum class RowsKernelId : std::uint8_t {
  // Whole cases.
  kPointwiseChain,
  kSoftmax,
  kDoubleSoftmax,
  kSoftmaxBackwardWhole,  // dy, y
  kSoftmaxBackward,       // dy y, y
  kLayernorm,
  kNormChain,
  kSumAndCos,
  kSumAndMax,
  kAddThree,
  kBiasGelu,
  kBiasDropoutAdd,
  // Single operators: of elements, with elements, with one value a row, with a constant.
  kCopy,
  kCos,
  kExp,
  kTanh,
  kRelu,
  kNeg,
  kRsqrt,
  kRecip,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,
  kAddRow,
  kSubRow,
  kMulRow,
  kDivRow,
  kMaxRow,
  kMinRow,
  kRowSub,  // the value of the row first
  kRowDiv,
  kAddConstant,
  kMulConstant,
  kDropout,
  kSum,
  kLargest,
  // Roofs.
  kRead,
  kWrite,
  kCount_,
};

// out[j, i] = a[i, j] + b[j, i] (+ c[j, i]); some of the rows of `out`. With dropout: c is there,
// and the sum of a and b is dropped or scaled before it is added; places count as in a.
struct TransposedTask {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;  // null: without
  void* out = nullptr;
  std::int64_t rows = 0;     // of a
  std::int64_t columns = 0;  // of a: rows of out
  std::uint32_t counter = 0;
  std::uint32_t dropped_below = 0;
  float scale = 1;
};
using TransposedKernel = void (*)(const TransposedTask& task, std::int64_t first,
                                  std::int64_t last);

struct KernelSet {
  std::string_view name;  // "NEON", "AVX-512"
  std::int64_t lanes = 0;
  RowsKernel rows[3][static_cast<std::size_t>(RowsKernelId::kCount_)] = {};  // by DType
  TransposedKernel add_transposed[3] = {};
  TransposedKernel add_dropped_transposed[3] = {};
  const struct ProductKernels* products = nullptr;

  RowsKernel kernel(DType dtype, RowsKernelId id) const {
    return rows[static_cast<std::size_t>(dtype)][static_cast<std::size_t>(id)];
  }
};

// The sets that this machine can run, the best first; never empty.
std::span<const KernelSet* const> kernel_sets();

}  // namespace strobe::bench

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "strobe/bench/cases/expression.h"
#include "strobe/bench/cell.h"

// The vector kernels of the host, one set for each instruction set that this binary was compiled
// for. Which sets can run is determined at run time. Plain pointers only: code for another
// instruction set must share no inline function with the rest of the program.
namespace strobe::bench {

// Some rows of a case or of one operator. A stride is the number of elements from one row to the
// next: 0 if all rows read the same values (a bias), 1 if a row has one value (a sum).
struct RowsTask {
  const void* in[3] = {};
  std::int64_t in_stride[3] = {};
  void* out[2] = {};
  std::int64_t out_stride[2] = {};
  std::int64_t columns = 0;
  float* scratch = nullptr;  // one row of f32, private to this thread
  float constant = 0;        // for operators that have one
  bool is_streamed = false;  // the outputs bypass the caches
  // For dropout; kept elements are scaled by the constant (reference/dropout.h).
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
  // Single operators: on elements, on two tensors, with one value per row, with a constant.
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
  kRowSub,  // the row's value is the left operand
  kRowDiv,
  kAddConstant,
  kMulConstant,
  kDropout,
  kSum,
  kLargest,
  // For measuring roofs.
  kRead,
  kWrite,
  kCount_,
};

// out[j, i] = a[i, j] + b[j, i] (+ c[j, i]); some of the rows of `out`. With dropout c is required;
// the sum of a and b is dropped or scaled before c is added, with the element indices of a.
struct TransposedTask {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;  // null: not added
  void* out = nullptr;
  std::int64_t rows = 0;     // of a
  std::int64_t columns = 0;  // of a: rows of out
  std::uint32_t counter = 0;
  std::uint32_t dropped_below = 0;
  float scale = 1;
};
using TransposedKernel = void (*)(const TransposedTask& task, std::int64_t first,
                                  std::int64_t last);

// Matrix products on the host: the right side is packed into panels once, the left side block by
// block during the product; sums are f32.
//
// The right side [inner, columns], any layout. Panels of `panel` columns follow each other, each
// [inner][panel] f32, the last one padded with zeros.
struct PackTask {
  const void* source = nullptr;
  std::int64_t inner_stride = 0;
  std::int64_t column_stride = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  float* packed = nullptr;
};
using PackKernel = void (*)(const PackTask& task, std::int64_t first_panel,
                            std::int64_t last_panel);

// Rows of a convolution's left side are windows of the image.
struct Windows {
  std::int64_t height = 0, width = 0, channels = 0, window = 0, stride = 0, padding = 0;
  std::int64_t out_height = 0, out_width = 0;
};

// out = relu?(sum scale[n] + shift[n] + addend[m, n]); null parts are left out.
struct MultiplyTask {
  const void* left = nullptr;
  std::int64_t left_stride = 0;
  const Windows* windows = nullptr;  // null: left is a matrix
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  const float* packed = nullptr;
  std::int64_t packed_inner = 0;  // of the whole right side; inner may be less
  void* out = nullptr;
  std::int64_t out_stride = 0;
  float factor = 1;
  const float* scale = nullptr;
  const float* shift = nullptr;
  const void* addend = nullptr;  // as out, of its type
  bool has_relu = false;
  float* scratch = nullptr;  // multiply_scratch floats, private to this thread
};
using MultiplyKernel = void (*)(const MultiplyTask& task, std::int64_t first_row,
                                std::int64_t last_row);

// x scale + (column > row ? mask : 0) for a square of scores, and other separate passes.
struct MaskTask {
  const void* in = nullptr;
  void* out = nullptr;
  std::int64_t sequence = 0;
  float scale = 1;
  float mask = 0;
};
using MaskKernel = void (*)(const MaskTask& task, std::int64_t first_row, std::int64_t last_row);

struct AffineTask {  // out = in scale[n] + shift[n]
  const void* in = nullptr;
  void* out = nullptr;
  std::int64_t columns = 0;
  const float* scale = nullptr;
  const float* shift = nullptr;
};
using AffineKernel = void (*)(const AffineTask& task, std::int64_t first_row,
                              std::int64_t last_row);

// e^(x - max) / sum in place over the first `count` values, zeros up to `padded`.
using SoftmaxInPlace = void (*)(float* row, std::int64_t count, std::int64_t padded);

// For tensors of one type.
struct TypeKernels {
  RowsKernel rows[static_cast<std::size_t>(RowsKernelId::kCount_)] = {};
  TransposedKernel add_transposed = nullptr;
  TransposedKernel add_dropped_transposed = nullptr;
  PackKernel pack = nullptr;
  MultiplyKernel multiply[3] = {};  // by DType of out: this one's or f32; from f32 all
  MaskKernel mask = nullptr;
  AffineKernel affine = nullptr;
};

struct KernelSet {
  std::string_view name;  // "NEON", "AVX-512"
  std::int64_t lanes = 0;
  std::int64_t panel = 0;      // columns of packed matrices
  std::int64_t tile_rows = 0;  // the best number of rows of a product is a multiple of this
  std::int64_t multiply_scratch = 0;
  SoftmaxInPlace softmax = nullptr;
  const TypeKernels* types[3] = {};  // by DType

  std::int64_t panels(std::int64_t columns) const { return (columns + panel - 1) / panel; }
  const TypeKernels& of(DType dtype) const { return *types[static_cast<std::size_t>(dtype)]; }
  RowsKernel kernel(DType dtype, RowsKernelId id) const {
    return of(dtype).rows[static_cast<std::size_t>(id)];
  }
  MultiplyKernel multiply(DType left, DType out) const {
    return of(left).multiply[static_cast<std::size_t>(out)];
  }
};

// The sets that this machine can run, the best first; never empty.
std::span<const KernelSet* const> kernel_sets();

}  // namespace strobe::bench

#pragma once

#include <cstdint>

// Matrix products of the host: the right side is packed into panels once, the left side block by
// block on the way; sums are f32.
namespace strobe::bench {

// The right side [inner, columns], any layout. Panels of `panel` columns stand one after the other,
// each [inner][panel] f32, the last filled up with zeros.
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

// out = relu?(sum scale[n] + shift[n] + addend[m, n]); what is null is left out.
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
  float* scratch = nullptr;  // multiply_scratch floats, of this thread alone
};
using MultiplyKernel = void (*)(const MultiplyTask& task, std::int64_t first_row,
                                std::int64_t last_row);

// x scale + (column > row ? mask : 0) of a square of scores, and other passes of their own.
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

struct ProductKernels {
  std::int64_t panel = 0;      // columns
  std::int64_t tile_rows = 0;  // what rows are best a multiple of
  std::int64_t multiply_scratch = 0;
  PackKernel pack[3] = {};             // by DType
  MultiplyKernel multiply[3][3] = {};  // by DType of left and of out; one of them may be f32
  MaskKernel mask[3] = {};
  AffineKernel affine[3] = {};
  SoftmaxInPlace softmax = nullptr;
};

}  // namespace strobe::bench

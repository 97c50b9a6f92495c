#pragma once

#include <cstddef>
#include <cstdint>

#include "strobe/bench/providers/cpu/kernels.h"
#include "strobe/bench/providers/cpu/simd/row_kernels.h"
#include "strobe/bench/providers/cpu/simd/transposed.h"

// Blocked matrix product. A tile of STROBE_TILE_ROWS rows and STROBE_TILE_VECTORS vectors of
// columns is summed in registers; its right panel stays in the first cache, the packed left block
// in the second.
namespace strobe::bench::STROBE_SIMD {

constexpr std::int64_t kTileRowCount = STROBE_TILE_ROWS;
constexpr std::int64_t kTileVectors = STROBE_TILE_VECTORS;
constexpr std::int64_t kPanel = kTileVectors * kLanes;
constexpr std::int64_t kInnerBlock = 256;
constexpr std::int64_t kRowBlock = 96;
constexpr std::int64_t kColumnBlock = 4096 / kPanel * kPanel;
constexpr std::int64_t kLeftFloats = kRowBlock * kInnerBlock;
constexpr std::int64_t kLineFloats = kTileRowCount * kInnerBlock;
constexpr std::int64_t kScratchFloats = kLeftFloats + kLineFloats + kRowBlock * kColumnBlock;
static_assert(kRowBlock % kTileRowCount == 0 && kTileRowCount % 4 == 0);

STROBE_INLINE std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// `count` values as f32.
template <class T>
STROBE_INLINE void widen(const T* from, std::int64_t count, float* to) {
  F32* const out = reinterpret_cast<F32*>(to);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, load(from + i));
  for (; i < count; ++i) out[i].value = one(from + i);
}

template <class T>
void pack_right(const PackTask& task, std::int64_t first_panel, std::int64_t last_panel) {
  const T* const source = static_cast<const T*>(task.source);
  for (std::int64_t panel = first_panel; panel < last_panel; ++panel) {
    float* const out = task.packed + panel * task.inner * kPanel;
    const std::int64_t from = panel * kPanel;
    const std::int64_t count = least(kPanel, task.columns - from);
    if (count < kPanel)
      __builtin_memset(out, 0, static_cast<std::size_t>(task.inner * kPanel) * sizeof(float));
    if (task.column_stride == 1) {
      for (std::int64_t k = 0; k < task.inner; ++k) {
        widen(source + k * task.inner_stride + from, count, out + k * kPanel);
      }
      continue;
    }
    for (std::int64_t n = 0; n < count; ++n) {
      const T* const column = source + (from + n) * task.column_stride;
      for (std::int64_t k = 0; k < task.inner; ++k)
        out[k * kPanel + n] = one(column + k * task.inner_stride);
    }
  }
}

// Elements first..last of the window that is row `row` of a convolution.
template <class T>
void gather_window(const MultiplyTask& task, std::int64_t row, std::int64_t first,
                   std::int64_t last, float* line) {
  const Windows& w = *task.windows;
  const T* const image = static_cast<const T*>(task.left) +
                         row / (w.out_height * w.out_width) * w.height * w.width * w.channels;
  const std::int64_t top = row / w.out_width % w.out_height * w.stride - w.padding;
  const std::int64_t start = row % w.out_width * w.stride - w.padding;
  const std::int64_t across = w.window * w.channels;  // are contiguous in the image
  for (std::int64_t k = first; k < last;) {
    const std::int64_t y = top + k / across;
    const std::int64_t at = k % across;
    const std::int64_t end = least(last, k + across - at);
    // The part of first..last in this line of the window whose pixels exist.
    const std::int64_t offset =
        start * w.channels + at - k;  // offset of element k from the start of the image's line
    std::int64_t from = k, to = end;
    if (y < 0 || y >= w.height) to = from;
    if (from + offset < 0) from = least(end, -offset);
    if (to + offset > w.width * w.channels) to = w.width * w.channels - offset;
    if (to < from) to = from;
    for (std::int64_t i = k; i < from; ++i) line[i - first] = 0;
    if (to > from)
      widen(image + y * w.width * w.channels + from + offset, to - from, line + from - first);
    for (std::int64_t i = to; i < end; ++i) line[i - first] = 0;
    k = end;
  }
}

// Rows of the left block, turned: [tile][inner][tile row].
template <class T>
void pack_left(const MultiplyTask& task, std::int64_t row, std::int64_t rows, std::int64_t k,
               std::int64_t inner, float* packed, float* lines) {
  for (std::int64_t tile = 0; tile < rows; tile += kTileRowCount) {
    for (std::int64_t m = 0; m < kTileRowCount; ++m) {
      float* const line = lines + m * kInnerBlock;
      if (tile + m >= rows) {
        __builtin_memset(line, 0, static_cast<std::size_t>(inner) * sizeof(float));
      } else if (task.windows) {
        gather_window<T>(task, row + tile + m, k, k + inner, line);
      } else {
        widen(static_cast<const T*>(task.left) + (row + tile + m) * task.left_stride + k, inner,
              line);
      }
    }
    float* const out = packed + tile * kInnerBlock;
    std::int64_t i = 0;
    for (; i + 4 <= inner; i += 4) {
      for (std::int64_t m = 0; m < kTileRowCount; m += 4) {
        Four v[4];
        for (int r = 0; r < 4; ++r) v[r] = loaded<Four>(lines + (m + r) * kInnerBlock + i);
        turn_four(v);
        for (int r = 0; r < 4; ++r) put_anywhere(out + (i + r) * kTileRowCount + m, v[r]);
      }
    }
    for (; i < inner; ++i) {
      for (std::int64_t m = 0; m < kTileRowCount; ++m)
        out[i * kTileRowCount + m] = lines[m * kInnerBlock + i];
    }
  }
}

// If the instruction set supports a lane as operand, it is used from the register; otherwise the
// value is broadcast from memory.
STROBE_INLINE Lanes broadcast([[maybe_unused]] Four four, [[maybe_unused]] const float* values,
                              std::int64_t number) {
#if defined(__aarch64__)
  return all(four[number]);
#else
  return all(values[number]);
#endif
}

// sums[m][n] = sum over k of left[k][m] right[k][n], plus `before` where there is one.
STROBE_INLINE void multiply_tile(const float* left, const float* right, std::int64_t inner,
                                 const float* before, std::int64_t before_stride, float* sums,
                                 std::int64_t sums_stride) {
  Lanes acc[kTileRowCount][kTileVectors];
  STROBE_UNROLL
  for (std::int64_t m = 0; m < kTileRowCount; ++m) {
    STROBE_UNROLL
    for (std::int64_t v = 0; v < kTileVectors; ++v) {
      acc[m][v] = before ? loaded<Lanes>(before + m * before_stride + v * kLanes) : all(0);
    }
  }
  for (std::int64_t k = 0; k < inner; ++k) {
    Lanes b[kTileVectors];
    STROBE_UNROLL
    for (std::int64_t v = 0; v < kTileVectors; ++v)
      b[v] = loaded<Lanes>(right + k * kPanel + v * kLanes);
    STROBE_UNROLL
    for (std::int64_t group = 0; group < kTileRowCount; group += 4) {
      // One load for four rows, which uses the registers that the sums leave.
      const Four four = loaded<Four>(left + k * kTileRowCount + group);
      STROBE_UNROLL
      for (std::int64_t m = 0; m < 4; ++m) {
        const Lanes a = broadcast(four, left + k * kTileRowCount + group, m);
        STROBE_UNROLL
        for (std::int64_t v = 0; v < kTileVectors; ++v) {
          acc[group + m][v] = fused(a, b[v], acc[group + m][v]);
        }
      }
    }
  }
  STROBE_UNROLL
  for (std::int64_t m = 0; m < kTileRowCount; ++m) {
    STROBE_UNROLL
    for (std::int64_t v = 0; v < kTileVectors; ++v) {
      put_anywhere(sums + m * sums_stride + v * kLanes, acc[m][v]);
    }
  }
}

// One row of a finished tile: applies what follows the product, then stores it.
template <class Out>
STROBE_INLINE void finish_row(const MultiplyTask& task, const float* sums, std::int64_t row,
                              std::int64_t column, std::int64_t count) {
  Out* const out = static_cast<Out*>(task.out) + row * task.out_stride + column;
  const Out* const addend =
      task.addend ? static_cast<const Out*>(task.addend) + row * task.out_stride + column : nullptr;
  for (std::int64_t n = 0; n < count; n += kLanes) {
    const std::int64_t some = least(kLanes, count - n);
    Lanes value = loaded<Lanes>(sums + n) * task.factor;
    if (task.scale) {
      Lanes scale = all(0), shift = all(0);
      __builtin_memcpy(&scale, task.scale + column + n,
                       static_cast<std::size_t>(some) * sizeof(float));
      __builtin_memcpy(&shift, task.shift + column + n,
                       static_cast<std::size_t>(some) * sizeof(float));
      value = value * scale + shift;
    }
    Out padded[kLanes] = {};
    if (addend) {
      if (some == kLanes) {
        value = value + load(addend + n);
      } else {
        __builtin_memcpy(padded, addend + n, static_cast<std::size_t>(some) * sizeof(Out));
        value = value + load(padded);
      }
    }
    if (task.has_relu) value = larger(value, all(0));
    if (some == kLanes) {
      store(out + n, value);
    } else {
      store(padded, value);
      __builtin_memcpy(out + n, padded, static_cast<std::size_t>(some) * sizeof(Out));
    }
  }
}

template <class In, class Out>
void multiply(const MultiplyTask& task, std::int64_t first_row, std::int64_t last_row) {
  float* const packed_left = task.scratch;
  float* const lines = packed_left + kLeftFloats;
  float* const partial = lines + kLineFloats;
  for (std::int64_t column = 0; column < task.columns; column += kColumnBlock) {
    const std::int64_t columns = least(kColumnBlock, task.columns - column);
    for (std::int64_t row = first_row; row < last_row; row += kRowBlock) {
      const std::int64_t rows = least(kRowBlock, last_row - row);
      for (std::int64_t k = 0; k < task.inner; k += kInnerBlock) {
        const std::int64_t inner = least(kInnerBlock, task.inner - k);
        const bool is_last = k + inner == task.inner;
        pack_left<In>(task, row, rows, k, inner, packed_left, lines);
        for (std::int64_t n = 0; n < columns; n += kPanel) {
          const float* const right =
              task.packed + (column + n) / kPanel * task.packed_inner * kPanel + k * kPanel;
          for (std::int64_t m = 0; m < rows; m += kTileRowCount) {
            float* const before = partial + m * kColumnBlock + n;
            float* const left = packed_left + m * kInnerBlock;
            if (!is_last) {
              multiply_tile(left, right, inner, k > 0 ? before : nullptr, kColumnBlock, before,
                            kColumnBlock);
              continue;
            }
            float sums[kTileRowCount * kPanel];
            multiply_tile(left, right, inner, k > 0 ? before : nullptr, kColumnBlock, sums, kPanel);
            for (std::int64_t i = 0; i < least(kTileRowCount, rows - m); ++i) {
              finish_row<Out>(task, sums + i * kPanel, row + m + i, column + n,
                              least(kPanel, columns - n));
            }
          }
        }
      }
    }
  }
}

STROBE_FUNCTOR(ScaleAndAdd, 1, 8, true, kNothing, t.out = x[0] * s[0] + s[1]);

template <class T>
void mask_rows(const MaskTask& task, std::int64_t first_row, std::int64_t last_row) {
  for (std::int64_t row = first_row; row < last_row; ++row) {
    const std::int64_t seen = row % task.sequence + 1;
    const T* const in = static_cast<const T*>(task.in) + row * task.sequence;
    T* const out = static_cast<T*>(task.out) + row * task.sequence;
    const float open[2] = {task.scale, 0};
    const float hidden[2] = {task.scale, task.mask};
    const T* const rest = in + seen;
    Sweep<ScaleAndAdd, T, T>::run(&in, out, seen, open, false);
    Sweep<ScaleAndAdd, T, T>::run(&rest, out + seen, task.sequence - seen, hidden, false);
  }
}

template <class T>
void affine_rows(const AffineTask& task, std::int64_t first_row, std::int64_t last_row) {
  for (std::int64_t row = first_row; row < last_row; ++row) {
    const T* const in = static_cast<const T*>(task.in) + row * task.columns;
    T* const out = static_cast<T*>(task.out) + row * task.columns;
    std::int64_t n = 0;
    for (; n + kLanes <= task.columns; n += kLanes) {
      store(out + n, load(in + n) * loaded<Lanes>(task.scale + n) + loaded<Lanes>(task.shift + n));
    }
    for (; n < task.columns; ++n) put(out + n, one(in + n) * task.scale[n] + task.shift[n]);
  }
}

inline void softmax_in_place(float* values, std::int64_t count, std::int64_t padded) {
  F32* const row = reinterpret_cast<F32*>(values);
  const F32* const in[1] = {row};
  const float most = Sweep<Largest, F32, F32>::run(in, nullptr, count, nullptr, false).largest;
  // Not ExpOfDifference: that one reads a piece again if a difference is large.
  const double sum = Sweep<ExpOfAnyDifference, F32, F32>::run(in, row, count, &most, false).sum;
  const auto scale = static_cast<float>(1 / sum);
  Sweep<MulScalar, F32, F32>::run(in, row, count, &scale, false);
  __builtin_memset(values + count, 0, static_cast<std::size_t>(padded - count) * sizeof(float));
}

}  // namespace strobe::bench::STROBE_SIMD

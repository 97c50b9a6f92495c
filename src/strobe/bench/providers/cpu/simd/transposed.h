#pragma once

#include <cstddef>
#include <cstdint>

#include "strobe/bench/providers/cpu/kernels.h"
#include "strobe/bench/providers/cpu/simd/dropout.h"
#include "strobe/bench/providers/cpu/simd/pack.h"

// Sums of tensors with transposed layouts. A tile of one of them is turned in the first cache, so
// that both sides are read and written along their rows.
namespace strobe::bench::STROBE_SIMD {

typedef float Four __attribute__((vector_size(16)));

constexpr std::int64_t kTileRows = 64;     // of a
constexpr std::int64_t kTileColumns = 32;  // of a: two cache lines of f32

struct Tile {
  float values[kTileColumns][kTileRows];  // [j][i]
};

STROBE_INLINE void turn_four(Four (&v)[4]) {
  const Four a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
  const Four b = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
  const Four c = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
  const Four d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
  v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  v[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  v[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

STROBE_INLINE void turn_whole(const F32* a, std::int64_t stride, Tile& tile) {
  for (std::int64_t i = 0; i < kTileRows; i += 4) {
    for (std::int64_t j = 0; j < kTileColumns; j += 4) {
      Four v[4];
      for (int k = 0; k < 4; ++k) v[k] = loaded<Four>(a + (i + k) * stride + j);
      turn_four(v);
      for (int k = 0; k < 4; ++k) put_anywhere(&tile.values[j + k][i], v[k]);
    }
  }
}

// Any other size or type: row by row through a buffer of f32.
template <class T>
STROBE_INLINE void turn_part(const T* a, std::int64_t stride, std::int64_t rows,
                             std::int64_t columns, Tile& tile) {
  for (std::int64_t i = 0; i < rows; ++i) {
    T padded[kTileColumns + kLanes] = {};
    __builtin_memcpy(padded, a + i * stride, static_cast<std::size_t>(columns) * sizeof(T));
    F32 line[kTileColumns + kLanes];
    for (std::int64_t j = 0; j < columns; j += kLanes) store(line + j, load(padded + j));
    for (std::int64_t j = 0; j < columns; ++j) tile.values[j][i] = line[j].value;
  }
}

template <class T>
STROBE_INLINE void add_line(const float* turned, const T* b, const T* c, T* out,
                            std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Lanes sum = load(reinterpret_cast<const F32*>(turned) + i) + load(b + i);
    if (c) sum = load(c + i) + sum;
    store(out + i, sum);
  }
  if (i == count) return;
  const auto bytes = static_cast<std::size_t>(count - i) * sizeof(T);
  T padded[kLanes] = {};
  __builtin_memcpy(padded, b + i, bytes);
  // A tile's line has room for a whole vector: kTileRows is a multiple of every width.
  Lanes sum = load(reinterpret_cast<const F32*>(turned) + i) + load(padded);
  if (c) {
    __builtin_memcpy(padded, c + i, bytes);
    sum = load(padded) + sum;
  }
  store(padded, sum);
  __builtin_memcpy(out + i, padded, bytes);
}

// c + dropout(turned + b); neighbours are `step` counters apart.
template <class T>
STROBE_INLINE void add_dropped_line(const float* turned, const T* b, const T* c, T* out,
                                    std::int64_t count, const Draws& draws, std::uint32_t step) {
  const auto sum = [&](std::int64_t at, const T* b_there, const T* c_there) {
    const Pack<1> x = {load(reinterpret_cast<const F32*>(turned) + at) + load(b_there)};
    return load(c_there) + dropped_out(x, draws, at, step).v[0];
  };
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, sum(i, b + i, c + i));
  if (i == count) return;
  const auto bytes = static_cast<std::size_t>(count - i) * sizeof(T);
  T padded_b[kLanes] = {}, padded_c[kLanes] = {};
  __builtin_memcpy(padded_b, b + i, bytes);
  __builtin_memcpy(padded_c, c + i, bytes);
  store(padded_b, sum(i, padded_b, padded_c));
  __builtin_memcpy(out + i, padded_b, bytes);
}

STROBE_INLINE void turn_if_whole(const F32* a, std::int64_t stride, std::int64_t rows,
                                 std::int64_t columns, Tile& tile) {
  if (rows == kTileRows && columns == kTileColumns) {
    turn_whole(a, stride, tile);
  } else {
    turn_part(a, stride, rows, columns, tile);
  }
}
template <class T>
STROBE_INLINE void turn_if_whole(const T* a, std::int64_t stride, std::int64_t rows,
                                 std::int64_t columns, Tile& tile) {
  turn_part(a, stride, rows, columns, tile);
}

// Rows first..last of out, which are columns of a.
template <class T, bool kDrops = false>
void add_transposed(const TransposedTask& task, std::int64_t first, std::int64_t last) {
  const T* const a = static_cast<const T*>(task.a);
  const T* const b = static_cast<const T*>(task.b);
  const T* const c = static_cast<const T*>(task.c);
  T* const out = static_cast<T*>(task.out);
  Tile tile = {};
  for (std::int64_t j = first; j < last; j += kTileColumns) {
    const std::int64_t columns = last - j < kTileColumns ? last - j : kTileColumns;
    for (std::int64_t i = 0; i < task.rows; i += kTileRows) {
      const std::int64_t rows = task.rows - i < kTileRows ? task.rows - i : kTileRows;
      turn_if_whole(a + i * task.columns + j, task.columns, rows, columns, tile);
      for (std::int64_t k = 0; k < columns; ++k) {
        const std::int64_t at = (j + k) * task.rows + i;
        if constexpr (kDrops) {
          const auto place = static_cast<std::uint32_t>(i * task.columns + j + k);
          add_dropped_line(tile.values[k], b + at, c + at, out + at, rows,
                           {task.counter + place, task.dropped_below, task.scale},
                           static_cast<std::uint32_t>(task.columns));
        } else {
          add_line(tile.values[k], b + at, c ? c + at : nullptr, out + at, rows);
        }
      }
    }
  }
}

}  // namespace strobe::bench::STROBE_SIMD

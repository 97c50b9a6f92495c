#pragma once

#include <cstddef>
#include <cstdint>

#include "strobe/bench/providers/cpu/kernels.h"
#include "strobe/bench/providers/cpu/simd/pack.h"

// Dropout in training: the draws of reference/dropout.h, made where they are needed, a vector of
// counters at a time. Not a sweep: the functors of a sweep do not know the element's index.
namespace strobe::bench::STROBE_SIMD {

// What the elements of a line need for their draws.
struct Draws {
  std::uint32_t counter;  // of the first element
  std::uint32_t dropped_below;
  float scale;
};

// 0, step, 2 step...
STROBE_INLINE BitLanes every(std::uint32_t step) {
  BitLanes numbers;
  for (int i = 0; i < kLanes; ++i) numbers[i] = static_cast<std::uint32_t>(i);
  return numbers * step;
}

// x starts at element `at` of the line; its elements are `step` counters apart.
template <int U>
STROBE_INLINE Pack<U> dropped_out(const Pack<U>& x, const Draws& draws, std::int64_t at,
                                  std::uint32_t step = 1) {
  const std::uint32_t first = draws.counter + static_cast<std::uint32_t>(at) * step;
  const BitLanes numbers = every(step);
  BitLanes z[U];
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) {
    z[k] = numbers + (first + static_cast<std::uint32_t>(k * kLanes) * step);
  }
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) z[k] = (z[k] ^ (z[k] >> 16)) * 0x85EBCA6Bu;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) z[k] = (z[k] ^ (z[k] >> 13)) * 0xC2B2AE35u;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) z[k] = z[k] ^ (z[k] >> 16);
  Pack<U> kept;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) {
    kept.v[k] = select(z[k] < all_bits(draws.dropped_below), Lanes{}, x.v[k] * draws.scale);
  }
  return kept;
}

// dropout(x), or residual + dropout(x + bias), along one row.
template <class T, bool kIsWhole>
class DropoutRow {
 public:
  DropoutRow(const RowsTask& task, std::int64_t row)
      : out_(static_cast<T*>(task.out[0]) + row * task.out_stride[0]),
        draws_{task.counter + static_cast<std::uint32_t>(row * task.in_stride[0]),
               task.dropped_below, task.constant} {
    for (int i = 0; i < kInputs; ++i)
      in_[i] = static_cast<const T*>(task.in[i]) + row * task.in_stride[i];
  }

  void run(std::int64_t count, bool is_streamed) const {
    if (!kStreams || !is_streamed) return piece<false>(0, count);
    // Up to where non-temporal stores may start.
    const auto beyond = reinterpret_cast<std::uintptr_t>(out_) % STROBE_SIMD_BYTES;
    const auto head =
        static_cast<std::int64_t>((STROBE_SIMD_BYTES - beyond) % STROBE_SIMD_BYTES / sizeof(T));
    const std::int64_t begin = head < count ? head : count;
    piece<false>(0, begin);
    piece<true>(begin, count);
    finish_streams();
  }

 private:
  static constexpr int kInputs = kIsWhole ? 3 : 1;
  static constexpr int kVectors = 4;
#if defined(__x86_64__)
  static constexpr bool kStreams = sizeof(T) == 4;
#else
  static constexpr bool kStreams = false;
#endif

  template <int U>
  STROBE_INLINE Pack<U> computed(const T* const* in, std::int64_t at) const {
    Pack<U> x = load_pack<U>(in[0]);
    if constexpr (kIsWhole) x = x + load_pack<U>(in[1]);
    x = dropped_out(x, draws_, at);
    if constexpr (kIsWhole) x = load_pack<U>(in[2]) + x;
    return x;
  }

  template <bool kStreamed, int U>
  STROBE_INLINE void step(std::int64_t at) const {
    const T* in[kInputs];
    for (int i = 0; i < kInputs; ++i) in[i] = in_[i] + at;
    const Pack<U> x = computed<U>(in, at);
    STROBE_UNROLL
    for (int k = 0; k < U; ++k) {
      if constexpr (kStreamed) {
        stream(out_ + at + k * kLanes, x.v[k]);
      } else {
        store(out_ + at + k * kLanes, x.v[k]);
      }
    }
  }

  template <bool kStreamed>
  void piece(std::int64_t at, std::int64_t end) const {
    const DropoutRow here = *this;  // a copy that no store can change
    for (; at + kVectors * kLanes <= end; at += kVectors * kLanes)
      here.template step<kStreamed, kVectors>(at);
    for (; at + kLanes <= end; at += kLanes) here.template step<false, 1>(at);
    if (at < end) here.last(at, end - at);
  }

  // Fewer elements than a vector.
  void last(std::int64_t at, std::int64_t count) const {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    T padded[kInputs][kLanes] = {};
    const T* in[kInputs];
    for (int i = 0; i < kInputs; ++i) {
      __builtin_memcpy(padded[i], in_[i] + at, bytes);
      in[i] = padded[i];
    }
    store(padded[0], computed<1>(in, at).v[0]);
    __builtin_memcpy(out_ + at, padded[0], bytes);
  }

  const T* in_[kInputs];
  T* out_;
  Draws draws_;
};

template <class T, bool kIsWhole>
void drop_rows(const RowsTask& task, std::int64_t first, std::int64_t last) {
  for (std::int64_t row = first; row < last; ++row)
    DropoutRow<T, kIsWhole>(task, row).run(task.columns, task.is_streamed);
}

template <class T>
constexpr void enter_dropout(RowsKernel* table) {
  table[static_cast<std::size_t>(RowsKernelId::kBiasDropoutAdd)] = drop_rows<T, true>;
  table[static_cast<std::size_t>(RowsKernelId::kDropout)] = drop_rows<T, false>;
}

}  // namespace strobe::bench::STROBE_SIMD

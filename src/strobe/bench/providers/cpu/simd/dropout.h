#pragma once

#include "strobe/bench/providers/cpu/simd/pack.h"

// Dropout in training: the draws of reference/dropout.h, made where they are needed, a vector of
// counters at a time.
namespace strobe::bench::STROBE_SIMD {

// What the places of a line of elements need.
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

// x from the element `at` of the line on; its elements are `step` counters apart.
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

}  // namespace strobe::bench::STROBE_SIMD

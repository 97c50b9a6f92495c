#pragma once

#include <cstdint>

#include "strobe/bench/reference/input_values.h"

// Which elements a dropout in training drops, computed only from (seed, index), like the inputs:
// every provider, in any language, on any device, drops the same ones. The index of the element in
// row r and column c is r C + c, regardless of its layout; only its low 32 bits are used.
namespace strobe::bench {

// Added to every index: the upper half of an input word of a tensor number that no case uses.
constexpr std::uint32_t dropout_key(std::uint64_t seed) {
  return static_cast<std::uint32_t>(input_bits(seed, 0xFE, 0) >> 32);
}

// The 32-bit finisher of MurmurHash3 over a counter, which is key + index.
constexpr std::uint32_t dropout_draw(std::uint32_t counter) {
  std::uint32_t z = counter;
  z = (z ^ (z >> 16)) * 0x85EBCA6Bu;
  z = (z ^ (z >> 13)) * 0xC2B2AE35u;
  return z ^ (z >> 16);
}

// An element is dropped if its draw is below p 2^32; kept ones are scaled by 1 / (1 - p).
constexpr std::uint32_t dropped_below(double p) {
  return static_cast<std::uint32_t>(p * 4294967296.0);
}
constexpr double kept_scale(double p) { return 1 / (1 - p); }

constexpr bool is_dropped(std::uint32_t key, std::int64_t index, double p) {
  return dropout_draw(key + static_cast<std::uint32_t>(index)) < dropped_below(p);
}

}  // namespace strobe::bench

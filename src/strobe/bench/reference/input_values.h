#pragma once

#include <cstdint>

#include "strobe/bench/cell.h"
#include "strobe/bench/providers/provider.h"

// The inputs of a cell, value by value, computed only from (seed, tensor, index): every provider,
// in any language, on any device, makes the same bits. Integer arithmetic, with one f32
// multiplication at the end.
namespace strobe::bench {

// splitmix64's finalizer over a counter.
constexpr std::uint64_t input_bits(std::uint64_t seed, std::uint32_t tensor, std::uint64_t index) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15ull + (std::uint64_t{tensor} << 56) + index + 1;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// Approximates N(0, 1): the sum of the four 16-bit parts, centred, over its deviation.
constexpr float normal_value(std::uint64_t bits) {
  const std::int32_t sum = static_cast<std::int32_t>((bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) +
                                                     ((bits >> 32) & 0xFFFF) + (bits >> 48));
  return static_cast<float>(sum - 131070) * 2.6429e-5f;
}

// U(0, 2), never 0: the top 24 bits. `scale` is 1 / C, or 1.
constexpr float uniform_value(std::uint64_t bits, float scale) {
  return static_cast<float>((bits >> 40) + 1) * 1.1920929e-7f * scale;
}

constexpr float input_value(InputLaw law, std::uint64_t seed, std::uint32_t tensor,
                            std::uint64_t index, std::int64_t columns) {
  const std::uint64_t bits = input_bits(seed, tensor, index);
  return law == InputLaw::kNormal ? normal_value(bits)
                                  : uniform_value(bits, 1.0f / static_cast<float>(columns));
}

}  // namespace strobe::bench

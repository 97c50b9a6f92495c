#pragma once

#include <bit>
#include <cstdint>

#include "strobe/bench/cell.h"

// The two 16-bit types by their bits, rounded to nearest, ties to even, identical on every machine.
namespace strobe::bench {

constexpr std::uint16_t f16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return sign | 0x7E00;   // NaN
  if (magnitude >= 0x477FF000) return sign | 0x7C00;  // 65520 and above round to infinity
  if (magnitude < 0x38800000) {                       // below 2^-14: counted in units of 2^-24
    if (magnitude < 0x33000000) return sign;          // below half a unit
    const std::uint32_t shift = 126 - (magnitude >> 23);
    const std::uint32_t mantissa = (magnitude & 0x7FFFFF) | 0x800000;
    const std::uint32_t kept = mantissa >> shift;
    const std::uint32_t rest = mantissa & ((1u << shift) - 1);
    const std::uint32_t half = 1u << (shift - 1);
    const bool is_up = rest > half || (rest == half && (kept & 1));
    return static_cast<std::uint16_t>(sign | (kept + (is_up ? 1 : 0)));
  }
  const std::uint32_t rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

constexpr float f16_value(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t magnitude = half & 0x7FFF;
  if (magnitude >= 0x7C00)
    return std::bit_cast<float>(sign | 0x7F800000 | ((magnitude & 0x3FF) << 13));
  if (magnitude >= 0x400) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
  const float tiny = static_cast<float>(magnitude) * 0x1p-24f;
  return sign ? -tiny : tiny;
}

constexpr std::uint16_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000)
    return static_cast<std::uint16_t>((bits >> 16) | 0x40);  // NaN
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

constexpr float bf16_value(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

// The value after storing it in that type.
constexpr float rounded_to(DType type, float value) {
  switch (type) {
    case DType::kF32:
      return value;
    case DType::kF16:
      return f16_value(f16_bits(value));
    case DType::kBf16:
      return bf16_value(bf16_bits(value));
  }
  return value;
}

}  // namespace strobe::bench

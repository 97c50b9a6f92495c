#pragma once

#include <cstdint>

#include "strobe/bench/cell.h"
#include "strobe/bench/reference/half_float.h"

// Single values of a tensor whose type is known at run time.
namespace strobe::bench {

inline float read_value(DType dtype, const void* tensor, std::int64_t at) {
  if (dtype == DType::kF32) return static_cast<const float*>(tensor)[at];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(tensor)[at];
  return dtype == DType::kF16 ? f16_value(bits) : bf16_value(bits);
}

inline void write_value(DType dtype, void* tensor, std::int64_t at, float value) {
  if (dtype == DType::kF32) {
    static_cast<float*>(tensor)[at] = value;
  } else {
    static_cast<std::uint16_t*>(tensor)[at] =
        dtype == DType::kF16 ? f16_bits(value) : bf16_bits(value);
  }
}

}  // namespace strobe::bench

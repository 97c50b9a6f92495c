#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

// One cell of a benchmark: a case at a shape in a type, by a provider.
namespace strobe::bench {

enum class DType : std::uint8_t { kF32, kF16, kBf16 };
constexpr std::int64_t bytes_of(DType type) { return type == DType::kF32 ? 4 : 2; }
std::string_view dtype_name(DType type);  // "f32", "f16", "bf16"
Result<DType> parse_dtype(std::string_view name);

// Two-dimensional cases: {rows, columns}. matmul: {M, N, K}. convolution: {N, H, W, C, K, R,
// stride}. attention: {batch, sequence, heads, head dimension}.
struct Shape {
  std::vector<std::int64_t> dims;

  std::int64_t operator[](std::size_t axis) const { return dims[axis]; }
  bool operator==(const Shape&) const = default;
  auto operator<=>(const Shape&) const = default;
};
std::string shape_text(const Shape& shape);        // "4096x4096"
Result<Shape> parse_shape(std::string_view text);  // "4096x4096", "4096,4096"

inline constexpr std::int64_t kLargestAxis = std::int64_t{1} << 40;  // limit for parse_shape

struct Cell {
  std::string case_id;
  Shape shape;
  DType dtype = DType::kF32;
  std::string provider;

  bool operator==(const Cell&) const = default;
  auto operator<=>(const Cell&) const = default;
};
std::string cell_text(const Cell& cell);  // "softmax 4096x4096 f32 cuda-fused"

}  // namespace strobe::bench

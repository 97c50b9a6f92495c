#include "strobe/bench/cell.h"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strobe::bench {
namespace {

constexpr std::array kTypeNames = {std::pair{DType::kF32, std::string_view("f32")},
                                   std::pair{DType::kF16, std::string_view("f16")},
                                   std::pair{DType::kBf16, std::string_view("bf16")}};

Error bad_shape(std::string_view text) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = fmt::format("'{}' is not a shape", text),
          .where = "",
          .hint = "sizes with an x between them: 4096x4096"};
}

}  // namespace

std::string_view dtype_name(DType type) {
  for (const auto& [known, name] : kTypeNames) {
    if (known == type) return name;
  }
  return "";
}

Result<DType> parse_dtype(std::string_view name) {
  for (const auto& [type, known] : kTypeNames) {
    if (known == name) return type;
  }
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = fmt::format("'{}' is not a data type", name),
               .where = "",
               .hint = "one of f32, f16, bf16"};
}

std::string shape_text(const Shape& shape) { return fmt::format("{}", fmt::join(shape.dims, "x")); }

Result<Shape> parse_shape(std::string_view text) {
  Shape shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 1 || size > kLargestAxis) return bad_shape(text);
    shape.dims.push_back(size);
    if (next == end) return shape;
    if (*next != 'x' && *next != ',') return bad_shape(text);
    at = next + 1;
  }
}

std::string cell_text(const Cell& cell) {
  return fmt::format("{} {} {} {}", cell.case_id, shape_text(cell.shape), dtype_name(cell.dtype),
                     cell.provider);
}

}  // namespace strobe::bench

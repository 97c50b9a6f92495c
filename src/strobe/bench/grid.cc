#include "strobe/bench/grid.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strobe::bench {
namespace {

using SizeList = std::vector<std::int64_t>;
constexpr std::array<std::string_view, 6> kGridNames = {"quick",  "odd", "grid2d",
                                                        "layout", "mha", "attention"};
constexpr std::int64_t kBatch = 8;  // mha: batch and heads
constexpr std::int64_t kHeads = 8;

// Names of earlier versions are still accepted.
std::string_view present_name(std::string_view grid) {
  if (grid == "seed2d") return "grid2d";
  if (grid == "seed-layout") return "layout";
  if (grid == "seed-mha") return "mha";
  return grid == "seed-attn" ? "attention" : grid;
}

SizeList powers(std::int64_t from, std::int64_t to) {
  SizeList sizes;
  for (std::int64_t size = from; size <= to; size *= 2) sizes.push_back(size);
  return sizes;
}

std::vector<Shape> pairs(const SizeList& rows, const SizeList& columns) {
  std::vector<Shape> shapes;
  for (const std::int64_t row : rows) {
    for (const std::int64_t column : columns) shapes.push_back({{row, column}});
  }
  return shapes;
}

std::vector<Shape> quick_pairs() {
  const SizeList sizes = {128, 1024, 4096, 16384};
  std::vector<Shape> shapes = pairs(sizes, sizes);
  shapes.insert(shapes.end(), {{{65536, 128}}, {{128, 65536}}, {{16384, 65536}}});
  return shapes;
}

// Tails and unaligned rows: the sizes of `quick` plus or minus one, and primes.
std::vector<Shape> odd_pairs() {
  return {{{127, 129}},   {{129, 127}},   {{1023, 1025}}, {{1025, 1023}}, {{4095, 4097}},
          {{4097, 4095}}, {{131, 131}},   {{131, 1021}},  {{1021, 1021}}, {{1021, 4099}},
          {{4099, 131}},  {{4099, 4099}}, {{131, 50257}}, {{50257, 131}}, {{127, 16383}},
          {{3, 65537}},   {{1, 1}},       {{1, 50257}},   {{50257, 1}}};
}

std::vector<Shape> row_grid(std::string_view grid) {
  if (grid == "quick") return quick_pairs();
  if (grid == "odd") return odd_pairs();
  if (grid == "grid2d") return pairs(powers(128, 65536), powers(128, 65536));
  if (grid == "layout") {
    std::vector<Shape> shapes = pairs(powers(32, 65536), {1024});
    for (const Shape& shape : pairs(powers(32, 65536), {128})) shapes.push_back(shape);
    return shapes;
  }
  return {};
}

std::vector<Shape> matmul_grid(std::string_view grid) {
  if (grid == "odd")
    return {{{131, 1021, 127}}, {{127, 129, 131}}, {{1021, 131, 1023}}, {{1, 1, 1}}};
  std::vector<Shape> shapes;
  if (grid != "quick" && grid != "grid2d") return shapes;
  const SizeList sizes = grid == "quick" ? SizeList{128, 1024, 4096, 8192} : powers(128, 65536);
  for (Shape& shape : pairs(sizes, sizes)) {
    shape.dims.push_back(kUsualInner);
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::vector<Shape> convolution_grid(std::string_view grid) {
  if (grid == "odd")
    return {{{3, 17, 13, 5, 7, 3, 1}}, {{2, 19, 23, 3, 11, 5, 2}}, {{1, 7, 7, 1, 1, 1, 1}}};
  if (grid != "quick" && grid != "grid2d") return {};
  return {{{32, 56, 56, 64, 64, 3, 1}},
          {{32, 28, 28, 128, 128, 3, 1}},
          {{32, 14, 14, 256, 256, 3, 1}},
          {{32, 56, 56, 64, 256, 1, 1}},
          {{32, 224, 224, 3, 64, 7, 2}}};
}

std::vector<Shape> attention_grid(std::string_view grid) {
  if (grid == "odd")
    return {{{1, 131, 3, 64}}, {{2, 127, 2, 128}}, {{3, 1, 1, 64}}, {{1, 1021, 1, 64}}};
  if (grid == "quick") {
    return {{{1, 128, 32, 64}},  {{32, 128, 32, 64}},  {{4, 1024, 16, 128}},
            {{8, 2048, 32, 64}}, {{8, 2048, 16, 128}}, {{1, 8192, 16, 128}}};
  }
  std::vector<Shape> shapes;
  if (grid == "mha") {
    for (const Shape& shape : pairs(powers(128, 65536), powers(16, 8192))) {
      shapes.push_back({{kBatch, shape[1], kHeads, shape[0] / kHeads}});
    }
  }
  if (grid == "attention") {
    for (const auto& [width, heads] : {std::pair<int, int>{64, 32}, {128, 16}}) {
      for (const Shape& shape : pairs(powers(1, 32), powers(128, 8192))) {
        shapes.push_back({{shape[0], shape[1], heads, width}});
      }
    }
  }
  return shapes;
}

}  // namespace

std::vector<std::string_view> grid_names() { return {kGridNames.begin(), kGridNames.end()}; }

Result<std::vector<Shape>> grid_shapes(std::string_view typed, CaseKind kind) {
  const std::string_view grid = present_name(typed);
  std::vector<Shape> shapes;
  switch (kind) {
    case CaseKind::kRows:
      shapes = row_grid(grid);
      break;
    case CaseKind::kMatmul:
      shapes = matmul_grid(grid);
      break;
    case CaseKind::kConvolution:
      shapes = convolution_grid(grid);
      break;
    case CaseKind::kAttention:
      shapes = attention_grid(grid);
      break;
  }
  if (!shapes.empty()) return shapes;
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = fmt::format("there is no grid '{}' for this kind of case", typed),
               .where = "--grid",
               .hint = fmt::format("one of {}, or --shape 4096x4096", fmt::join(kGridNames, ", "))};
}

DType usual_dtype(CaseKind kind) {
  return kind == CaseKind::kAttention ? DType::kF16 : DType::kF32;
}

std::string_view usual_grid(CaseKind kind) {
  return kind == CaseKind::kAttention ? "attention" : "grid2d";
}

}  // namespace strobe::bench

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/cell.h"

// Named sets of shapes, in the order in which they run and are shown.
namespace strobe::bench {

inline constexpr std::int64_t kUsualInner = 1024;  // K of matrix products if none is given

std::vector<std::string_view> grid_names();
// The shapes of a grid for cases of that kind: `quick` differs between attention and softmax.
Result<std::vector<Shape>> grid_shapes(std::string_view grid, CaseKind kind);
std::string_view usual_grid(CaseKind kind);  // grid2d, attention, ...
DType usual_dtype(CaseKind kind);            // f32; f16 for attention: its fused kernels need it

}  // namespace strobe::bench

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/cell.h"

// Named sets of shapes, in the order in which they run and in which tables show them.
namespace strobe::bench {

inline constexpr std::int64_t kUsualInner = 1024;  // K of matrix products, where none is named

std::vector<std::string_view> grid_names();
// What a grid means for cases of that kind: `quick` of attention is another list than of softmax.
Result<std::vector<Shape>> grid_shapes(std::string_view grid, CaseKind kind);
std::string_view usual_grid(CaseKind kind);  // grid2d, attention, ...
DType usual_dtype(CaseKind kind);            // f32, of the attention f16: fused ones know no other

}  // namespace strobe::bench

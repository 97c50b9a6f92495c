#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "strobe/analysis/tables/operator_shapes.h"

namespace strobe::analysis {

// Multiplications and additions of one call, or nothing if the shapes do not say.
using FlopFormula = std::optional<std::uint64_t> (*)(const OperatorShapes& shapes);

// Null when the operator has none.
FlopFormula find_flop_formula(std::string_view operator_name);

}  // namespace strobe::analysis

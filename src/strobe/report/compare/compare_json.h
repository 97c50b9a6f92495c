#pragma once

#include <string>

#include "strobe/compare/comparison.h"

namespace strobe::report {

// For tools: every number at full precision, what has none as null. Keys stay, new ones may come; a
// key that changes its meaning raises the version. docs/compare.md describes them.
std::string compare_json(const compare::Comparison& comparison);

}  // namespace strobe::report

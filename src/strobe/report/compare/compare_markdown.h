#pragma once

#include <cstddef>
#include <string>

#include "strobe/compare/comparison.h"

namespace strobe::report {

// For pull requests and wikis: the report of compare_document, and before its remarks on the data
// the tables that readers of the original report know, under their names. `top` rows, 0: all.
std::string compare_markdown(const compare::Comparison& comparison, std::size_t top);

}  // namespace strobe::report

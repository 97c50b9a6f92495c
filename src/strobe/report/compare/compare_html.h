#pragma once

#include <cstddef>
#include <string>

#include "strobe/compare/comparison.h"

namespace strobe::report {

// One file that opens anywhere and asks nobody for anything: the report of compare_document with
// pictures. Its script only sorts the table; without it everything can be read. `top` rows, 0: all.
std::string compare_html(const compare::Comparison& comparison, std::size_t top);

}  // namespace strobe::report

#pragma once

#include <cstddef>
#include <string>

#include "strobe/compare/comparison.h"

namespace strobe::report {

// One line per function, metric and device, with the keys of the JSON as header and every number at
// full precision; unknown values are empty. A function without metrics has one line with an empty
// metric.
std::string compare_csv(const compare::Comparison& comparison);

// One self-contained file: the report of compare_document with pictures. Its script only sorts the
// table; without it everything can still be read. `top` rows, 0: all.
std::string compare_html(const compare::Comparison& comparison, std::size_t top);

// For tools: every number at full precision, null if unknown. Keys are stable, new ones may be
// added; a key that changes its meaning raises the version. docs/compare.md describes them.
std::string compare_json(const compare::Comparison& comparison);

// For pull requests and wikis: the report of compare_document, and before its remarks on the data
// the tables that readers of the original report know, under their names. `top` rows, 0: all.
std::string compare_markdown(const compare::Comparison& comparison, std::size_t top);

}  // namespace strobe::report

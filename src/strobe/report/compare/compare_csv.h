#pragma once

#include <string>

#include "strobe/compare/comparison.h"

namespace strobe::report {

// One line per function, metric and device, with the keys of the JSON as header and every number at
// full precision; what has no value is empty. A function without metrics has one line with an empty
// metric.
std::string compare_csv(const compare::Comparison& comparison);

}  // namespace strobe::report

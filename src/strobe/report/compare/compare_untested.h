#pragma once

#include <string>
#include <vector>

#include "strobe/compare/comparison.h"

namespace strobe::report {

// The largest differences of a comparison that has too few cycles for a test: of the devices' idle
// time, of the work on devices and of the host. They are what was seen, not evidence.
std::vector<std::string> untested_differences(const compare::Comparison& comparison);

}  // namespace strobe::report

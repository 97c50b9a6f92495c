#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/cycles/cycles.h"

namespace strobe::compare {

// Which cycles of a device are not whole: those with fewer than 80 % of the slices that the median
// cycle of their type has, and those whose border is where the trace itself was cut.
std::vector<bool> partial_cycles(const std::vector<analysis::Cycle>& cycles,
                                 const std::vector<std::uint64_t>& slices);

}  // namespace strobe::compare

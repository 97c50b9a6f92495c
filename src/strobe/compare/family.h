#pragma once

#include <vector>

#include "strobe/compare/change.h"

namespace strobe::compare {

// Gives tests that are asked together their q, from the rank test's p. Those with too few values to
// ever succeed take no part.
void adjust_family(const std::vector<Change*>& family);

}  // namespace strobe::compare

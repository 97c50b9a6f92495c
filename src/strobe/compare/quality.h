#pragma once

#include <string>
#include <vector>

#include "strobe/compare/comparison.h"
#include "strobe/compare/pairing.h"

namespace strobe::compare {

// What a reader should know before believing the numbers: how the runs were cut, what was left out
// and why, how well samplers kept up. Worst first.
std::vector<std::string> quality_of(const Comparison& comparison,
                                    const std::vector<SideFacts>& baselines);

}  // namespace strobe::compare

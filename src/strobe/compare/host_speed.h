#pragma once

#include <optional>
#include <vector>

#include "strobe/compare/between_runs.h"
#include "strobe/compare/comparison_parts.h"

namespace strobe::compare {

// The logarithm of the factor by which the host's calls typically take longer than in the first
// normal run; each function has one vote. None if there are too few to tell.
std::optional<SideValues> log_host_speeds(const std::vector<PairedRank>& ranks,
                                          analysis::CycleType type);

}  // namespace strobe::compare

#pragma once

#include <span>
#include <vector>

#include "strobe/analysis/health/health.h"

namespace strobe::analysis {

// What is seen only in several ranks together: they were recorded at different times, some steps of
// some ranks are missing, or whole ranks.
std::vector<HealthRemark> judge_ranks_together(std::span<const RankHealthInput> ranks);

}  // namespace strobe::analysis

#pragma once

#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/report/summary/summary_report.h"

namespace strobe::report {

// The findings of a run of several ranks: who keeps the others waiting, and of each kind the worst,
// with the name of its rank. Times summed over ranks would support no sentence about any of them.
std::vector<analysis::Finding> findings_of_run(const std::vector<RankInput>& ranks);

}  // namespace strobe::report

#pragma once

#include <string>

#include "strobe/compare/one_run.h"

namespace strobe::report {

// One bar per rank: its own time in the cycle, then its time in collectives; "" without ranks.
std::string rank_times_plot(const compare::Stragglers& stragglers);

// One bar per rank: how long the others waited for it in collectives; "" if nobody waited.
std::string rank_waits_plot(const compare::Stragglers& stragglers);

}  // namespace strobe::report

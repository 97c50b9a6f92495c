#pragma once

#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/compare/measure/launched_work.h"
#include "strobe/compare/measure/measure.h"
#include "strobe/compare/measure/time_parts.h"

namespace strobe::compare {

struct WaitTimes {
  std::vector<IdleCycles> idle;        // by cause; together they are all idle time of the cycles
  std::vector<LaunchCycles> launches;  // in the order of the index's devices, without the host
};

// What the host did in each cycle while no device worked, and how long launched work waited. Both
// as in analysis/waits; names are canonical, so that two builds can be compared. Empty if the trace
// has no device work.
WaitTimes measure_wait_times(const analysis::AttributedTrace& input, const FunctionIndex& index,
                             const TimeParts& cycles);

}  // namespace strobe::compare

#pragma once

#include <vector>

#include "strobe/trace/metric_series.h"
#include "tests/support/faults/machine.h"
#include "tests/support/faults/workload.h"

namespace strobe {

// The samples of a run: coarse, late, and not in every cycle. They extend beyond the trace on both
// sides, on the wall clock, `base_time_ns` after the trace's own.
std::vector<MetricSeries> sample(const Happenings& happenings, const Workload& workload,
                                 const Conditions& conditions, std::int64_t base_time_ns,
                                 Dice dice);

}  // namespace strobe

#pragma once

#include <string>
#include <vector>

#include "strobe/trace/metric_series.h"
#include "strobe/trace/trace.h"

namespace strobe::readers {

// The counters of a trace as series, by device, then metric. A counter belongs to the device whose
// streams its process holds, else to the host; one with several values is a series for each. Of two
// values for one time the last counts.
std::vector<MetricSeries> counter_series(const Trace& trace);

// "GPU 7": how a trace's device is called where series name theirs.
std::string device_text(const Trace& trace, std::int32_t device);

}  // namespace strobe::readers

#pragma once

#include <string>
#include <vector>

#include "strobe/compare/measure/function_index.h"
#include "strobe/compare/measure/function_times.h"
#include "strobe/compare/measure/measure.h"
#include "strobe/compare/measure/time_parts.h"

namespace strobe::compare {

struct MetricsOfRank {
  std::vector<SeriesCycles> series;   // as the capture has them
  std::vector<MetricCycles> metrics;  // by function, then series
  std::vector<std::string> remarks;
};

// Every series over the cycles, over its device's busy time, and over the time of each function
// that it is in scope of.
MetricsOfRank average_metrics(const RankCapture& capture, const FunctionIndex& index,
                              const std::vector<DeviceWork>& devices, const TimeParts& cycles);

}  // namespace strobe::compare

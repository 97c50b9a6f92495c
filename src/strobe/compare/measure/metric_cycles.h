#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/compare/measure/function_times.h"
#include "strobe/compare/measure/measure.h"
#include "strobe/compare/measure/time_parts.h"
#include "strobe/device/metric_info.h"

namespace strobe::compare {

// On which clock a series was sampled, and what to add to its times to get the trace's.
struct SeriesClock {
  TimeBase base = TimeBase::kTrace;
  std::int64_t shift_ns = 0;
};

// `extent` is the trace's. As it stands where that fits; else with the trace's base time, which
// recent writers leave out of their times; else not at all.
SeriesClock clock_of(const MetricSeries& series, Interval extent, std::int64_t base_time_ns);

// Why a series has no place in the trace: both ranges, in seconds.
std::string no_overlap_remark(const std::string& whose, Interval samples, Interval extent,
                              std::int64_t base_time_ns);

// Whether a metric of a function's device is worth averaging over that function's time.
bool is_in_scope(device::MetricScope scope, const FunctionKey& function);

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

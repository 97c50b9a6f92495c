#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/compare/measure/function_times.h"
#include "strobe/compare/measure/measure.h"
#include "strobe/compare/measure/time_parts.h"
#include "strobe/device/metric_info.h"

namespace strobe::compare {

// The clock of a series, and the offset from its times to the trace's.
struct SeriesClock {
  TimeBase base = TimeBase::kTrace;
  std::int64_t shift_ns = 0;
};

// `extent` is the trace's. Times are used unchanged if they fit; else with the trace's base time,
// which recent writers subtract from their times; else not at all.
SeriesClock clock_of(const MetricSeries& series, Interval extent, std::int64_t base_time_ns);

// Why a series does not overlap the trace: both ranges, in seconds.
std::string no_overlap_remark(const std::string& whose, Interval samples, Interval extent,
                              std::int64_t base_time_ns);

// Whether a metric of a function's device should be averaged over that function's time.
bool is_in_scope(device::MetricScope scope, const FunctionKey& function);

// The median; of bits, those that most values have. 0 without values.
double typical_value(const device::MetricInfo& info, std::span<const double> values);

// Of each cycle, the number of the sample that its value comes from, among those inside the cycles.
// A gauge stays what it was at its last sample; a window or counter describes the time before its
// sample. A cycle with a sample inside has one of its own, others share that of a neighbour.
std::vector<std::size_t> samples_of_cycles(const TimeParts& cycles, device::MetricKind kind,
                                           std::span<const std::int64_t> times_ns);

struct MetricsOfRank {
  std::vector<SeriesCycles> series;   // in the order of the capture; those of processes last
  std::vector<MetricCycles> metrics;  // by function, then series
  std::vector<std::string> remarks;
};

// Averages every series over the cycles, over its device's busy time, and over the time of each
// function in its scope. Of bits, the usual ones of each cycle take the place of a mean.
MetricsOfRank average_metrics(const RankCapture& capture, const FunctionIndex& index,
                              const std::vector<DeviceWork>& devices, const TimeParts& cycles);

}  // namespace strobe::compare

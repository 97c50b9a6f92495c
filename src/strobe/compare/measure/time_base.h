#pragma once

#include <cstdint>
#include <string>

#include "strobe/base/interval.h"
#include "strobe/compare/measure/measure.h"

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

}  // namespace strobe::compare

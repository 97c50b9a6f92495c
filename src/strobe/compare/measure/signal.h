#pragma once

#include <cstdint>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/device/metric_info.h"
#include "strobe/trace/metric_series.h"

namespace strobe::compare {

// A stretch of time on which a metric runs straight.
struct Piece {
  Interval interval;
  double value = 0;  // at its start
  double slope_per_ns = 0;
};

// A metric as a function of time: ascending, disjoint; where no piece is, nothing is known.
using Signal = std::vector<Piece>;

// What the samples say between themselves, in the unit of `info`, at the trace's times. A gauge is
// straight from sample to sample and holds its first and last value for two median periods; a
// window holds its value back to the sample before, the first one therefore nowhere; a counter is
// the window of its rate per second, with a gap where it was reset.
Signal signal_of(const MetricSeries& series, const device::MetricInfo& info, std::int64_t shift_ns);

double median_period_ns(const MetricSeries& series);  // 0 with fewer than two samples

}  // namespace strobe::compare

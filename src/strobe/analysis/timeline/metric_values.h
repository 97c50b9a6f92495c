#pragma once

#include <cstdint>
#include <vector>

#include "strobe/device/metric_info.h"

namespace strobe::analysis {

struct MetricSample {
  std::int64_t time_ns = 0;
  double value = 0;
};

// How long samples hold.
enum class SampleHold : std::uint8_t {
  kAlways,     // until the next one, however late that is
  kWhileThere  // the thing may come and go: if samples stay away, nothing is known
};

// Samples, sorted by time, as a line in the unit of their metric: each value holds until the next
// one, NaN where nothing is known. A gauge holds from its sample on; a window describes the time
// before its sample; of a counter the rate is drawn, from sample to sample.
std::vector<MetricSample> metric_line(const std::vector<MetricSample>& samples,
                                      const device::MetricInfo& info, SampleHold hold);

}  // namespace strobe::analysis

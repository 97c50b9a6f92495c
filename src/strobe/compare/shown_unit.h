#pragma once

#include <string_view>

#include "strobe/device/metric_info.h"

namespace strobe::compare {

// The unit in which people read a metric, and the factor to it from the metric's own.
struct ShownUnit {
  std::string_view unit;
  double scale = 1;
};

// Milliseconds in a second are a share of the time: 668 ms/s are 66.8 %. What is counted is read as
// "40 per s". All others stay.
ShownUnit shown_unit(const device::MetricInfo& info);

}  // namespace strobe::compare

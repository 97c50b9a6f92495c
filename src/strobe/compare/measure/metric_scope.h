#pragma once

#include "strobe/compare/measure/measure.h"
#include "strobe/device/metric_info.h"

namespace strobe::compare {

// Whether a metric of a function's device is worth averaging over that function's time.
bool is_in_scope(device::MetricScope scope, const FunctionKey& function);

}  // namespace strobe::compare

#pragma once

#include <span>
#include <string_view>

#include "strobe/compare/measure/measure.h"

namespace strobe::compare {

// A metric as the older report knows it. It prints percentages as such and everything else a
// hundredfold: 1155 MHz as 115,500.
struct CompatMetric {
  std::string_view name;
  double scale = 1;
};

// Which metrics it sets beside a function: a fixed table by what the function is. Empty for
// functions it does not list.
std::span<const CompatMetric> compat_metrics(const FunctionKey& function);

}  // namespace strobe::compare

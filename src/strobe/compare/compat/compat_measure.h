#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/compare/measure/measure.h"
#include "strobe/trace/run.h"

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

// One function with one metric in one run: an element for each cycle in which the function ran and
// the metric was sampled. The other cycles do not exist for this pair, its beta included.
struct CompatTriplet {
  std::string function;
  std::string metric;
  std::string device;
  std::vector<double> betas;  // time in percent of the cycle, added over tracks
  std::vector<double> mus;    // mean of the metric while it ran
};

// A call belongs whole to the cycle in which it begins.
std::vector<CompatTriplet> measure_compat(const RankCapture& capture,
                                          const analysis::CycleList& cycles);

// The older report keeps what it measures with 4 decimals: this makes the ties that its tests then
// see. Half a unit, after scaling, goes to the even neighbour: 0.07335 to 0.0734, 0.05005 to 0.05.
double stored(double value);

}  // namespace strobe::compare

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/compare/measure/measure.h"
#include "strobe/trace/run.h"

namespace strobe::compare {

// A metric in the older report, which prints percentages as they are and everything else times 100:
// 1155 MHz as 115,500.
struct CompatMetric {
  std::string_view name;
  double scale = 1;
};

// The metrics that it shows with a function: a fixed table by the kind of function. Empty for
// functions that it does not list.
std::span<const CompatMetric> compat_metrics(const FunctionKey& function);

// One function with one metric in one run: an element for each cycle in which the function ran and
// the metric was sampled. Other cycles are ignored for this pair, including their beta.
struct CompatTriplet {
  std::string function;
  std::string metric;
  std::string device;
  std::vector<double> betas;  // time in percent of the cycle, added over tracks
  std::vector<double> mus;    // mean of the metric while it ran
};

// A whole call belongs to the cycle in which it begins.
std::vector<CompatTriplet> measure_compat(const RankCapture& capture,
                                          const analysis::CycleList& cycles);

// The older report stores its measurements with 4 decimals, which creates the ties that its tests
// see. Half a unit, after scaling, is rounded to even: 0.07335 to 0.0734, 0.05005 to 0.05.
double stored(double value);

}  // namespace strobe::compare

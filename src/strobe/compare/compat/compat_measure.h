#pragma once

#include <string>
#include <vector>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/trace/run.h"

namespace strobe::compare {

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

#pragma once

#include <span>
#include <vector>

#include "strobe/bench/results/cell_record.h"

namespace strobe::bench {

// A time one may work with: a number that is not negative.
bool is_usable(double sample_us);

// Quantiles, spread and the 95 % interval of the median, of samples in the order of measuring; what
// is not usable is left out. The interval is that of order statistics, exact for independent
// samples; where neighbours are alike it is as wide as that of so many fewer. Below six samples no
// such interval exists, and it is all that was seen.
TimeSummary summarise(std::vector<double> samples_us);

}  // namespace strobe::bench

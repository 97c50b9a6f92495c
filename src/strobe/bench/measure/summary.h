#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "strobe/bench/results/cell_record.h"

// What samples say: the summary of a time, and which samples count in it.
namespace strobe::bench {

// A time one may work with: a number that is not negative.
bool is_usable(double sample_us);

// Quantiles, spread and the 95 % interval of the median, of samples in the order of measuring; what
// is not usable is left out. The interval is that of order statistics, exact for independent
// samples; where neighbours are alike it is as wide as that of so many fewer. Below six samples no
// such interval exists, and it is all that was seen.
TimeSummary summarise(std::vector<double> samples_us);

// Samples and the clock each was taken at; `sm_mhz` is as long, or empty where no clock can be
// read.
struct ClockedSamples {
  std::vector<double> samples_us;
  std::vector<double> sm_mhz;
};

struct KeptSamples {
  std::vector<double> samples_us;  // never empty unless nothing was measured
  std::size_t set_aside = 0;
  bool is_throttled = false;
};

// Leaves out what was measured at less than `below` of the usual clock. If that were more than the
// share `most` of all samples, a slow clock is how this cell runs: all are kept, and it says so.
// `usual_mhz` 0: nobody knows, and all are kept.
KeptSamples set_throttled_aside(const ClockedSamples& all, double usual_mhz, double below,
                                double most);

// The median of all clocks that were read; 0 where none was.
double usual_clock(std::span<const ClockedSamples> contenders);

// `--net`: what is left of a time when the event pair around it is taken off; spread and counts
// stay. Only a time between events has such a pair, and only a measured floor can be taken off:
// else nothing. A time below the floor is 0. No record ever holds a net time.
std::optional<TimeSummary> net_of(const TimeSummary& gross, TimeMode mode, const Floors& floors);

}  // namespace strobe::bench

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "strobe/bench/results/cell_record.h"

// The summary of a time, and which samples count in it.
namespace strobe::bench {

// A usable time: a number that is not negative.
bool is_usable(double sample_us);

// Quantiles, spread and the 95 % interval of the median, of samples in measured order; unusable
// ones are left out. The interval is that of order statistics, exact for independent samples. If
// neighbours correlate, it is as wide as for the smaller number of independent samples. Below six
// samples no such interval exists, and it stays empty.
TimeSummary summarise(std::vector<double> samples_us);

// Samples and the clock at each; `sm_mhz` has the same length, or is empty if no clock can be read.
struct ClockedSamples {
  std::vector<double> samples_us;
  std::vector<double> sm_mhz;
};

struct KeptSamples {
  std::vector<double> samples_us;  // empty only if nothing was measured
  std::size_t set_aside = 0;
  bool is_throttled = false;
};

// Leaves out samples at less than `below` of the usual clock. If that is more than the share `most`
// of all samples, this cell runs at a low clock: all samples are kept, and is_throttled is set.
// `usual_mhz` 0: unknown, and all samples are kept.
KeptSamples set_throttled_aside(const ClockedSamples& all, double usual_mhz, double below,
                                double most);

// The median of all clocks that were read; 0 if none was.
double usual_clock(std::span<const ClockedSamples> contenders);

// `--net`: a time minus the cost of the event pair around it; spread and counts stay. Nothing for
// times without such a pair, and without a measured floor. A time below the floor is 0. No record
// ever holds a net time.
std::optional<TimeSummary> net_of(const TimeSummary& gross, TimeMode mode, const Floors& floors);

}  // namespace strobe::bench

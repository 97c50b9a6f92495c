#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace strobe::bench {

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

}  // namespace strobe::bench

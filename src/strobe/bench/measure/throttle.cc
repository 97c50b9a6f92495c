#include "strobe/bench/measure/throttle.h"

#include <cmath>

#include "strobe/stats/moments.h"

namespace strobe::bench {

KeptSamples set_throttled_aside(const ClockedSamples& all, double usual_mhz, double below,
                                double most) {
  KeptSamples kept;
  const bool has_clocks = usual_mhz > 0 && all.sm_mhz.size() == all.samples_us.size();
  if (!has_clocks) {
    kept.samples_us = all.samples_us;
    return kept;
  }
  for (std::size_t i = 0; i < all.samples_us.size(); ++i) {
    // A clock that reads 0 or NaN was not read: nothing is known against the sample.
    const bool is_low = all.sm_mhz[i] > 0 && all.sm_mhz[i] < below * usual_mhz;
    if (!is_low) kept.samples_us.push_back(all.samples_us[i]);
  }
  kept.set_aside = all.samples_us.size() - kept.samples_us.size();
  if (static_cast<double>(kept.set_aside) > most * static_cast<double>(all.samples_us.size())) {
    kept = {.samples_us = all.samples_us, .set_aside = 0, .is_throttled = true};
  }
  return kept;
}

double usual_clock(std::span<const ClockedSamples> contenders) {
  std::vector<double> clocks;
  for (const ClockedSamples& contender : contenders) {
    for (const double mhz : contender.sm_mhz) {
      if (std::isfinite(mhz) && mhz > 0) clocks.push_back(mhz);
    }
  }
  return clocks.empty() ? 0 : stats::median_of(clocks);
}

}  // namespace strobe::bench

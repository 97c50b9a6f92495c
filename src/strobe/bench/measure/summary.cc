#include "strobe/bench/measure/summary.h"

#include <algorithm>
#include <cmath>

#include "strobe/stats/moments.h"
#include "strobe/stats/quantiles.h"

namespace strobe::bench {

bool is_usable(double sample_us) { return std::isfinite(sample_us) && sample_us >= 0; }

TimeSummary summarise(std::vector<double> samples_us) {
  std::erase_if(samples_us, [](double sample) { return !is_usable(sample); });
  TimeSummary summary;
  if (samples_us.empty()) return summary;
  summary.samples_us.assign(samples_us.begin(), samples_us.end());
  const std::size_t independent = stats::effective_count(samples_us);

  std::sort(samples_us.begin(), samples_us.end());
  summary.n = samples_us.size();
  summary.min = samples_us.front();
  summary.p20 = stats::quantile_of_sorted(samples_us, 0.2);
  summary.p50 = stats::quantile_of_sorted(samples_us, 0.5);
  summary.p80 = stats::quantile_of_sorted(samples_us, 0.8);
  const stats::MedianInterval interval = stats::median_interval(samples_us, independent);
  // The range of a few calls is not a confidence interval of their median.
  if (interval.holds) summary.ci95 = {interval.low, interval.high};
  for (double& sample : samples_us) sample = std::abs(sample - summary.p50);
  summary.mad = stats::median_of(samples_us);
  return summary;
}

KeptSamples set_throttled_aside(const ClockedSamples& all, double usual_mhz, double below,
                                double most) {
  KeptSamples kept;
  const bool has_clocks = usual_mhz > 0 && all.sm_mhz.size() == all.samples_us.size();
  if (!has_clocks) {
    kept.samples_us = all.samples_us;
    return kept;
  }
  for (std::size_t i = 0; i < all.samples_us.size(); ++i) {
    // A clock of 0 or NaN was not read, so the sample is kept.
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

std::optional<TimeSummary> net_of(const TimeSummary& gross, TimeMode mode, const Floors& floors) {
  if (mode != TimeMode::kDevice || !floors.event_pair) return {};
  const double pair_us = *floors.event_pair;
  TimeSummary net = gross;
  for (double* time : {&net.p50, &net.p20, &net.p80, &net.min, &net.ci95[0], &net.ci95[1]}) {
    *time = std::max(0.0, *time - pair_us);
  }
  for (float& sample : net.samples_us) {
    sample = std::max(0.0F, sample - static_cast<float>(pair_us));
  }
  return net;
}

}  // namespace strobe::bench

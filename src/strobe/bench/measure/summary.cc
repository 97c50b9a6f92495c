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
  // All that a few calls have shown is no interval of their median.
  if (interval.holds) summary.ci95 = {interval.low, interval.high};
  for (double& sample : samples_us) sample = std::abs(sample - summary.p50);
  summary.mad = stats::median_of(samples_us);
  return summary;
}

}  // namespace strobe::bench

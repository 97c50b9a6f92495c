#include "strobe/bench/judge/time_step.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace strobe::bench {

double time_step(std::span<const double> sorted_us) {
  constexpr std::size_t kLeastSamples = 20;
  constexpr double kLeastShare = 0.001;
  constexpr double kMostShare = 0.05;  // so far apart they are modes
  constexpr double kSingle = 1e-6;     // samples are kept in single precision
  if (sorted_us.size() < kLeastSamples) return 0;
  const double median = sorted_us[sorted_us.size() / 2];
  double step = median;
  std::vector<double> values;
  for (const double value : sorted_us) {
    const double gap = values.empty() ? median : value - values.back();
    if (gap <= kSingle * median) continue;
    if (!values.empty()) step = std::min(step, gap);
    values.push_back(value);
  }
  // Continuous times are all different; a clock's steps come again and again.
  if (values.size() < 3 || 4 * values.size() > sorted_us.size()) return 0;
  if (step < kLeastShare * median || step > kMostShare * median) return 0;
  for (const double value : values) {
    const double steps = (value - values.front()) / step;
    const double tolerance = 0.02 + 2 * kSingle * value / step;
    if (std::abs(steps - std::round(steps)) > tolerance * std::max(1.0, std::sqrt(steps))) return 0;
  }
  return step;
}

}  // namespace strobe::bench

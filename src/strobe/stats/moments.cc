#include "strobe/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strobe::stats {

Moments moments_of(std::span<const double> sample) {
  Moments moments;
  double squares = 0;
  for (const double value : sample) {
    ++moments.n;
    const double step = value - moments.mean;
    moments.mean += step / static_cast<double>(moments.n);
    squares += step * (value - moments.mean);
  }
  if (moments.n > 1) moments.deviation = std::sqrt(squares / static_cast<double>(moments.n - 1));
  return moments;
}

double median_of(std::span<const double> sample) {
  if (sample.empty()) return kNan;
  std::vector<double> values(sample.begin(), sample.end());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::vector<double> log1p_of(std::span<const double> sample) {
  std::vector<double> logs(sample.begin(), sample.end());
  for (double& value : logs) value = std::log1p(std::max(value, 0.0));
  return logs;
}

}  // namespace strobe::stats

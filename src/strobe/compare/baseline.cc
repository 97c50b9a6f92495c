#include "strobe/compare/baseline.h"

#include <cmath>
#include <limits>

#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"

namespace strobe::compare {

double between_runs_p(std::span<const double> normal_means, double abnormal_mean) {
  if (normal_means.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const stats::Moments runs = stats::moments_of(normal_means);
  const double difference = abnormal_mean - runs.mean;
  if (runs.deviation == 0) return difference == 0 ? 1 : 0;
  const auto k = static_cast<double>(runs.n);
  return stats::student_tails(difference / (runs.deviation * std::sqrt(1 + 1 / k)), k - 1);
}

}  // namespace strobe::compare

#include "strobe/stats/binomial.h"

#include <algorithm>
#include <cmath>

namespace strobe::stats {

double binomial_tail(std::uint64_t successes, std::uint64_t trials, double probability) {
  if (successes == 0 || probability >= 1) return 1;
  if (probability <= 0) return 0;
  const auto n = static_cast<double>(trials);
  double sum = 0;
  for (std::uint64_t i = successes; i <= trials; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(probability) + (n - k) * std::log1p(-probability));
  }
  return std::min(sum, 1.0);
}

}  // namespace strobe::stats

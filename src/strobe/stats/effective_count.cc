#include "strobe/stats/effective_count.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "strobe/stats/fft.h"
#include "strobe/stats/moments.h"

namespace strobe::stats {
namespace {

constexpr std::size_t kLeastValues = 8;
constexpr double kOneInTwenty = 1.645;  // independent values exceed it one time in twenty

}  // namespace

// The variance of a median of n values with density f there is (1 + 2 (r1 + r2 + ...)) / (4 n f^2),
// where r is the autocorrelation of the sides of the median, not of the values: an outlier counts
// no more than its neighbour. Of independent values every r is about 0 +- 1 / sqrt(n); the sum ends
// at the first that could be chance.
std::size_t effective_count(std::span<const double> in_order) {
  const std::size_t n = in_order.size();
  if (n < kLeastValues) return n;
  const double median = median_of(in_order);
  std::vector<double> sides;
  double mean = 0;
  for (const double value : in_order) {
    sides.push_back(value > median ? 1 : value < median ? -1 : 0);
    mean += sides.back() / static_cast<double>(n);
  }
  for (double& side : sides) side -= mean;
  const std::vector<double> sums = autocorrelation(sides);
  if (!(sums[0] > 1e-9)) return n;
  const double chance = kOneInTwenty / std::sqrt(static_cast<double>(n));
  double inflation = 1;
  for (std::size_t lag = 1; lag < n / 2; ++lag) {
    const double r = sums[lag] / sums[0];
    if (r <= chance) break;
    inflation += 2 * r;
  }
  return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(n) / inflation));
}

}  // namespace strobe::stats

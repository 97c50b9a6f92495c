#include "strobe/stats/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "strobe/stats/fft.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"

namespace strobe::stats {
namespace {

constexpr std::size_t kMostCounted = 1000;  // 2^-n must be a double

// The smallest k for which at most k heads in n coin tosses have a probability above `tail`.
std::size_t counted_rank(std::size_t n, double tail) {
  double chance = std::ldexp(1.0, -static_cast<int>(n));  // of exactly `rank` heads
  double at_most = chance;
  std::size_t rank = 0;
  while (at_most <= tail) {
    ++rank;
    chance *= static_cast<double>(n - rank + 1) / static_cast<double>(rank);
    at_most += chance;
  }
  return rank;
}

}  // namespace

double quantile_of_sorted(std::span<const double> sorted, double q) {
  if (sorted.empty()) return kNan;
  const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double rest = place - static_cast<double>(below);
  // Two halves instead of an interpolation from below: equal neighbours give exactly their value.
  return sorted[below] == sorted[below + 1] ? sorted[below]
                                            : sorted[below] * (1 - rest) + sorted[below + 1] * rest;
}

std::size_t median_rank(std::size_t n, double confidence) {
  const double tail = (1 - confidence) / 2;
  if (n == 0) return 0;
  if (n <= kMostCounted) return counted_rank(n, tail);
  const double size = static_cast<double>(n);
  return static_cast<std::size_t>(size / 2 - normal_z(2 * tail) * std::sqrt(size) / 2);
}

MedianInterval median_interval(std::span<const double> sorted, std::size_t independent,
                               double confidence) {
  const std::size_t n = sorted.size();
  if (n == 0) return {kNan, kNan, false};
  const std::size_t count = std::clamp<std::size_t>(independent, 1, n);
  const std::size_t rank = median_rank(count, confidence);
  if (rank == 0) return {sorted.front(), sorted.back(), false};
  // Scales the rank from `count` values to the size of the sample; `rank - 1` if they are equal.
  const std::size_t index = (rank - 1) * (n - 1) / std::max<std::size_t>(1, count - 1);
  return {sorted[index], sorted[n - 1 - index], true};
}

namespace {

constexpr std::size_t kLeastValues = 8;
constexpr double kOneInTwenty = 1.645;  // independent values exceed it once in twenty cases

}  // namespace

// The variance of a median of n values with density f there is (1 + 2 (r1 + r2 + ...)) / (4 n f^2),
// where r is the autocorrelation of the sides of the median, not of the values: an outlier counts
// no more than other values. For independent values every r is about 0 +- 1 / sqrt(n); the sum ends
// at the first one that could be chance.
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

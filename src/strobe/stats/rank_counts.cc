#include "strobe/stats/rank_counts.h"

#include <algorithm>

namespace strobe::stats {

// The number of splits with each U are the coefficients of the Gaussian binomial
//   (1 - q^(n2+1)) ... (1 - q^(n2+n1)) / ((1 - q) ... (1 - q^n1)),
// multiplied out one pair of factors after the other. Every coefficient depends on lower ones only,
// so the small counts of the tail are as exact as the large ones.
std::vector<double> rank_shares(std::size_t n1, std::size_t n2, std::size_t most_u) {
  if (n1 > n2) std::swap(n1, n2);
  most_u = std::min(most_u, n1 * n2 / 2);
  std::vector<double> counts(most_u + 1);
  counts[0] = 1;
  double splits = 1;
  for (std::size_t i = 1; i <= n1; ++i) {
    for (std::size_t u = most_u; u >= n2 + i; --u) counts[u] -= counts[u - n2 - i];
    for (std::size_t u = i; u <= most_u; ++u) counts[u] += counts[u - i];
    splits *= static_cast<double>(n2 + i) / static_cast<double>(i);
  }
  double sum = 0;
  for (double& count : counts) {
    sum += count;
    count = sum / splits;
  }
  return counts;
}

const std::vector<double>& RankCounts::shares(std::size_t n1, std::size_t n2) {
  const auto [known, is_new] = shares_.try_emplace(std::minmax(n1, n2));
  if (is_new) known->second = rank_shares(n1, n2, n1 * n2 / 2);
  return known->second;
}

}  // namespace strobe::stats

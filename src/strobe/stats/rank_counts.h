#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace strobe::stats {

// How Mann-Whitney's U is distributed when n1 + n2 different values are split at random: the shares
// of splits with U <= 0, 1, ..., most_u (n1 * n2 / 2 at the most; the other half mirrors it).
std::vector<double> rank_shares(std::size_t n1, std::size_t n2, std::size_t most_u);

// The same, remembered: many tests ask for few sizes. Not for several threads at once.
class RankCounts {
 public:
  const std::vector<double>& shares(std::size_t n1, std::size_t n2);

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> shares_;
};

}  // namespace strobe::stats

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace strobe::stats {

// The distribution of Mann-Whitney's U if n1 + n2 different values are split at random: the shares
// of splits with U <= 0, 1, ..., most_u (at most n1 * n2 / 2; the other half is symmetric).
std::vector<double> rank_shares(std::size_t n1, std::size_t n2, std::size_t most_u);

// The same with a cache: many tests use few sizes. Not safe for several threads.
class RankCounts {
 public:
  const std::vector<double>& shares(std::size_t n1, std::size_t n2);

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> shares_;
};

// Mann-Whitney's test, two-sided: whether one sample tends to be larger.

enum class RankMethod : std::uint8_t {
  kNone,         // a side is empty
  kExact,        // no ties: counted
  kPermutation,  // ties: every split of the mid-ranks counted
  kNormal        // approximated, corrected for ties and continuity
};

struct RankTest {
  double u_first = 0;  // pairs in which the first is larger; ties count one half
  double u_second = 0;
  bool has_ties = false;
  double p = 1;  // NaN if a side is empty
  RankMethod method = RankMethod::kNone;
};

// The number of pairs n1 * n2 up to which splits are counted. Counting with ties is expensive: it
// grows with the cube of the sizes and cannot be cached.
struct RankEffort {
  std::size_t most_untied_pairs = 2500;
  std::size_t most_tied_pairs = 400;
};

// Counted if affordable, else approximated. `counts` caches between tests.
RankTest rank_test(std::span<const double> first, std::span<const double> second,
                   const RankEffort& effort = {}, RankCounts* counts = nullptr);

// The choice of other programs: counted only without ties and with 8 values or fewer on a side.
RankTest rank_test_automatic(std::span<const double> first, std::span<const double> second,
                             RankCounts* counts = nullptr);

// The least p that these sizes can reach.
double least_p(std::size_t n_first, std::size_t n_second);

}  // namespace strobe::stats

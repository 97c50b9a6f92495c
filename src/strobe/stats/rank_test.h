#pragma once

#include <cstdint>
#include <span>

// Mann-Whitney's test, two-sided: does one sample tend to be larger?
namespace strobe::stats {

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
  double p = 1;
  RankMethod method = RankMethod::kNone;
};

// Counted wherever that is affordable: without ties while n1 * n2 <= 2500, with ties while
// n1 * n2 <= 400; else approximated.
RankTest rank_test(std::span<const double> first, std::span<const double> second);

// The choice other programs make: counted only without ties and with 8 values or fewer on a side.
RankTest rank_test_automatic(std::span<const double> first, std::span<const double> second);

// The least p these sizes could ever reach.
double least_p(std::size_t n_first, std::size_t n_second);

}  // namespace strobe::stats

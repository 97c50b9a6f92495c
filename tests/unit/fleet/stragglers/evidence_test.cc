#include <gtest/gtest.h>

#include <vector>

#include "strobe/fleet/stragglers/straggler_rules.h"

namespace strobe::fleet {
namespace {

constexpr double kLeast = 0.01;

// Eight parties over twelve steps, which differ by a tenth of a percent of a step.
std::vector<Excess> equal_parties() {
  std::vector<Excess> parties;
  for (std::size_t i = 0; i < 8; ++i) {
    Excess& one = parties.emplace_back();
    one.ranks = {i};
    for (std::size_t step = 0; step < 12; ++step) {
      one.shares.push_back(0.0002 * (static_cast<double>((i * 3 + step * 5) % 11) - 5));
      one.peers_ns.push_back(1e8);
    }
  }
  return parties;
}

TEST(EvidenceTest, equal_parties_are_not_clear) {
  for (const Evidence& one : weigh(equal_parties(), kLeast)) EXPECT_FALSE(one.is_clear);
}

TEST(EvidenceTest, a_lasting_excess_is_clear) {
  auto parties = equal_parties();
  for (double& share : parties[3].shares) share += 0.06;
  const auto evidence = weigh(parties, kLeast);
  for (std::size_t i = 0; i < evidence.size(); ++i) EXPECT_EQ(evidence[i].is_clear, i == 3) << i;
  EXPECT_EQ(evidence[3].begin, 0u);
  EXPECT_EQ(evidence[3].end, 12u);
  EXPECT_EQ(evidence[3].late, 12u);
  EXPECT_NEAR(evidence[3].share, 0.06, 0.001);
}

TEST(EvidenceTest, a_small_fixed_difference_is_not_clear_however_constant_it_is) {
  auto parties = equal_parties();
  for (double& share : parties[3].shares) share += 0.008;
  EXPECT_FALSE(weigh(parties, kLeast)[3].is_clear);
}

TEST(EvidenceTest, one_long_step_is_not_clear) {
  auto parties = equal_parties();
  parties[3].shares[5] += 2;
  EXPECT_FALSE(weigh(parties, kLeast)[3].is_clear);
}

TEST(EvidenceTest, an_excess_from_some_step_on_is_found_with_that_step) {
  auto parties = equal_parties();
  for (std::size_t step = 7; step < 12; ++step) parties[3].shares[step] += 0.08;
  const Evidence evidence = weigh(parties, kLeast)[3];
  EXPECT_TRUE(evidence.is_clear);
  EXPECT_EQ(evidence.begin, 7u);
  EXPECT_EQ(evidence.end, 12u);
}

TEST(EvidenceTest, a_party_among_others_that_differ_as_much_is_not_clear) {
  auto parties = equal_parties();
  for (std::size_t i = 0; i < parties.size(); ++i) {
    for (double& share : parties[i].shares) share += 0.02 * static_cast<double>(i);
  }
  for (const Evidence& one : weigh(parties, kLeast)) EXPECT_FALSE(one.is_clear);
}

}  // namespace
}  // namespace strobe::fleet

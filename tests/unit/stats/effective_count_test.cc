#include "strobe/stats/effective_count.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/stats/dice.h"

namespace strobe::stats {
namespace {

std::vector<double> noise(std::size_t n, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<double> values(n);
  for (double& value : values) value = dice.normal();
  return values;
}

TEST(EffectiveCountTest, independent_values_nearly_always_count_in_full) {
  int in_full = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    in_full += effective_count(noise(400, seed)) == 400;
  }
  // One in twenty looks dependent by chance: 190 of 200 expected, give or take three.
  EXPECT_GE(in_full, 178);
}

TEST(EffectiveCountTest, values_that_come_ten_at_a_time_count_as_a_tenth) {
  const std::vector<double> few = noise(200, 7);
  std::vector<double> copies;
  for (const double value : few) copies.insert(copies.end(), 10, value);
  const std::size_t count = effective_count(copies);
  EXPECT_GE(count, 140u);
  EXPECT_LE(count, 260u);
}

TEST(EffectiveCountTest, a_drift_counts_as_a_handful) {
  std::vector<double> rising = noise(1000, 3);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] += 0.02 * static_cast<double>(i);
  EXPECT_LE(effective_count(rising), 6u);
}

TEST(EffectiveCountTest, a_constant_and_an_alternation_count_in_full) {
  EXPECT_EQ(effective_count(std::vector<double>(50, 3.5)), 50u);
  std::vector<double> alternation;
  for (int i = 0; i < 50; ++i) alternation.push_back(i % 2);
  EXPECT_EQ(effective_count(alternation), 50u);
}

TEST(EffectiveCountTest, few_values_tell_nothing_of_each_other) {
  EXPECT_EQ(effective_count({}), 0u);
  EXPECT_EQ(effective_count(std::vector<double>{1, 2, 3, 4, 5}), 5u);
}

}  // namespace
}  // namespace strobe::stats

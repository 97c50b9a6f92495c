#include "strobe/stats/quantiles.h"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/stats/dice.h"

namespace strobe::stats {
namespace {

std::vector<double> numbers_to(std::size_t n) {
  std::vector<double> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

TEST(QuantilesTest, between_two_values_a_quantile_is_between) {
  // Places 0 to 4: 0.2 of the way is place 0.8, between 1 and 2.
  EXPECT_DOUBLE_EQ(quantile_of_sorted(numbers_to(5), 0.2), 1.8);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(numbers_to(4), 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(numbers_to(4), 1), 4);
  EXPECT_TRUE(std::isnan(quantile_of_sorted({}, 0.5)));
}

TEST(QuantilesTest, equal_neighbours_give_exactly_their_value) {
  EXPECT_EQ(quantile_of_sorted(std::vector<double>(7, 0.1), 0.2), 0.1);
}

TEST(QuantilesTest, the_rank_is_that_of_the_binomial_law) {
  // Five values: even the widest interval misses 2 / 2^5 = 6.25 %.
  EXPECT_EQ(median_rank(5), 0u);
  // Six: 2 / 2^6 = 3.1 %.
  EXPECT_EQ(median_rank(6), 1u);
  // Twenty: P(X <= 5) = 21700 / 2^20 = 2.07 %, P(X <= 6) = 60460 / 2^20 = 5.77 %.
  EXPECT_EQ(median_rank(20), 6u);
  // The tables' ranks for 50 and 100 values.
  EXPECT_EQ(median_rank(50), 18u);
  EXPECT_EQ(median_rank(100), 40u);
}

TEST(QuantilesTest, counting_and_approximating_meet) {
  // 1000 / 2 - 1.96 sqrt(1000) / 2 = 469.01; the exact distribution gives 469.
  EXPECT_EQ(median_rank(1000), 469u);
  // 1001 / 2 - 1.96 sqrt(1001) / 2 = 469.49.
  EXPECT_EQ(median_rank(1001), 469u);
}

TEST(QuantilesTest, a_higher_confidence_takes_a_wider_interval) {
  EXPECT_LT(median_rank(50, 0.99), median_rank(50, 0.95));
}

TEST(QuantilesTest, the_interval_runs_from_rank_to_rank) {
  const MedianInterval interval = median_interval(numbers_to(20), 20);
  EXPECT_EQ(interval.low, 6);
  EXPECT_EQ(interval.high, 15);
  EXPECT_TRUE(interval.holds);
}

TEST(QuantilesTest, dependent_values_give_the_interval_of_fewer) {
  // 101 values that count as 21: rank 6 of 21, 5/20 of the way from the least: value 26 of 101.
  const MedianInterval interval = median_interval(numbers_to(101), 21);
  EXPECT_EQ(interval.low, 26);
  EXPECT_EQ(interval.high, 76);
}

TEST(QuantilesTest, too_few_values_show_all_they_are_and_say_so) {
  const MedianInterval interval = median_interval(numbers_to(5), 5);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 5);
  EXPECT_FALSE(interval.holds);
  EXPECT_FALSE(median_interval(numbers_to(100), 3).holds);
}

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

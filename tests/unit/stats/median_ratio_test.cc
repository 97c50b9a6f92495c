#include "strobe/stats/median_ratio.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/stats/moments.h"

namespace strobe::stats {
namespace {

std::vector<double> sorted_noise(std::size_t n, double middle, double deviation, Dice& dice) {
  std::vector<double> values(n);
  for (double& value : values) value = middle * (1 + deviation * dice.normal());
  std::sort(values.begin(), values.end());
  return values;
}

TEST(MedianRatioTest, constants_have_an_exact_ratio) {
  const std::vector<double> first(10, 4);
  const std::vector<double> second(10, 5);
  Dice dice(1);
  const MedianRatio ratio = bootstrap_ratio({first, 10}, {second, 10}, 200, dice);
  EXPECT_DOUBLE_EQ(ratio.ratio, 1.25);
  EXPECT_DOUBLE_EQ(ratio.interval[0], 1.25);
  EXPECT_DOUBLE_EQ(ratio.interval[1], 1.25);
  EXPECT_NEAR(ratio.log_error, 0, 1e-15);
}

// Draws values one by one, which the single random number replaces.
TEST(MedianRatioTest, one_throw_gives_the_error_of_drawing_every_value) {
  Dice dice(2);
  const std::vector<double> values = sorted_noise(101, 100, 0.05, dice);
  const std::vector<double> one(1, 100);
  const double quick = bootstrap_ratio({one, 1}, {values, 101}, 4000, dice).log_error;
  std::vector<double> logs;
  std::vector<double> drawn(values.size());
  for (int i = 0; i < 4000; ++i) {
    for (double& value : drawn) value = values[dice.below(values.size())];
    logs.push_back(std::log(median_of(drawn)));
  }
  EXPECT_NEAR(quick / moments_of(logs).deviation, 1, 0.07);
}

TEST(MedianRatioTest, the_interval_holds_the_true_ratio_nineteen_times_in_twenty) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    const auto first = sorted_noise(200, 100, 0.04, dice);
    const auto second = sorted_noise(150, 103, 0.04, dice);
    const MedianRatio ratio = bootstrap_ratio({first, 200}, {second, 150}, 500, dice);
    held += ratio.interval[0] <= 1.03 && 1.03 <= ratio.interval[1];
  }
  EXPECT_GE(held, 273);  // 285 expected, a deviation of 3.8
}

TEST(MedianRatioTest, dependent_values_widen_the_interval) {
  Dice dice(3);
  const auto values = sorted_noise(400, 100, 0.05, dice);
  const auto width = [&](std::size_t independent) {
    const MedianRatio ratio =
        bootstrap_ratio({values, independent}, {values, independent}, 4000, dice);
    return ratio.interval[1] - ratio.interval[0];
  };
  EXPECT_NEAR(width(25) / width(400), 4, 0.8);  // sqrt(400 / 25)
}

TEST(MedianRatioTest, a_coarse_clock_moves_the_median_by_less_than_its_step) {
  // 60 % at 2.56 and 40 % at 2.592, and the other way round: the plain medians are a step
  // apart, 1.25
  // %. Within the step: 2.544 + 0.032 * 50 / 60 and 2.576 + 0.032 * 10 / 60.
  std::vector<double> first(100, 2.56);
  std::fill(first.begin() + 60, first.end(), 2.592);
  std::vector<double> second(100, 2.56);
  std::fill(second.begin() + 40, second.end(), 2.592);
  Dice dice(4);
  const MedianRatio ratio = bootstrap_ratio({first, 100, 0.032}, {second, 100, 0.032}, 500, dice);
  EXPECT_NEAR(ratio.ratio, (2.576 + 0.032 / 6) / (2.544 + 0.032 * 5 / 6), 1e-9);
  EXPECT_LT(ratio.ratio, 1.005);
}

TEST(MedianRatioTest, intervals_alone_add_like_errors) {
  // Both known to +-3 % and +-4 %: the ratio to about +-5 %.
  const MedianRatio ratio = interval_ratio({100, {100 * std::exp(-0.03), 100 * std::exp(0.03)}},
                                           {110, {110 * std::exp(-0.04), 110 * std::exp(0.04)}});
  EXPECT_DOUBLE_EQ(ratio.ratio, 1.1);
  EXPECT_NEAR(ratio.interval[0], 1.1 * std::exp(-0.05), 1e-12);
  EXPECT_NEAR(ratio.interval[1], 1.1 * std::exp(0.05), 1e-12);
  EXPECT_NEAR(ratio.log_error, 0.05 / 1.96, 1e-4);
}

TEST(MedianRatioTest, a_long_tail_of_the_first_side_reaches_downwards) {
  const MedianRatio ratio = interval_ratio({100, {100, 120}}, {100, {100, 100}});
  EXPECT_NEAR(ratio.interval[0], 1 / 1.2, 1e-12);
  EXPECT_DOUBLE_EQ(ratio.interval[1], 1);
}

}  // namespace
}  // namespace strobe::stats

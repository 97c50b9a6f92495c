#include "strobe/stats/effect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace strobe::stats {
namespace {

using Sample = std::vector<double>;

TEST(EffectTest, the_shift_is_the_median_of_all_differences) {
  // Differences of {1, 2} to {4, 8}: 2, 3, 6, 7.
  EXPECT_EQ(shift_between(Sample{2, 1}, Sample{8, 4}).shift, 4.5);
  EXPECT_TRUE(std::isnan(shift_between({}, Sample{1}).shift));
}

TEST(EffectTest, too_few_values_give_the_shift_no_bounds) {
  // The least p of 3 against 3 is 0.1: no interval of 95 %.
  const Shift shift = shift_between(Sample{1, 2, 3}, Sample{11, 12, 13});
  EXPECT_EQ(shift.shift, 10);
  EXPECT_EQ(shift.low, -INFINITY);
  EXPECT_EQ(shift.high, INFINITY);
}

TEST(EffectTest, the_interval_leaves_out_what_the_rank_test_would_reject) {
  // 4 against 4: U = 0 has a share of 1/70, U <= 1 of 2/70 > 0.025; so the least and the largest
  // difference are the bounds.
  const Shift shift = shift_between(Sample{1, 2, 3, 4}, Sample{10, 20, 30, 40});
  EXPECT_EQ(shift.low, 6);
  EXPECT_EQ(shift.high, 39);
  // 80 %: U <= 2 has 4/70 and U <= 3 has 7/70 = 0.1, all left out; U <= 4 has 12/70.
  // Differences by order: 6, 7, 8, 9, 16, ... and from above 39, 38, 37, 36, 29.
  const Shift narrow = shift_between(Sample{1, 2, 3, 4}, Sample{10, 20, 30, 40}, 0.8);
  EXPECT_EQ(narrow.low, 9);
  EXPECT_EQ(narrow.high, 36);
}

// 10 and 10 values: U has the mean 50, and the bounds are the 24th difference from either end, 26
// from the middle. If 0.64 of the values are independent, 26 / 0.8 = 32.5 from it: the 17th. If a
// quarter is, 52: beyond the end, and there are no bounds.
TEST(EffectTest, values_that_are_no_news_widen_the_interval) {
  std::vector<double> first;
  std::vector<double> second;
  for (int i = 0; i < 10; ++i) {
    first.push_back(10 * i);
    second.push_back(10 * i + i * i + 3);
  }
  std::vector<double> differences;
  for (const double a : first) {
    for (const double b : second) differences.push_back(b - a);
  }
  std::sort(differences.begin(), differences.end());
  const Shift all = shift_between(first, second);
  const Shift some = shift_between(first, second, 0.95, nullptr, 0.64);
  EXPECT_EQ(some.shift, all.shift);
  EXPECT_EQ(all.low, differences[23]);
  EXPECT_EQ(some.low, differences[16]);
  EXPECT_EQ(some.high, differences[83]);
  EXPECT_TRUE(std::isinf(shift_between(first, second, 0.95, nullptr, 0.25).low));
}

TEST(EffectTest, many_differences_are_ordered_without_making_them_all) {
  std::mt19937 random(3);
  for (const std::size_t n : {std::size_t{40}, std::size_t{130}}) {
    Sample first(n);
    Sample second(n + 7);
    for (double& value : first) value = static_cast<double>(random() % 50);
    for (double& value : second) value = 0.25 * static_cast<double>(random() % 200);
    Sample all;
    for (const double a : first) {
      for (const double b : second) all.push_back(b - a);
    }
    std::sort(all.begin(), all.end());
    const Shift shift = shift_between(first, second);
    EXPECT_EQ(shift.shift, (all[all.size() / 2] + all[(all.size() - 1) / 2]) / 2) << n;
    // Counted or approximated, the bounds are about those of the normal distribution.
    const auto pairs = static_cast<double>(all.size());
    const double cut = pairs / 2 - 1.96 * std::sqrt(pairs * static_cast<double>(2 * n + 8) / 12);
    EXPECT_NEAR(shift.low, all[static_cast<std::size_t>(cut)], 0.26) << n;
    EXPECT_NEAR(shift.high, all[all.size() - static_cast<std::size_t>(cut)], 0.26) << n;
  }
}

TEST(EffectTest, remembered_counts_change_no_interval) {
  RankCounts counts;
  const Sample a{1, 2, 4, 8, 16};
  const Sample b{3, 9, 27, 81};
  const Shift own = shift_between(a, b);
  const Shift shared = shift_between(a, b, 0.95, &counts);
  EXPECT_EQ(own.low, shared.low);
  EXPECT_EQ(own.high, shared.high);
}

TEST(EffectTest, z_is_in_deviations_of_the_first) {
  EXPECT_EQ(z_score({5, 10, 2}, {5, 16, 100}), 3);
  EXPECT_EQ(z_score({5, 10, 1e-9}, {5, 16, 1}), 0);
}

TEST(EffectTest, the_floor_keeps_z_from_exploding) {
  // sqrt(3^2 + (0.01 * 400)^2) = 5.
  EXPECT_DOUBLE_EQ(z_floored({5, 400, 3}, {5, 450, 1}), 10);
  // A rectangle 12 wide has the variance 12^2 / 12: sqrt(0 + 2^2 + 12) = 4.
  EXPECT_DOUBLE_EQ(z_floored({5, 200, 0}, {5, 208, 1}, 12), 2);
  EXPECT_EQ(z_floored({5, 0, 0}, {5, 3, 1}), 0);
}

}  // namespace
}  // namespace strobe::stats

#include "strobe/stats/dice.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/stats/moments.h"

namespace strobe::stats {
namespace {

TEST(DiceTest, the_same_seed_throws_the_same_numbers) {
  Dice first(5);
  Dice second(5);
  Dice other(6);
  bool differs = false;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t number = first.below(1000);
    EXPECT_EQ(number, second.below(1000));
    differs |= number != other.below(1000);
  }
  EXPECT_TRUE(differs);
}

TEST(DiceTest, every_side_comes_up_equally_often) {
  Dice dice(1);
  std::array<int, 6> counts = {};
  for (int i = 0; i < 6000; ++i) ++counts[dice.below(6)];
  // 1000 expected, a deviation of 29.
  for (const int count : counts) EXPECT_NEAR(count, 1000, 120);
}

TEST(DiceTest, normal_numbers_have_mean_0_and_deviation_1) {
  Dice dice(2);
  std::vector<double> values(10'000);
  for (double& value : values) value = dice.normal();
  EXPECT_NEAR(moments_of(values).mean, 0, 0.04);
  EXPECT_NEAR(moments_of(values).deviation, 1, 0.03);
}

TEST(DiceTest, a_gamma_number_has_its_shape_as_mean_and_variance) {
  Dice dice(3);
  std::vector<double> values(10'000);
  for (double& value : values) value = dice.gamma(4);
  EXPECT_NEAR(moments_of(values).mean, 4, 0.08);
  EXPECT_NEAR(moments_of(values).deviation, 2, 0.08);
}

TEST(DiceTest, the_middle_of_many_shares_lies_in_the_middle) {
  Dice dice(4);
  std::vector<double> values(10'000);
  for (double& value : values) value = dice.ranked_share(50, 99);
  // Beta(50, 50): mean 1/2, variance 1 / (4 * 101).
  EXPECT_NEAR(moments_of(values).mean, 0.5, 0.002);
  EXPECT_NEAR(moments_of(values).deviation, 0.0498, 0.0015);
  for (const double value : values) ASSERT_TRUE(value > 0 && value < 1);
}

}  // namespace
}  // namespace strobe::stats

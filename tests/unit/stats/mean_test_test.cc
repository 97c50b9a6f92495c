#include "strobe/stats/mean_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace strobe::stats {
namespace {

Moments of(std::vector<double> sample) { return moments_of(sample); }

TEST(MeanTestTest, welch_weighs_each_side_by_its_own_spread) {
  // {0 x 8}: mean 0, no spread. {0, 1, 1, 1, 1}: mean 0.8, variance 0.2, of the mean 0.04.
  // t = -0.8 / 0.2 = -4, and all the variance is the second's: 4 degrees of freedom.
  // Their tails: x = 4 / (4 + 16) = 0.2, p = 1 - sqrt(1 - x) * (1 + x / 2).
  const MeanTest test = welch_test(of({0, 0, 0, 0, 0, 0, 0, 0}), of({0, 1, 1, 1, 1}));
  EXPECT_NEAR(test.t, -4, 1e-12);
  EXPECT_NEAR(test.degrees, 4, 1e-12);
  EXPECT_NEAR(test.p, 1 - std::sqrt(0.8) * 1.1, 1e-12);
}

TEST(MeanTestTest, student_pools_the_spread) {
  // Squares 2 + 8 = 10 over 4 degrees of freedom: 2.5; t = -2 / sqrt(2.5 * 2/3).
  const MeanTest test = student_test(of({1, 2, 3}), of({2, 4, 6}));
  EXPECT_EQ(test.degrees, 4);
  EXPECT_NEAR(test.t, -2 / std::sqrt(2.5 * 2 / 3), 1e-14);
}

TEST(MeanTestTest, equal_constants_have_no_answer_and_unequal_ones_a_certain_one) {
  const Moments six = of({6, 6, 6});
  const Moments seven = of({7, 7});
  EXPECT_TRUE(std::isnan(welch_test(six, six).p));
  EXPECT_TRUE(std::isnan(student_test(six, six).p));
  EXPECT_EQ(welch_test(six, seven).p, 0);
  EXPECT_EQ(student_test(six, seven).p, 0);
  EXPECT_LT(welch_test(six, seven).t, 0);
  EXPECT_TRUE(std::isinf(welch_test(six, seven).t));
}

TEST(MeanTestTest, one_value_on_a_side_is_not_enough) {
  for (const auto& test : {welch_test(of({1}), of({2, 3})), welch_test(of({1, 2}), of({}))}) {
    EXPECT_TRUE(std::isnan(test.t));
    EXPECT_TRUE(std::isnan(test.degrees));
    EXPECT_TRUE(std::isnan(test.p));
  }
  EXPECT_TRUE(std::isnan(student_test(of({1}), of({2, 3})).p));
}

TEST(MeanTestTest, the_scale_of_the_values_changes_nothing) {
  const MeanTest plain = welch_test(of({1, 2, 4}), of({3, 5, 9, 11}));
  for (const double scale : {1e-120, 1e120}) {
    const MeanTest scaled = welch_test(of({1 * scale, 2 * scale, 4 * scale}),
                                       of({3 * scale, 5 * scale, 9 * scale, 11 * scale}));
    EXPECT_NEAR(scaled.degrees, plain.degrees, 1e-12) << scale;
    EXPECT_NEAR(scaled.p, plain.p, 1e-12) << scale;
  }
}

}  // namespace
}  // namespace strobe::stats

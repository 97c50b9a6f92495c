#include "strobe/stats/p_values.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::stats {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNan;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(TailsTest, a_tail_far_below_the_precision_of_1_keeps_its_digits) {
  EXPECT_NEAR(normal_tails(37.5) / 9.21070601916391e-308, 1, 1e-9);
  // Twice the tail of one degree of freedom is 1 - 2/pi atan(t), close to 2/(pi t) for large t.
  EXPECT_NEAR(student_tails(1e9, 1) / (2 / (std::numbers::pi * 1e9)), 1, 1e-12);
}

TEST(TailsTest, both_signs_have_the_same_tails_and_0_has_all) {
  EXPECT_EQ(normal_tails(-1.5), normal_tails(1.5));
  EXPECT_EQ(student_tails(-1.5, 4), student_tails(1.5, 4));
  EXPECT_EQ(normal_tails(0), 1);
  EXPECT_EQ(student_tails(0, 7.5), 1);
}

TEST(TailsTest, two_degrees_of_freedom_follow_their_closed_form) {
  // 1 - t / sqrt(2 + t^2); for t = 0.5: 1 - 0.5 / 1.5.
  EXPECT_NEAR(student_tails(0.5, 2), 2.0 / 3, 1e-14);
}

TEST(TailsTest, many_degrees_of_freedom_are_as_good_as_normal) {
  for (const double degrees : {1e9, 1e15, 1e20, 1e300, kInfinity}) {
    EXPECT_NEAR(student_tails(2.5, degrees) / normal_tails(2.5), 1, 1e-7) << degrees;
  }
}

TEST(TailsTest, beyond_infinity_lies_nothing) {
  EXPECT_EQ(normal_tails(kInfinity), 0);
  EXPECT_EQ(student_tails(kInfinity, 3), 0);
  EXPECT_EQ(student_tails(-kInfinity, 3), 0);
}

TEST(TailsTest, without_degrees_of_freedom_there_is_no_answer) {
  EXPECT_TRUE(std::isnan(student_tails(1, 0)));
  EXPECT_TRUE(std::isnan(student_tails(1, -2)));
  EXPECT_TRUE(std::isnan(student_tails(1, kNan)));
  EXPECT_TRUE(std::isnan(student_tails(kNan, 3)));
  EXPECT_TRUE(std::isnan(normal_tails(kNan)));
}

TEST(TailsTest, the_z_of_its_tails_is_where_it_came_from) {
  EXPECT_NEAR(normal_z(0.05), 1.959963984540054, 1e-12);
  for (const double z : {0.0, 0.3, 1.0, 4.0, 12.0})
    EXPECT_NEAR(normal_z(normal_tails(z)), z, 1e-12);
}

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

TEST(MeanTestTest, equal_constants_have_no_answer_and_unequal_ones_a_certain_one) {
  const Moments six = of({6, 6, 6});
  const Moments seven = of({7, 7});
  EXPECT_TRUE(std::isnan(welch_test(six, six).p));
  EXPECT_EQ(welch_test(six, seven).p, 0);
  EXPECT_LT(welch_test(six, seven).t, 0);
  EXPECT_TRUE(std::isinf(welch_test(six, seven).t));
}

TEST(MeanTestTest, one_value_on_a_side_is_not_enough) {
  for (const auto& test : {welch_test(of({1}), of({2, 3})), welch_test(of({1, 2}), of({}))}) {
    EXPECT_TRUE(std::isnan(test.t));
    EXPECT_TRUE(std::isnan(test.degrees));
    EXPECT_TRUE(std::isnan(test.p));
  }
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

TEST(FalseDiscoveryTest, q_is_p_times_tests_by_rank_and_never_falls_as_p_grows) {
  // By rank: 0.01 * 4 / 1 = 0.04, 0.03 * 4 / 2 = 0.06, 0.035 * 4 / 3 = 0.0467, 0.5; the second
  // may not exceed the third.
  EXPECT_THAT(
      adjusted_p(std::vector{0.5, 0.03, 0.01, 0.035}),
      ElementsAre(DoubleEq(0.5), DoubleEq(0.035 * 4 / 3), DoubleEq(0.04), DoubleEq(0.035 * 4 / 3)));
}

TEST(FalseDiscoveryTest, nan_takes_no_part) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(adjusted_p(std::vector{0.02, nan, 0.5}),
              ElementsAre(DoubleEq(0.04), IsNan(), DoubleEq(0.5)));
}

TEST(FalseDiscoveryTest, no_tests_have_no_q) { EXPECT_THAT(adjusted_p({}), IsEmpty()); }

}  // namespace
}  // namespace strobe::stats

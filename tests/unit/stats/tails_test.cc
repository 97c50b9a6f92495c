#include "strobe/stats/tails.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace strobe::stats {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
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

}  // namespace
}  // namespace strobe::stats

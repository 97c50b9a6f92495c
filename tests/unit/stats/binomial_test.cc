#include "strobe/stats/binomial.h"

#include <gtest/gtest.h>

namespace strobe::stats {
namespace {

TEST(BinomialTest, the_tail_adds_up_the_law) {
  EXPECT_NEAR(binomial_tail(3, 3, 0.5), 1.0 / 8, 1e-12);
  EXPECT_NEAR(binomial_tail(2, 3, 0.5), 4.0 / 8, 1e-12);
  // 16 of 16 with 1/8 each: 2^-48.
  EXPECT_NEAR(binomial_tail(16, 16, 0.125) * 281474976710656.0, 1, 1e-9);
}

TEST(BinomialTest, certain_and_impossible_cases_are_exact) {
  EXPECT_EQ(binomial_tail(0, 5, 0.2), 1);
  EXPECT_EQ(binomial_tail(5, 5, 1), 1);
  EXPECT_EQ(binomial_tail(1, 5, 0), 0);
}

}  // namespace
}  // namespace strobe::stats

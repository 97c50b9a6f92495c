#include "strobe/bench/measure/summary.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

// 1 to n in an order in which neighbours have nothing to do with each other.
std::vector<double> shuffled_numbers(std::size_t n, std::size_t stride) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < n; ++i) numbers.push_back(static_cast<double>(1 + i * stride % n));
  return numbers;
}

TEST(Summary, twenty_numbers_have_the_quantiles_and_the_interval_of_the_books) {
  const TimeSummary summary = summarise(shuffled_numbers(20, 7));
  EXPECT_EQ(summary.n, 20u);
  EXPECT_DOUBLE_EQ(summary.p50, 10.5);
  EXPECT_DOUBLE_EQ(summary.p20, 4.8);  // place 3.8 from the least
  EXPECT_DOUBLE_EQ(summary.p80, 16.2);
  EXPECT_EQ(summary.min, 1);
  EXPECT_DOUBLE_EQ(summary.mad, 5);  // distances 0.5 to 9.5, each twice
  EXPECT_EQ(summary.ci95[0], 6);     // rank 6 of 20: see the law of the coin
  EXPECT_EQ(summary.ci95[1], 15);
}

TEST(Summary, samples_stay_in_the_order_of_measuring) {
  const TimeSummary summary = summarise({3, 1, 2});
  EXPECT_EQ(summary.samples_us, (std::vector<float>{3, 1, 2}));
}

TEST(Summary, a_few_samples_have_no_interval) {
  const TimeSummary summary = summarise({4});
  EXPECT_EQ(summary.p50, 4);
  EXPECT_EQ(summary.mad, 0);
  EXPECT_EQ(summary.ci95, (std::array<double, 2>{0, 0}));
  EXPECT_EQ(summarise({1, 2, 3, 4, 5}).ci95, (std::array<double, 2>{0, 0}));
}

TEST(Summary, the_least_and_the_most_of_six_are_one) {
  EXPECT_EQ(summarise({3, 1, 6, 2, 5, 4}).ci95, (std::array<double, 2>{1, 6}));
}

TEST(Summary, no_samples_are_no_time) {
  const TimeSummary summary = summarise({});
  EXPECT_EQ(summary.n, 0u);
  EXPECT_EQ(summary.p50, 0);
}

TEST(Summary, what_is_no_time_is_left_out) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const TimeSummary summary = summarise({nan, 5, infinity, -1, 7, 6});
  EXPECT_EQ(summary.n, 3u);
  EXPECT_EQ(summary.p50, 6);
}

TEST(Summary, a_drift_widens_the_interval_far_beyond_that_of_independent_samples) {
  std::vector<double> rising(200);
  std::iota(rising.begin(), rising.end(), 1);
  const TimeSummary drifting = summarise(rising);
  const TimeSummary mixed = summarise(shuffled_numbers(200, 77));
  EXPECT_EQ(drifting.p50, mixed.p50);
  EXPECT_EQ(mixed.ci95[0], 86);  // rank 86 of 200
  EXPECT_LT(drifting.ci95[0], 20);
}

}  // namespace
}  // namespace strobe::bench

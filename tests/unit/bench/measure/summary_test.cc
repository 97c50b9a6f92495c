#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "strobe/bench/measure/summary.h"

namespace strobe::bench {
namespace {

// 1 to n in an order in which neighbours are uncorrelated.
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
  EXPECT_EQ(summary.ci95[0], 6);     // rank 6 of 20: binomial distribution
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

ClockedSamples stream(std::size_t usual, std::size_t low) {
  ClockedSamples all;
  for (std::size_t i = 0; i < usual + low; ++i) {
    all.samples_us.push_back(i < usual ? 100 : 130);
    all.sm_mhz.push_back(i < usual ? 1980 : 1500);
  }
  return all;
}

TEST(Throttle, a_slow_clock_sets_its_samples_aside) {
  const KeptSamples kept = set_throttled_aside(stream(90, 10), 1980, 0.9, 0.25);
  EXPECT_EQ(kept.samples_us, std::vector<double>(90, 100));
  EXPECT_EQ(kept.set_aside, 10u);
  EXPECT_FALSE(kept.is_throttled);
}

TEST(Throttle, a_quarter_is_the_most_that_may_be_set_aside) {
  EXPECT_EQ(set_throttled_aside(stream(75, 25), 1980, 0.9, 0.25).set_aside, 25u);
  const KeptSamples more = set_throttled_aside(stream(74, 26), 1980, 0.9, 0.25);
  EXPECT_EQ(more.samples_us.size(), 100u);
  EXPECT_EQ(more.set_aside, 0u);
  EXPECT_TRUE(more.is_throttled);
}

TEST(Throttle, a_cell_that_ran_slowly_throughout_is_kept_and_flagged_never_empty) {
  const KeptSamples kept = set_throttled_aside(stream(0, 40), 1980, 0.9, 0.25);
  EXPECT_EQ(kept.samples_us.size(), 40u);
  EXPECT_TRUE(kept.is_throttled);
}

TEST(Throttle, exactly_nine_tenths_of_the_clock_is_not_below_it) {
  ClockedSamples all = stream(9, 1);
  all.sm_mhz.back() = 0.9 * 1980;
  EXPECT_EQ(set_throttled_aside(all, 1980, 0.9, 0.25).set_aside, 0u);
}

TEST(Throttle, without_clocks_nothing_is_known_and_all_is_kept) {
  ClockedSamples all = stream(5, 5);
  EXPECT_EQ(set_throttled_aside(all, 0, 0.9, 0.25).samples_us.size(), 10u);
  all.sm_mhz.assign(10, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(set_throttled_aside(all, 1980, 0.9, 0.25).set_aside, 0u);
  all.sm_mhz.resize(3);
  EXPECT_EQ(set_throttled_aside(all, 1980, 0.9, 0.25).set_aside, 0u);
}

TEST(Throttle, the_usual_clock_is_the_median_of_all_contenders) {
  const std::vector<ClockedSamples> contenders = {stream(30, 0), stream(0, 10)};
  EXPECT_EQ(usual_clock(contenders), 1980);
  EXPECT_EQ(usual_clock({}), 0);
}

TimeSummary gross() {
  return {.p50 = 4,
          .p20 = 3.5,
          .p80 = 5,
          .min = 1,
          .mad = 0.5,
          .n = 3,
          .ci95 = {3, 5},
          .samples_us = {1, 4, 5}};
}

Floors pair_of(double us) {
  Floors floors;
  floors.event_pair = us;
  return floors;
}

TEST(Net, the_event_pair_is_taken_off_every_time_and_no_spread) {
  const auto net = net_of(gross(), TimeMode::kDevice, pair_of(1.5));
  ASSERT_TRUE(net);
  EXPECT_EQ(net->p50, 2.5);
  EXPECT_EQ(net->ci95, (std::array<double, 2>{1.5, 3.5}));
  EXPECT_EQ(net->mad, 0.5);
  EXPECT_EQ(net->min, 0);  // below the floor
  EXPECT_EQ(net->samples_us, (std::vector<float>{0, 2.5, 3.5}));
}

TEST(Net, a_time_without_events_or_without_a_floor_has_no_net) {
  EXPECT_FALSE(net_of(gross(), TimeMode::kGraph, pair_of(1.5)));
  EXPECT_FALSE(net_of(gross(), TimeMode::kDevice, Floors{}));
}

}  // namespace

}  // namespace strobe::bench

#include "strobe/compare/measure/metric_means.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace strobe::compare {
namespace {

using device::MetricInfo;
using device::MetricKind;

MetricInfo info_of(MetricKind kind, double scale = 1) {
  MetricInfo info;
  info.kind = kind;
  info.scale = scale;
  return info;
}

MetricSeries series_of(std::vector<std::int64_t> times_ns, std::vector<double> values) {
  MetricSeries series;
  series.times_ns = std::move(times_ns);
  series.values = std::move(values);
  return series;
}

// Distances 10, 10 and 40: the median is 10, so that both ends hold for 20.
TEST(SignalTest, a_gauge_is_straight_between_samples_and_holds_at_the_ends) {
  const Signal signal =
      signal_of(series_of({100, 110, 120, 160}, {5, 7, 7, 3}), info_of(MetricKind::kGauge), 0);
  ASSERT_EQ(signal.size(), 5u);
  EXPECT_EQ(signal[0].interval, (Interval{80, 100}));
  EXPECT_EQ(signal[0].value, 5);
  EXPECT_EQ(signal[1].interval, (Interval{100, 110}));
  EXPECT_DOUBLE_EQ(signal[1].slope_per_ns, 0.2);
  EXPECT_EQ(signal[2].slope_per_ns, 0);
  EXPECT_DOUBLE_EQ(signal[3].slope_per_ns, -0.1);
  EXPECT_EQ(signal[4].interval, (Interval{160, 180}));
  EXPECT_EQ(signal[4].value, 3);
}

// The mean of 0 and 4 would be 2, another reason.
TEST(SignalTest, bits_stay_as_they_are_until_the_next_sample) {
  const Signal signal = signal_of(series_of({100, 110, 120}, {0, 4, 1}),
                                  device::metric_info("gpu_throttle_reasons", "GPU 0"), 0);
  ASSERT_EQ(signal.size(), 4u);
  EXPECT_EQ(signal[0].interval, (Interval{80, 100}));
  EXPECT_EQ(signal[2].interval, (Interval{110, 120}));
  EXPECT_EQ(signal[2].value, 4);
  EXPECT_EQ(signal[3].interval, (Interval{120, 140}));
  EXPECT_EQ(signal[3].value, 1);
  for (const Piece& piece : signal) EXPECT_EQ(piece.slope_per_ns, 0);
}

TEST(SignalTest, events_have_no_mean) {
  EXPECT_TRUE(
      signal_of(series_of({100, 110, 120}, {79, 79, 13}), info_of(MetricKind::kEvent), 0).empty());
}

TEST(SignalTest, a_window_holds_back_to_the_sample_before) {
  const Signal signal =
      signal_of(series_of({100, 110, 130}, {5, 7, 9}), info_of(MetricKind::kWindow), 0);
  ASSERT_EQ(signal.size(), 2u);
  EXPECT_EQ(signal[0].interval, (Interval{100, 110}));
  EXPECT_EQ(signal[0].value, 7);
  EXPECT_EQ(signal[1].interval, (Interval{110, 130}));
  EXPECT_EQ(signal[1].value, 9);
}

// 20 counts in 10 ns are 2e9 a second; scaled by 1e-6 that is 2000.
TEST(SignalTest, a_counter_is_its_rate_per_second_and_a_reset_is_a_gap) {
  const Signal signal = signal_of(series_of({100, 110, 120, 130}, {50, 70, 3, 3}),
                                  info_of(MetricKind::kCounter, 1e-6), 0);
  ASSERT_EQ(signal.size(), 2u);
  EXPECT_DOUBLE_EQ(signal[0].value, 2000);
  EXPECT_EQ(signal[1].interval, (Interval{120, 130}));
  EXPECT_EQ(signal[1].value, 0);
}

TEST(SignalTest, values_are_scaled_and_times_shifted) {
  const Signal signal =
      signal_of(series_of({1100, 1110}, {5000, 7000}), info_of(MetricKind::kGauge, 1e-3), -1000);
  ASSERT_EQ(signal.size(), 3u);
  EXPECT_EQ(signal[1].interval, (Interval{100, 110}));
  EXPECT_DOUBLE_EQ(signal[1].value, 5);
}

TEST(SignalTest, one_sample_says_nothing_about_time) {
  for (const MetricKind kind : {MetricKind::kGauge, MetricKind::kWindow, MetricKind::kCounter}) {
    EXPECT_TRUE(signal_of(series_of({100}, {5}), info_of(kind), 0).empty());
    EXPECT_TRUE(signal_of(series_of({}, {}), info_of(kind), 0).empty());
  }
  EXPECT_EQ(median_period_ns(series_of({100}, {5})), 0);
}

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsNan;

const TimeParts kTwoCycles(std::vector<Interval>{{0, 100}, {100, 200}});

std::vector<CycleMeans> means_of(const std::vector<Signal>& signals,
                                 const std::vector<Interval>& stretches,
                                 const TimeParts& cycles = kTwoCycles) {
  const MetricGrid grid(signals, cycles);
  MetricSums sums(grid);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < signals.size(); ++i) all.push_back(i);
  const std::size_t target = sums.add_target(all);
  std::size_t near = 0;
  for (const Interval& stretch : stretches) sums.add(target, stretch, near);
  return sums.take_means(target);
}

// From 0 at 0 to 200 at 200 the value is the time. Over [10, 30) and [90, 120): in the first cycle
// (20 * 20 + 10 * 95) / 30 = 45, in the second 110.
TEST(MetricMeansTest, a_line_is_averaged_over_the_stretches_only) {
  const auto means = means_of({{{{0, 200}, 0, 1}}}, {{10, 30}, {90, 120}});
  EXPECT_THAT(means[0].mean, ElementsAre(DoubleEq(45), DoubleEq(110)));
  EXPECT_THAT(means[0].coverage, ElementsAre(1, 1));
  // The second cycle holds a line over 20 units: its deviation is 20 / sqrt(12).
  EXPECT_NEAR(means[0].deviation[1], 20 / std::sqrt(12.0), 1e-12);
}

// 3 for 60 and 8 for 40: mean 5, deviation 5 * sqrt(0.6 * 0.4) = sqrt(6).
TEST(MetricMeansTest, steps_weigh_as_long_as_they_last) {
  const auto means = means_of({{{{0, 60}, 3, 0}, {{60, 100}, 8, 0}}}, {{0, 100}});
  EXPECT_NEAR(means[0].mean[0], 5, 1e-12);
  EXPECT_NEAR(means[0].deviation[0], std::sqrt(6.0), 1e-12);
}

TEST(MetricMeansTest, less_than_half_covered_is_no_mean) {
  const std::vector<Signal> signals{{{{0, 49}, 3, 0}, {{100, 150}, 4, 0}}};
  const auto means = means_of(signals, {{0, 100}, {100, 200}});
  EXPECT_THAT(means[0].mean, ElementsAre(IsNan(), 4));
  EXPECT_THAT(means[0].deviation, ElementsAre(IsNan(), 0));
  EXPECT_THAT(means[0].coverage, ElementsAre(DoubleEq(0.49), DoubleEq(0.5)));
}

TEST(MetricMeansTest, a_cycle_without_time_has_neither_mean_nor_coverage) {
  const auto means = means_of({{{{0, 200}, 3, 0}}}, {{120, 130}});
  EXPECT_THAT(means[0].mean, ElementsAre(IsNan(), 3));
  EXPECT_THAT(means[0].coverage, ElementsAre(IsNan(), 1));
}

// 85.7 is not a binary number: summed and divided, its last digit would change.
TEST(MetricMeansTest, a_constant_stays_exactly_what_it_is) {
  Signal signal;
  for (std::int64_t i = 0; i < 20; ++i) signal.push_back({{i * 10, i * 10 + 10}, 85.7, 0});
  signal[3].value = 12;
  std::vector<Interval> stretches;
  for (std::int64_t i = 0; i < 60; ++i) stretches.push_back({100 + i, 101 + i});
  const auto means = means_of({signal}, stretches);
  EXPECT_EQ(means[0].mean[1], 85.7);
  EXPECT_EQ(means[0].deviation[1], 0);
}

TEST(MetricMeansTest, signals_with_cuts_of_their_own_do_not_disturb_each_other) {
  const Signal line{{{0, 200}, 0, 1}};
  const Signal steps{{{0, 33}, 1, 0}, {{33, 77}, 2, 0}, {{77, 160}, 3, 0}};
  const std::vector<Interval> stretches{{5, 40}, {50, 110}};
  const auto together = means_of({line, steps}, stretches);
  EXPECT_DOUBLE_EQ(together[0].mean[0], means_of({line}, stretches)[0].mean[0]);
  EXPECT_DOUBLE_EQ(together[1].mean[0], means_of({steps}, stretches)[0].mean[0]);
  EXPECT_DOUBLE_EQ(together[1].mean[0], (28 * 1 + 7 * 2 + 27 * 2 + 23 * 3) / 85.0);
}

// Against the plain sum over nanoseconds, with stretches in any order.
TEST(MetricMeansTest, the_mean_is_the_integral) {
  std::minstd_rand random(3);
  Signal signal;
  for (std::int64_t at = 0; at < 200;) {
    const auto length = static_cast<std::int64_t>(1 + random() % 30);
    signal.push_back({{at, at + length}, double(random() % 10), double(random() % 5) / 10});
    at += length;
  }
  std::vector<Interval> stretches;
  for (std::int64_t at = 0; at < 190; at += 10) {
    stretches.push_back({at, at + static_cast<std::int64_t>(random() % 10)});
  }
  std::shuffle(stretches.begin(), stretches.end(), random);
  double sum = 0;
  double length = 0;
  for (const Interval& stretch : stretches) {
    for (std::int64_t t = stretch.start_ns; t < stretch.end_ns && t < 100; ++t) {
      for (const Piece& piece : signal) {
        if (t < piece.interval.start_ns || t >= piece.interval.end_ns) continue;
        sum += piece.value + piece.slope_per_ns * (double(t - piece.interval.start_ns) + 0.5);
        length += 1;
      }
    }
  }
  EXPECT_NEAR(means_of({signal}, stretches)[0].mean[0], sum / length, 1e-12);
}

TEST(MetricMeansTest, an_empty_cycle_is_no_trouble) {
  const TimeParts cycles(std::vector<Interval>{{0, 100}, {100, 100}, {100, 200}});
  const auto means = means_of({{{{0, 200}, 3, 0}}}, {{50, 150}}, cycles);
  EXPECT_THAT(means[0].mean, ElementsAre(3, IsNan(), 3));
}

}  // namespace

}  // namespace strobe::compare

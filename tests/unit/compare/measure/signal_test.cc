#include "strobe/compare/measure/signal.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace strobe::compare

#include "strobe/analysis/timeline/metric_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace strobe::analysis {
namespace {

using device::MetricInfo;
using device::MetricKind;
using ::testing::ElementsAre;

MetricInfo kind_of(MetricKind kind, double scale = 1) {
  MetricInfo info;
  info.kind = kind;
  info.scale = scale;
  return info;
}

// "10: 5", or "30: ?" where nothing is known from there on.
std::vector<std::string> value_texts(const std::vector<MetricSample>& line) {
  std::vector<std::string> texts;
  for (const MetricSample& value : line) {
    texts.push_back(std::isnan(value.value) ? fmt::format("{}: ?", value.time_ns)
                                            : fmt::format("{}: {}", value.time_ns, value.value));
  }
  return texts;
}

TEST(MetricValuesTest, a_gauge_holds_from_its_sample_on_in_its_unit) {
  EXPECT_THAT(value_texts(metric_line({{10, 5000}, {20, 7000}}, kind_of(MetricKind::kGauge, 1e-3),
                                      SampleHold::kAlways)),
              ElementsAre("10: 5", "20: 7"));
}

TEST(MetricValuesTest, a_window_describes_the_time_before_its_sample) {
  EXPECT_THAT(value_texts(metric_line({{10, 5}, {20, 7}, {30, 9}}, kind_of(MetricKind::kWindow),
                                      SampleHold::kAlways)),
              ElementsAre("0: 5", "10: 7", "20: 9", "30: ?"));
}

TEST(MetricValuesTest, a_single_window_has_no_length_to_go_by) {
  EXPECT_THAT(
      value_texts(metric_line({{10, 5}}, kind_of(MetricKind::kWindow), SampleHold::kWhileThere)),
      ElementsAre("10: 5"));
}

// 3 ms in half a second are 6 ms/s.
TEST(MetricValuesTest, a_counter_is_drawn_as_its_rate_and_one_that_was_set_back_is_not_known) {
  EXPECT_THAT(
      value_texts(metric_line({{0, 1'000'000}, {500'000'000, 4'000'000}, {1'000'000'000, 0}},
                              kind_of(MetricKind::kCounter, 1e-6), SampleHold::kAlways)),
      ElementsAre("0: 6", "500000000: ?", "1000000000: ?"));
  EXPECT_TRUE(metric_line({{0, 1}}, kind_of(MetricKind::kCounter), SampleHold::kAlways).empty());
}

TEST(MetricValuesTest, two_samples_of_one_moment_divide_nothing_by_nothing) {
  EXPECT_THAT(value_texts(metric_line({{0, 1}, {0, 5}, {1'000'000'000, 7}},
                                      kind_of(MetricKind::kCounter), SampleHold::kAlways)),
              ElementsAre("0: 2", "1000000000: ?"));
}

TEST(MetricValuesTest, what_comes_and_goes_has_gaps) {
  const std::vector<MetricSample> samples = {{0, 1}, {10, 2}, {20, 3}, {90, 4}, {100, 5}};
  EXPECT_THAT(
      value_texts(metric_line(samples, kind_of(MetricKind::kWindow), SampleHold::kWhileThere)),
      ElementsAre("-10: 1", "0: 2", "10: 3", "20: ?", "80: 4", "90: 5", "100: ?"));
  EXPECT_THAT(
      value_texts(metric_line(samples, kind_of(MetricKind::kGauge), SampleHold::kWhileThere)),
      ElementsAre("0: 1", "10: 2", "20: 3", "30: ?", "90: 4", "100: 5", "110: ?"));
  EXPECT_THAT(value_texts(metric_line(samples, kind_of(MetricKind::kWindow), SampleHold::kAlways)),
              ElementsAre("-10: 1", "0: 2", "10: 3", "20: 4", "90: 5", "100: ?"));
}

TEST(MetricValuesTest, an_event_is_a_moment) {
  EXPECT_THAT(value_texts(metric_line({{10, 79}, {20, 31}}, kind_of(MetricKind::kEvent),
                                      SampleHold::kAlways)),
              ElementsAre("10: 79", "11: ?", "20: 31", "21: ?"));
}

TEST(MetricValuesTest, no_samples_give_no_line) {
  for (const MetricKind kind :
       {MetricKind::kGauge, MetricKind::kWindow, MetricKind::kCounter, MetricKind::kEvent}) {
    EXPECT_TRUE(metric_line({}, kind_of(kind), SampleHold::kWhileThere).empty());
  }
}

}  // namespace
}  // namespace strobe::analysis

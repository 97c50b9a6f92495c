#include "strobe/compare/causes/direct_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

using device::MetricRole;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

Outsiders on_device(const CauseSketch& sketch) {
  const Symptoms symptoms = sketch.symptoms();
  return outsiders_on(symptoms, symptoms.devices.front());
}

TEST(Outsiders, are_unknown_unless_both_runs_looked_for_them) {
  EXPECT_FALSE(on_device(CauseSketch(10, 10)).is_known);
  auto only_abnormal = CauseSketch(10, 10).metric("GPU 0", "gpu_foreign_usage", 0, 50);
  only_abnormal.edit().metrics.back().all = change_between({}, CauseSketch::around(50));
  EXPECT_FALSE(on_device(only_abnormal).is_known);
  EXPECT_FALSE(on_device(only_abnormal).came());
}

// What so many lists of the device's processes say.
Outsiders on_lists(const std::vector<double>& normal, const std::vector<double>& abnormal) {
  auto sketch = CauseSketch(10, 20).metric("GPU 0", "gpu_foreign_usage", 0, 0);
  MetricRow& row = sketch.edit().metrics.back();
  row.all = row.busy = change_between(normal, abnormal);
  return on_device(sketch);
}

TEST(Outsiders, who_is_on_every_list_of_one_run_and_on_none_of_the_other_came) {
  EXPECT_TRUE(on_lists({0, 0}, {8, 40}).came());
  EXPECT_TRUE(on_lists({8, 40}, {0, 0}).left());
  EXPECT_FALSE(on_lists({0, 0}, {0, 40}).came()) << "on one list only";
  EXPECT_FALSE(on_lists({0, 0, 0}, {0.01, 0.01, 90}).came()) << "hardly there, but for one list";
  EXPECT_FALSE(on_lists({0}, {40}).came()) << "one list is none";
  EXPECT_FALSE(on_lists({20, 5}, {30, 40}).came()) << "somebody was there before";
}

TEST(Outsiders, are_named_the_largest_first) {
  const Outsiders outsiders =
      on_device(CauseSketch(10, 10)
                    .metric("GPU 0", "gpu_foreign_usage", 0, 54)
                    .metric("GPU 0", "gpu_foreign_process_usage ffmpeg (88)", 0, 6)
                    .metric("GPU 0", "gpu_foreign_process_usage python3 (4711)", 0, 48));
  EXPECT_TRUE(outsiders.came());
  EXPECT_FALSE(outsiders.left());
  EXPECT_THAT(outsiders.in_abnormal, ElementsAre(Field(&Outsider::name, "python3 (4711)"),
                                                 Field(&Outsider::name, "ffmpeg (88)")));
  EXPECT_THAT(outsiders.in_normal, IsEmpty());
  EXPECT_EQ(names_of(newcomers(outsiders)), "python3 (4711) and ffmpeg (88)");
  const Evidence evidence = use_by_outsiders(outsiders);
  EXPECT_EQ(evidence.text,
            "python3 (4711) used 48 %, ffmpeg (88) 6.0 % of GPU 0 in the abnormal run, none in "
            "the normal run");
  EXPECT_EQ(evidence.metric, "gpu_foreign_usage");
}

TEST(Outsiders, of_the_normal_run_are_told_from_its_side) {
  const Outsiders outsiders =
      on_device(CauseSketch(10, 8)
                    .metric("GPU 0", "gpu_foreign_usage", 48, 2)
                    .metric("GPU 0", "gpu_foreign_process_usage python3 (4711)", 46, 0));
  EXPECT_TRUE(outsiders.left());
  EXPECT_EQ(use_by_outsiders(outsiders).text,
            "python3 (4711) used 46 % of GPU 0 in the normal run, other processes 2.0 % in the "
            "abnormal run");
}

TEST(Outsiders, without_names_are_still_other_processes) {
  const Outsiders outsiders =
      on_device(CauseSketch(10, 10).metric("GPU 0", "gpu_foreign_usage", 0, 30));
  EXPECT_EQ(names_of(newcomers(outsiders)), "");
  EXPECT_EQ(use_by_outsiders(outsiders).text,
            "other processes used 30 % of GPU 0 in the abnormal run, none in the normal run");
}

TEST(Outsiders, a_desktop_is_too_small_to_count) {
  const Outsiders outsiders =
      on_device(CauseSketch(10, 10)
                    .metric("GPU 0", "gpu_foreign_usage", 0, 1.2)
                    .metric("GPU 0", "gpu_foreign_process_usage Xorg (1200)", 0, 0.9));
  EXPECT_TRUE(outsiders.is_known);
  EXPECT_FALSE(outsiders.came());
  EXPECT_THAT(newcomers(outsiders), IsEmpty());
}

TEST(Outsiders, who_used_a_little_more_did_not_make_the_difference) {
  const auto sketch = CauseSketch(10, 10)
                          .metric("Host", "foreign_cpu_usage", 4, 68)
                          .metric("Host", "foreign_process_cpu_usage stress (9)", 0, 60)
                          .metric("Host", "foreign_process_cpu_usage systemd (1)", 4, 8);
  EXPECT_EQ(names_of(newcomers(outsiders_on_cores(sketch.symptoms()))), "stress (9)");
}

TEST(Outsiders, who_was_there_before_did_not_come) {
  const Outsiders equal =
      on_device(CauseSketch(10, 10)
                    .metric("GPU 0", "gpu_foreign_usage", 40, 41)
                    .metric("GPU 0", "gpu_foreign_process_usage train (7)", 40, 41));
  EXPECT_FALSE(equal.came());
  const Outsiders joined =
      on_device(CauseSketch(10, 10)
                    .metric("GPU 0", "gpu_foreign_usage", 40, 71)
                    .metric("GPU 0", "gpu_foreign_process_usage python3 (8)", 0, 30)
                    .metric("GPU 0", "gpu_foreign_process_usage train (7)", 40, 41));
  EXPECT_TRUE(joined.came());
  EXPECT_EQ(names_of(newcomers(joined)), "python3 (8)");
  EXPECT_EQ(use_by_outsiders(joined).text,
            "python3 (8) used 30 % of GPU 0 in the abnormal run, other processes 40 % in the "
            "normal run");
}

TEST(Outsiders, the_process_that_samples_is_none_of_them) {
  const auto sketch = CauseSketch(10, 10)
                          .metric("Host", "foreign_cpu_usage", 3, 180)
                          .metric("Host", "foreign_process_cpu_usage strobe (812)", 1, 30)
                          .metric("Host", "foreign_process_cpu_usage stress (9)", 0, 150);
  const Outsiders outsiders = outsiders_on_cores(sketch.symptoms());
  EXPECT_THAT(outsiders.in_abnormal, ElementsAre(Field(&Outsider::name, "stress (9)")));
  EXPECT_EQ(use_by_outsiders(outsiders).text,
            "stress (9) used 1.5 cores in the abnormal run, none in the normal run");
}

TEST(Outsiders, a_fifth_of_a_core_is_the_least_that_counts) {
  const auto came = [](double use) {
    const auto sketch = CauseSketch(10, 10).metric("Host", "foreign_cpu_usage", 3, use);
    return outsiders_on_cores(sketch.symptoms()).came();
  };
  EXPECT_FALSE(came(18));
  EXPECT_TRUE(came(30));
}

// Inside a container the numbers of processes may mean nothing: the program itself is foreign then.
TEST(Outsiders, a_list_that_misses_the_program_itself_is_not_believed) {
  const auto listed = [](double own_use) {
    return CauseSketch(10, 10)
        .device("GPU 0", 5, 9)
        .metric("GPU 0", "gpu_process_usage", own_use, own_use)
        .metric("GPU 0", "gpu_foreign_usage", 50, 90);
  };
  EXPECT_FALSE(on_device(listed(0)).is_known);
  EXPECT_TRUE(on_device(listed(45)).is_known);
}

TEST(Outsiders, are_counted_from_two_on) {
  EXPECT_EQ(names_of({}), "");
  EXPECT_EQ(names_of({{"a (1)", 5}}), "a (1)");
  EXPECT_EQ(names_of({{"a (1)", 5}, {"b (2)", 4}, {"c (3)", 3}}), "a (1) and 2 more");
}

// One value per cycle, as the measurement gives them: the usual bits of the cycle.
CauseSketch limited(const std::vector<double>& normal, const std::vector<double>& abnormal) {
  CauseSketch sketch(10, 10);
  sketch.metric("GPU 0", "gpu_throttle_reasons", 0, 0);
  Comparison& comparison = sketch.edit();
  for (auto& [side, bits] :
       {std::pair(&comparison.normal, &normal), std::pair(&comparison.abnormal, &abnormal)}) {
    RankMeasure& measure = side->ranks.front();
    measure.cycles.cycles.assign(bits->size(), {.interval = {0, 10}, .name = ""});
    measure.devices.front().is_partial.assign(bits->size(), false);
    SeriesCycles series;
    series.device = "GPU 0";
    series.metric = "gpu_throttle_reasons";
    series.info = device::metric_info(series.metric, series.device);
    series.mean = series.busy_mean = *bits;
    measure.series.push_back(series);
  }
  return sketch;
}

TEST(ClockLimitsOfRuns, a_limit_that_came_is_told_with_its_share_of_the_cycles) {
  const auto sketch = limited({0, 0, 0, 0, 0}, {4, 4, 0x24, 4, 0});
  const ClockLimits limits = clock_limits(sketch.symptoms(), "GPU 0");
  EXPECT_TRUE(limits.is_known);
  EXPECT_EQ(limits.came(), 0x4u);
  EXPECT_EQ(limits.came_text(), "power cap: in 0 -> 80 % of the cycles");
  ASSERT_EQ(limits.limits.size(), 2u);
  EXPECT_NEAR(limits.limits[1].abnormal, 0.2, 1e-9) << "heat in one cycle of five: no news";
}

TEST(ClockLimitsOfRuns, a_limit_of_both_runs_did_not_come) {
  const auto sketch = limited({4, 4, 4, 4, 4}, {4, 4, 4, 4, 4});
  EXPECT_EQ(clock_limits(sketch.symptoms(), "GPU 0").came(), 0u);
}

TEST(ClockLimitsOfRuns, an_idle_device_is_not_limited) {
  const auto sketch = limited({0, 0, 0, 0}, {1, 1, 1, 1});
  const ClockLimits limits = clock_limits(sketch.symptoms(), "GPU 0");
  EXPECT_TRUE(limits.is_known);
  EXPECT_THAT(limits.limits, IsEmpty());
}

TEST(ClockLimitsOfRuns, need_four_samples_of_each_run) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(clock_limits(limited({0, 0, 0}, {4, 4, 4}).symptoms(), "GPU 0").is_known);
  EXPECT_FALSE(
      clock_limits(limited({0, 0, 0, nan, nan}, {4, 4, 4, 4, 4}).symptoms(), "GPU 0").is_known);
  EXPECT_FALSE(clock_limits(CauseSketch(10, 10).symptoms(), "GPU 0").is_known);
  auto slow = limited({0, 0, 0, 0, 0, 0}, {4, 4, 4, 4, 4, 4});
  EXPECT_TRUE(clock_limits(slow.symptoms(), "GPU 0").is_known);
  slow.edit().normal.ranks.front().series.back().sample_of = {0, 0, 1, 1, 2, 2};
  EXPECT_FALSE(clock_limits(slow.symptoms(), "GPU 0").is_known) << "six cycles of three samples";
}

TEST(LostTimeOfTheHost, must_grow_by_three_percent_of_the_time) {
  const auto lost = [](double normal, double abnormal) {
    const auto sketch = CauseSketch(10, 10).metric("Host", "pressure_io_some_us", normal, abnormal);
    return lost_time(sketch.symptoms(), MetricRole::kIoPressure);
  };
  EXPECT_TRUE(lost(5, 250).grew);
  EXPECT_NEAR(lost(5, 250).abnormal, 0.25, 1e-3);
  EXPECT_FALSE(lost(5, 20).grew);
  EXPECT_FALSE(lost(200, 250).grew) << "not half as much again";
  EXPECT_TRUE(lost(250, 5).shrank);
  EXPECT_FALSE(lost_time(CauseSketch(10, 10).symptoms(), MetricRole::kIoPressure).is_known);
}

TEST(LostTimeOfTheHost, a_run_without_a_quota_was_never_stopped_by_one) {
  const auto stopped = [](bool looked_at_host) {
    auto sketch = CauseSketch(10, 10).metric("Host", "cpu_quota_throttled_us", 0, 300);
    sketch.edit().metrics.back().all = change_between({}, CauseSketch::around(300));
    if (looked_at_host) sketch.metric("Host", "foreign_cpu_usage", 3, 3);
    return lost_time(sketch.symptoms(), MetricRole::kQuotaThrottled);
  };
  EXPECT_TRUE(stopped(true).grew);
  EXPECT_FALSE(stopped(false).is_known) << "it may have had one that nobody recorded";
}

}  // namespace
}  // namespace strobe::compare

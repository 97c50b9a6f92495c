#include "strobe/compare/measure/metric_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

using namespace literals;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::IsNan;
using ::testing::SizeIs;

auto close_to(double value) { return DoubleNear(value, 1e-9); }

const std::vector<Interval> kFourCycles = {
    {0, 100_ms}, {100_ms, 200_ms}, {200_ms, 300_ms}, {300_ms, 400_ms}};

RankCapture capture_with(std::vector<MetricSeries> metrics) {
  RankCapture capture;
  capture.trace = std::make_shared<const Trace>(
      Sketch().thread(1).slice("run", SliceKind::kAnnotation, 0, 400_ms).trace());
  capture.metrics = std::move(metrics);
  return capture;
}

std::vector<SeriesCycles> processes_of(std::vector<MetricSeries> metrics) {
  return average_processes(capture_with(std::move(metrics)), TimeParts(kFourCycles));
}

// Every 50 ms, also before and after the cycles.
MetricSeries ticks_series(const std::string& device, const std::string& metric) {
  MetricSeries series{device, metric, {}, {}};
  for (std::int64_t time_ns = -100_ms; time_ns <= 500_ms; time_ns += 50_ms) {
    series.times_ns.push_back(time_ns);
    series.values.push_back(0);
  }
  return series;
}

MetricSeries process_series(const std::string& key, std::vector<std::int64_t> times_ns,
                            std::vector<double> values) {
  return {"GPU 0", "gpu_foreign_process_usage " + key, std::move(times_ns), std::move(values)};
}

TEST(MetricProcessesTest, a_process_without_a_sample_used_nothing) {
  const auto series = processes_of({ticks_series("GPU 0", "gpu_foreign_usage"),
                                    process_series("python3 (4711)", {150_ms, 200_ms}, {40, 60})});
  ASSERT_THAT(series, SizeIs(1));
  EXPECT_EQ(series[0].metric, "gpu_foreign_process_usage python3 (4711)");
  EXPECT_EQ(series[0].device, "GPU 0");
  EXPECT_TRUE(series[0].info.has_key);
  // The first sample reaches back one and a half periods, 75 ms: 25 ms of the first cycle.
  EXPECT_THAT(series[0].mean, ElementsAre(close_to(10), close_to(50), close_to(0), close_to(0)));
  EXPECT_EQ(series[0].mean, series[0].busy_mean);
}

// A window reaches back to the previous sample; one that came back after a pause did not run in it.
TEST(MetricProcessesTest, a_process_that_comes_back_was_away_meanwhile) {
  const auto series =
      processes_of({ticks_series("GPU 0", "gpu_foreign_usage"),
                    process_series("python3 (4711)", {50_ms, 100_ms, 400_ms}, {40, 40, 40})});
  ASSERT_THAT(series, SizeIs(1));
  EXPECT_THAT(series[0].mean, ElementsAre(close_to(40), close_to(0), close_to(0), close_to(30)));
}

TEST(MetricProcessesTest, cycles_that_nobody_sampled_are_unknown) {
  MetricSeries ticks = ticks_series("GPU 0", "gpu_foreign_usage");
  ticks.times_ns.resize(6);  // until 150 ms
  ticks.values.resize(6);
  const auto series = processes_of({ticks, process_series("python3 (4711)", {100_ms}, {40})});
  ASSERT_THAT(series, SizeIs(1));
  EXPECT_THAT(series[0].mean, ElementsAre(close_to(30), close_to(0), IsNan(), IsNan()));
}

TEST(MetricProcessesTest, without_a_total_the_longest_series_tells_when_the_sampler_looked) {
  const auto series = processes_of(
      {process_series("long (1)",
                      {0, 50_ms, 100_ms, 150_ms, 200_ms, 250_ms, 300_ms, 350_ms, 400_ms},
                      std::vector<double>(9, 20)),
       process_series("once (2)", {300_ms}, {80})});
  ASSERT_THAT(series, SizeIs(2));
  EXPECT_EQ(series[1].metric, "gpu_foreign_process_usage once (2)");
  EXPECT_THAT(series[1].mean, ElementsAre(close_to(0), close_to(0), close_to(60), close_to(0)));
}

TEST(MetricProcessesTest, those_that_ran_outside_of_the_cycles_only_are_left_out) {
  EXPECT_THAT(processes_of({ticks_series("GPU 0", "gpu_foreign_usage"),
                            process_series("setup (3)", {-50_ms}, {90})}),
              IsEmpty());
  EXPECT_THAT(processes_of({ticks_series("GPU 0", "gpu_foreign_usage")}), IsEmpty());
  EXPECT_THAT(processes_of({}), IsEmpty());
}

TEST(MetricProcessesTest, devices_and_cores_are_kept_apart) {
  const auto series = processes_of(
      {ticks_series("GPU 0", "gpu_foreign_usage"),
       ticks_series("Host", "foreign_cpu_usage"),
       process_series("python3 (4711)", {100_ms, 150_ms, 200_ms}, {40, 40, 40}),
       {"Host", "foreign_process_cpu_usage stress (9)", {150_ms, 200_ms}, {200, 200}}});
  ASSERT_THAT(series, SizeIs(2));
  EXPECT_THAT(series, ElementsAre(Field(&SeriesCycles::device, "GPU 0"),
                                  Field(&SeriesCycles::device, "Host")));
}

// A compiler is started again and again: twenty processes, each seen once.
TEST(MetricProcessesTest, many_processes_of_one_program_become_one) {
  std::vector<MetricSeries> all = {ticks_series("GPU 0", "gpu_foreign_usage")};
  for (int i = 0; i < 20; ++i) {
    all.push_back(
        process_series("cc1plus (" + std::to_string(100 + i) + ")", {50_ms * (i % 8 + 1)}, {10}));
  }
  all.push_back(process_series("python3 (7)", {100_ms}, {1}));
  const auto series = processes_of(all);
  ASSERT_THAT(series, SizeIs(2));
  EXPECT_EQ(series[0].metric, "gpu_foreign_process_usage cc1plus (20 processes)");
  EXPECT_EQ(series[1].metric, "gpu_foreign_process_usage python3 (7)");
  EXPECT_GT(series[0].mean[0], 10) << "several run at the same time";
}

TEST(MetricProcessesTest, only_the_largest_are_kept) {
  std::vector<MetricSeries> all = {ticks_series("GPU 0", "gpu_foreign_usage")};
  for (int i = 0; i < 20; ++i) {
    all.push_back(process_series("program" + std::to_string(i) + " (1)", {100_ms},
                                 {static_cast<double>(i + 1)}));
  }
  const auto series = processes_of(all);
  ASSERT_THAT(series, SizeIs(kMostProcesses));
  EXPECT_EQ(series[0].metric, "gpu_foreign_process_usage program19 (1)");
}

TEST(MetricProcessesTest, neighbouring_cycles_share_the_samples_of_a_slow_sampler) {
  const std::vector<std::int64_t> times_ns = {-50_ms, 150_ms, 350_ms, 550_ms};
  const auto series = processes_of({{"GPU 0", "gpu_foreign_usage", times_ns, {40, 40, 40, 40}},
                                    process_series("python3 (4711)", times_ns, {40, 40, 40, 40})});
  ASSERT_THAT(series, SizeIs(1));
  EXPECT_THAT(series[0].mean, ElementsAre(close_to(40), close_to(40), close_to(40), close_to(40)));
  EXPECT_THAT(series[0].sample_of, ElementsAre(0, 0, 1, 1));
}

}  // namespace
}  // namespace strobe::compare

#include "strobe/compare/measure/metric_cycles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kBase = 1'000'000;
constexpr Interval kExtent{1'000, 2'000};

MetricSeries series_at(std::vector<std::int64_t> times_ns) {
  MetricSeries series;
  series.values.resize(times_ns.size());
  series.times_ns = std::move(times_ns);
  return series;
}

TEST(TimeBaseTest, samples_inside_the_trace_need_nothing) {
  const SeriesClock clock = clock_of(series_at({900, 1'500, 2'500}), kExtent, kBase);
  EXPECT_EQ(clock.base, TimeBase::kTrace);
  EXPECT_EQ(clock.shift_ns, 0);
}

TEST(TimeBaseTest, samples_on_the_wall_clock_lose_the_base_time) {
  const SeriesClock clock = clock_of(series_at({kBase + 1'100, kBase + 1'900}), kExtent, kBase);
  EXPECT_EQ(clock.base, TimeBase::kWallClock);
  EXPECT_EQ(clock.shift_ns, -kBase);
}

TEST(TimeBaseTest, a_sampler_slower_than_the_whole_trace_still_surrounds_it) {
  EXPECT_EQ(clock_of(series_at({500, 3'000}), kExtent, kBase).base, TimeBase::kTrace);
  EXPECT_EQ(clock_of(series_at({kBase, kBase + 9'000}), kExtent, kBase).base, TimeBase::kWallClock);
}

TEST(TimeBaseTest, the_clock_with_more_samples_inside_wins) {
  const auto series = series_at({0, kBase + 1'100, kBase + 1'200});
  EXPECT_EQ(clock_of(series, kExtent, kBase).base, TimeBase::kWallClock)
      << "as they stand the samples only surround the trace";
}

TEST(TimeBaseTest, elsewhere_is_no_overlap_and_both_ranges_are_told) {
  EXPECT_EQ(clock_of(series_at({5'000, 6'000}), kExtent, kBase).base, TimeBase::kNoOverlap);
  EXPECT_EQ(clock_of(series_at({}), kExtent, kBase).base, TimeBase::kNoOverlap);
  EXPECT_EQ(clock_of(series_at({5'000, 6'000}), kExtent, 0).base, TimeBase::kNoOverlap);
  const std::string remark = no_overlap_remark("power", {5'000'000'000, 6'500'000'000},
                                               {1'000'000'000, 2'000'000'000}, 10'000'000'000);
  EXPECT_THAT(remark, HasSubstr("5.000 s to 6.500 s"));
  EXPECT_THAT(remark, HasSubstr("1.000 s to 2.000 s"));
  EXPECT_THAT(remark, HasSubstr("11.000 s to 12.000 s"));
}

// Five cycles of 10 ns; the samples at 12 and 34 are the only ones inside.
TEST(SamplesOfCyclesTest, cycles_without_a_sample_share_that_of_a_neighbour) {
  const TimeParts cycles(std::vector<Interval>{{0, 10}, {10, 20}, {20, 30}, {30, 40}, {40, 50}});
  const std::vector<std::int64_t> slow = {-20, 12, 34, 70};
  EXPECT_THAT(samples_of_cycles(cycles, device::MetricKind::kGauge, slow),
              ElementsAre(0, 0, 0, 1, 1))
      << "a gauge stays what it was";
  EXPECT_THAT(samples_of_cycles(cycles, device::MetricKind::kWindow, slow),
              ElementsAre(0, 0, 1, 1, 1))
      << "a window describes the time before its sample";
}

TEST(SamplesOfCyclesTest, a_fast_sampler_gives_each_cycle_its_own) {
  const TimeParts cycles(std::vector<Interval>{{0, 10}, {10, 20}, {20, 30}});
  const std::vector<std::int64_t> fast = {1, 6, 11, 16, 21, 26};
  for (const auto kind : {device::MetricKind::kGauge, device::MetricKind::kCounter}) {
    const std::vector<std::size_t> samples = samples_of_cycles(cycles, kind, fast);
    EXPECT_LT(samples[0], samples[1]);
    EXPECT_LT(samples[1], samples[2]);
  }
}

TEST(SamplesOfCyclesTest, a_sampler_that_only_surrounds_the_cycles_gives_all_the_same) {
  const TimeParts cycles(std::vector<Interval>{{0, 10}, {10, 20}});
  EXPECT_THAT(
      samples_of_cycles(cycles, device::MetricKind::kGauge, std::vector<std::int64_t>{-100, 100}),
      ElementsAre(0, 0));
}

using device::MetricScope;

const FunctionKey kGemm{"gemm", FunctionKind::kKernel, "GPU 0"};
const FunctionKey kCollective{"all reduce", FunctionKind::kCollective, "GPU 0"};
const FunctionKey kUpload{"Memcpy HtoD (Pinned -> Device)", FunctionKind::kMemcpy, "GPU 0"};
const FunctionKey kMove{"Memcpy DtoD (Device -> Device)", FunctionKind::kMemcpy, "GPU 0"};
const FunctionKey kMemset{"Memset (Device)", FunctionKind::kMemset, "GPU 0"};
const FunctionKey kOnCpu{"oncpu", FunctionKind::kScheduling, "Host"};
const FunctionKey kRead{"read", FunctionKind::kInputOutput, "Host"};

TEST(TypicalValueTest, bits_have_no_median) {
  const std::vector<double> samples = {0, 0, 8, 8};
  EXPECT_EQ(typical_value(device::metric_info("gpu_throttle_reasons", "GPU 0"), samples), 0);
  EXPECT_EQ(typical_value(device::metric_info("gpu_sm_frequency", "GPU 0"), samples), 4);
  EXPECT_EQ(typical_value(device::metric_info("gpu_sm_frequency", "GPU 0"), {}), 0);
}

TEST(MetricScopeTest, what_is_about_no_function_is_in_no_scope) {
  for (const FunctionKey& key : {kGemm, kUpload, kOnCpu, kRead}) {
    EXPECT_FALSE(is_in_scope(MetricScope::kNone, key)) << key.name;
  }
}

TEST(MetricScopeTest, clocks_go_with_kernels_only) {
  EXPECT_TRUE(is_in_scope(MetricScope::kKernels, kGemm));
  EXPECT_TRUE(is_in_scope(MetricScope::kKernels, kCollective));
  EXPECT_FALSE(is_in_scope(MetricScope::kKernels, kUpload));
  EXPECT_FALSE(is_in_scope(MetricScope::kKernels, kMemset));
}

TEST(MetricScopeTest, copies_are_told_apart_by_their_ends) {
  EXPECT_TRUE(is_in_scope(MetricScope::kHostCopies, kUpload));
  EXPECT_TRUE(is_in_scope(MetricScope::kHostCopies, kMemset));
  EXPECT_FALSE(is_in_scope(MetricScope::kHostCopies, kMove));
  EXPECT_TRUE(is_in_scope(MetricScope::kDeviceCopies, kMove));
  EXPECT_TRUE(is_in_scope(MetricScope::kDeviceCopies, kCollective));
  EXPECT_FALSE(is_in_scope(MetricScope::kDeviceCopies, kUpload));
}

TEST(MetricScopeTest, disks_go_with_reads_and_cores_with_the_rest_of_the_host) {
  EXPECT_TRUE(is_in_scope(MetricScope::kHost, kOnCpu));
  EXPECT_FALSE(is_in_scope(MetricScope::kHost, kRead));
  EXPECT_TRUE(is_in_scope(MetricScope::kHostIo, kRead));
  EXPECT_FALSE(is_in_scope(MetricScope::kHostIo, kOnCpu));
}

using namespace literals;

// A program that starts up for a second and then runs four cycles of 100 ms. In each, the device
// works in the second half.
RankMeasure measured_after_start_up(std::vector<MetricSeries> metrics) {
  Sketch sketch;
  sketch.thread(1).slice("import", SliceKind::kAnnotation, 0, 1000_ms);
  analysis::CycleList cycles;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t start_ns = 1000_ms + 100_ms * i;
    sketch.stream(0, 7).slice("gemm", SliceKind::kKernel, start_ns + 50_ms, 50_ms);
    cycles.cycles.push_back({{start_ns, start_ns + 100_ms}, "cycle", {}, false});
  }
  RankCapture capture;
  capture.trace = std::make_shared<const Trace>(sketch.trace());
  capture.metrics = std::move(metrics);
  return measure_cycles(capture, std::move(cycles));
}

// Every 10 ms from the start of the program; `value` gets the time.
template <class Value>
MetricSeries sampled_on_gpu(const std::string& metric, Value value) {
  MetricSeries series{"GPU 0", metric, {}, {}};
  for (std::int64_t time_ns = 0; time_ns <= 1400_ms; time_ns += 10_ms) {
    series.times_ns.push_back(time_ns);
    series.values.push_back(value(time_ns));
  }
  return series;
}

TEST(RecordedCyclesTest, a_device_that_is_idle_while_the_program_starts_is_not_slow) {
  const RankMeasure measure = measured_after_start_up(
      {sampled_on_gpu("gpu_sm_frequency",
                      [](std::int64_t time_ns) { return time_ns < 900_ms ? 345.0 : 1980.0; }),
       sampled_on_gpu("gpu_throttle_reasons",
                      [](std::int64_t time_ns) { return time_ns < 900_ms ? 1.0 : 0.0; })});
  EXPECT_THAT(measure.series[0].busy_mean, ElementsAre(1980, 1980, 1980, 1980));
  EXPECT_THAT(measure.series[1].busy_mean, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(measure.series[1].recording_median, 0) << "idle in most samples, but in no cycle";
}

// In the first half of each cycle the device idles; in the second it is at its power cap, and for
// 10 of these 50 ms also hot.
TEST(RecordedCyclesTest, bits_are_those_of_most_of_the_time_that_counts) {
  const RankMeasure measure =
      measured_after_start_up({sampled_on_gpu("gpu_throttle_reasons", [](std::int64_t time_ns) {
        const std::int64_t in_cycle_ns = time_ns % 100_ms;
        return in_cycle_ns < 50_ms ? 1.0 : in_cycle_ns < 60_ms ? 36.0 : 4.0;
      })});
  EXPECT_THAT(measure.series[0].busy_mean, ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(measure.series[0].mean, ElementsAre(0, 0, 0, 0)) << "neither for more than half";
  EXPECT_EQ(measure.series[0].recording_median, 4);
}

TEST(RecordedCyclesTest, metrics_of_no_function_are_averaged_over_whole_cycles) {
  const RankMeasure measure = measured_after_start_up(
      {sampled_on_gpu("gpu_power_limit_mw", [](std::int64_t) { return 700'000.0; })});
  EXPECT_THAT(measure.metrics, ::testing::IsEmpty());
  EXPECT_THAT(measure.series[0].mean, ElementsAre(700, 700, 700, 700));
  EXPECT_THAT(measure.series[0].busy_mean, ElementsAre(700, 700, 700, 700));
}

TEST(RecordedCyclesTest, an_error_code_has_no_mean_and_no_remark) {
  const RankMeasure measure = measured_after_start_up({{"GPU 0", "gpu_xid", {1100_ms}, {79}}});
  EXPECT_THAT(measure.remarks, ::testing::IsEmpty());
  EXPECT_THAT(measure.series[0].mean, ::testing::Each(::testing::IsNan()));
}

TEST(RecordedCyclesTest, processes_come_after_the_other_series) {
  const RankMeasure measure = measured_after_start_up(
      {sampled_on_gpu("gpu_foreign_process_usage python3 (4711)",
                      [](std::int64_t time_ns) { return time_ns > 1200_ms ? 50.0 : 0.0; }),
       sampled_on_gpu("gpu_foreign_usage",
                      [](std::int64_t time_ns) { return time_ns > 1200_ms ? 50.0 : 0.0; })});
  ASSERT_EQ(measure.series.size(), 2u);
  EXPECT_EQ(measure.series[0].metric, "gpu_foreign_usage");
  EXPECT_EQ(measure.series[1].metric, "gpu_foreign_process_usage python3 (4711)");
  EXPECT_THAT(measure.series[1].mean, ElementsAre(0, 0, 50, 50));
  for (const MetricCycles& metric : measure.metrics) EXPECT_EQ(metric.series, 0u);
}

}  // namespace

}  // namespace strobe::compare

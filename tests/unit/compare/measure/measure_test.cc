#include "strobe/compare/measure/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

using namespace literals;
using ::testing::Contains;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNan;

// Three cycles of 10 ms with two kernels each, and a third cycle that has one only.
RankCapture capture_of(std::int64_t base_time_ns = 0) {
  Sketch sketch;
  sketch.metadata().base_time_ns = base_time_ns;
  sketch.thread(1);
  for (int i = 0; i < 3; ++i) {
    sketch.thread(1).slice("cycle", SliceKind::kAnnotation, 10_ms * i, 10_ms);
    sketch.stream(7, 1).slice("a", SliceKind::kKernel, 10_ms * i + 2_ms, 2_ms);
    if (i < 2) sketch.stream(7, 1).slice("b", SliceKind::kKernel, 10_ms * i + 6_ms, 2_ms);
  }
  RankCapture capture;
  capture.path = "trace.json";
  capture.trace = std::make_shared<const Trace>(sketch.trace());
  return capture;
}

analysis::CycleList cycles_of(const Trace& trace) {
  analysis::CycleList list;
  for (std::size_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.name(SliceId(i)) != "cycle") continue;
    list.cycles.push_back({trace.interval(SliceId(i)), "cycle", {}, false});
    list.marker_slices.push_back(SliceId(i));
  }
  return list;
}

RankMeasure measured(const RankCapture& capture, bool keep_partial = false) {
  return measure_cycles(capture, cycles_of(*capture.trace), keep_partial);
}

// 1000 MHz until 12 ms, falling to 500 at 24 ms.
MetricSeries clock_series(std::int64_t shift_ns = 0) {
  return {"GPU 7",
          "gpu_sm_frequency",
          {shift_ns, 12_ms + shift_ns, 24_ms + shift_ns},
          {1000, 1000, 500}};
}

TEST(MeasureTest, a_cycle_with_few_slices_is_partial_on_its_device) {
  const RankMeasure measure = measured(capture_of());
  ASSERT_EQ(measure.devices.size(), 2u);
  EXPECT_EQ(measure.devices[1].device, "GPU 7");
  EXPECT_THAT(measure.devices[1].is_partial, ElementsAre(false, false, true));
  EXPECT_FALSE(measure.is_usable("GPU 7", 2));
  EXPECT_TRUE(measure.is_usable("Host", 2));
  EXPECT_TRUE(measure.is_usable("GPU 9", 2));
  EXPECT_THAT(measured(capture_of(), true).devices[1].is_partial, ElementsAre(false, false, false));
}

TEST(MeasureTest, markers_are_no_functions) {
  const RankMeasure measure = measured(capture_of());
  ASSERT_EQ(measure.functions.size(), 2u);
  EXPECT_EQ(measure.functions[0].key.name, "a");
  EXPECT_THAT(measure.functions[1].calls, ElementsAre(1, 1, 0));
  EXPECT_THAT(measure.devices[1].busy_ns, ElementsAre(4_ms, 4_ms, 2_ms));
}

// In the second cycle "a" runs from 12 to 14 ms: 1000 - 500/12 * 1 in the mean, and "b" from 16 to
// 18: 1000 - 500/12 * 5. Busy are both.
TEST(MeasureTest, a_metric_is_averaged_over_each_function_and_over_busy_time) {
  RankCapture capture = capture_of();
  capture.metrics.push_back(clock_series());
  const RankMeasure measure = measured(capture);
  ASSERT_EQ(measure.metrics.size(), 2u);
  const double slope = 500.0 / 12;
  EXPECT_EQ(measure.metrics[0].mean[0], 1000);
  EXPECT_NEAR(measure.metrics[0].mean[1], 1000 - slope, 1e-9);
  EXPECT_NEAR(measure.metrics[1].mean[1], 1000 - slope * 5, 1e-9);
  EXPECT_THAT(measure.metrics[1].mean[2], IsNan());
  const SeriesCycles& series = measure.series[0];
  EXPECT_NEAR(series.busy_mean[1], 1000 - slope * 3, 1e-9);
  // 2 ms at 1000, then 8 ms falling by 8 slopes.
  EXPECT_NEAR(series.mean[1], 1000 - slope * 4 * 0.8, 1e-9);
  EXPECT_EQ(series.samples_in_cycles, 3u);
  EXPECT_EQ(series.period_ns, 12e6);
  EXPECT_EQ(series.recording_median, 1000);
}

TEST(MeasureTest, samples_on_the_wall_clock_are_moved_to_the_traces) {
  RankCapture plain = capture_of();
  plain.metrics.push_back(clock_series());
  RankCapture moved = capture_of(1'000'000_ms);
  moved.metrics.push_back(clock_series(1'000'000_ms));
  const RankMeasure a = measured(plain);
  const RankMeasure b = measured(moved);
  EXPECT_EQ(b.series[0].time_base, TimeBase::kWallClock);
  EXPECT_EQ(a.series[0].mean, b.series[0].mean);
}

TEST(MeasureTest, samples_of_another_day_give_a_remark_and_no_mean) {
  RankCapture capture = capture_of();
  capture.metrics.push_back(clock_series(1'000'000_ms));
  const RankMeasure measure = measured(capture);
  EXPECT_EQ(measure.series[0].time_base, TimeBase::kNoOverlap);
  EXPECT_THAT(measure.series[0].mean, ElementsAre(IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(measure.remarks, ElementsAre(HasSubstr("do not overlap")));
}

TEST(MeasureTest, one_sample_gives_a_remark_and_no_mean) {
  RankCapture capture = capture_of();
  capture.metrics.push_back({"GPU 7", "gpu_sm_frequency", {5_ms}, {1000}});
  const RankMeasure measure = measured(capture);
  EXPECT_THAT(measure.series[0].mean[0], IsNan());
  EXPECT_THAT(measure.remarks, ElementsAre(HasSubstr("one sample")));
}

TEST(MeasureTest, what_readers_said_is_kept) {
  RankCapture capture = capture_of();
  capture.metric_remarks.push_back("line 17 is no number");
  capture.import.add(ImportIssue::kTruncatedFile, 99);
  EXPECT_THAT(measured(capture).remarks,
              ElementsAre(HasSubstr("the file is cut off"), "line 17 is no number"));
}

TEST(MeasureTest, a_series_of_a_device_without_work_is_averaged_over_cycles_only) {
  RankCapture capture = capture_of();
  capture.metrics.push_back({"GPU 1", "gpu_power_w", {0, 15_ms, 30_ms}, {70, 70, 70}});
  const RankMeasure measure = measured(capture);
  EXPECT_THAT(measure.metrics, IsEmpty());
  EXPECT_THAT(measure.series[0].mean, ElementsAre(70, 70, 70));
}

TEST(MeasureTest, steps_are_found_where_no_cycles_are_given) {
  Sketch sketch;
  for (int i = 0; i < 4; ++i) {
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, 10_ms * i, 10_ms);
    sketch.stream(0, 1).slice("a", SliceKind::kKernel, 10_ms * i + 2_ms, 2_ms);
  }
  RankCapture capture;
  capture.trace = std::make_shared<const Trace>(sketch.trace());
  const auto measure_of = measure(capture);
  ASSERT_TRUE(measure_of) << measure_of.error().what;
  ASSERT_EQ(measure_of->functions.size(), 1u);
  EXPECT_EQ(measure_of->functions[0].time_ns.size(), 4u);
}

using analysis::Cycle;
using analysis::CycleType;

TEST(PartialCyclesTest, fewer_than_four_fifths_of_the_median_is_partial) {
  const std::vector<Cycle> cycles(5);
  EXPECT_THAT(partial_cycles(cycles, {79, 80, 100, 100, 120}),
              ElementsAre(true, false, false, false, false));
}

TEST(PartialCyclesTest, each_type_has_its_own_median) {
  std::vector<Cycle> cycles(6);
  for (const std::size_t i : {0u, 3u}) cycles[i].type = CycleType::kLong;
  EXPECT_THAT(partial_cycles(cycles, {1000, 10, 10, 1000, 10, 7}),
              ElementsAre(false, false, false, false, false, true));
}

TEST(PartialCyclesTest, a_border_of_the_traces_own_is_no_border_of_a_cycle) {
  std::vector<Cycle> cycles(3);
  cycles[2].has_inferred_border = true;
  EXPECT_THAT(partial_cycles(cycles, {5, 5, 5}), ElementsAre(false, false, true));
}

TEST(PartialCyclesTest, a_device_that_does_nothing_has_whole_cycles) {
  EXPECT_THAT(partial_cycles(std::vector<Cycle>(2), {0, 0}), ElementsAre(false, false));
}

// Four cycles of 10 ms; each launches a kernel of `kernel_ms`, and the host never waits.
RankMeasure never_waiting(std::int64_t kernel_ns, analysis::CycleMethod method) {
  Sketch sketch;
  std::int64_t free_ns = 0;
  for (int i = 0; i < 4; ++i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    const std::int64_t launch_ns = 10_ms * i + 1_ms;
    sketch.thread(1).slice("cycle", SliceKind::kAnnotation, 10_ms * i, 10_ms);
    sketch.thread(1).slice("launch", SliceKind::kRuntimeCall, launch_ns, 1_ms).correlation(id);
    const std::int64_t start_ns = std::max(free_ns, launch_ns + 1_ms);
    sketch.stream(0, 7).slice("gemm", SliceKind::kKernel, start_ns, kernel_ns).correlation(id);
    free_ns = start_ns + kernel_ns;
  }
  RankCapture capture;
  capture.trace = std::make_shared<const Trace>(sketch.trace());
  analysis::CycleList cycles = cycles_of(*capture.trace);
  cycles.method = method;
  return measure_cycles(capture, std::move(cycles));
}

TEST(MeasureTest, cycles_of_a_host_that_runs_ahead_are_in_the_devices_time) {
  const RankMeasure by_steps = never_waiting(30_ms, analysis::CycleMethod::kSteps);
  EXPECT_EQ(by_steps.cycles.clock, analysis::CycleClock::kDevice);
  for (std::size_t i = 1; i < by_steps.cycles.cycles.size(); ++i) {
    EXPECT_EQ(by_steps.cycles.cycles[i].interval.length_ns(), 30_ms);
  }
  EXPECT_THAT(by_steps.devices[1].launched_ns, ElementsAre(30_ms, 30_ms, 30_ms, 30_ms));
  EXPECT_FALSE(by_steps.devices[1].outlasts_cycles);
  const RankMeasure by_kernels = never_waiting(30_ms, analysis::CycleMethod::kKernelSequence);
  EXPECT_EQ(by_kernels.cycles.clock, analysis::CycleClock::kMarks);
}

TEST(MeasureTest, every_function_knows_what_a_cycle_launches_of_it) {
  const RankMeasure measure = never_waiting(30_ms, analysis::CycleMethod::kSteps);
  for (const FunctionCycles& function : measure.functions) {
    if (function.key.name != "gemm") {
      EXPECT_THAT(function.launched_calls, IsEmpty()) << function.key.name;
      continue;
    }
    EXPECT_THAT(function.launched_calls, ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(function.launched_ns, ElementsAre(30_ms, 30_ms, 30_ms, 30_ms));
    EXPECT_THAT(function.time_ns, ElementsAre(30_ms, 30_ms, 30_ms, 30_ms));
  }
}

RankMeasure operator_and_range(bool with_frame) {
  Sketch sketch;
  sketch.thread(1).slice("cycle", SliceKind::kAnnotation, 0, 10_ms);
  sketch.thread(1).slice("aten::mm", SliceKind::kOperator, 1_ms, 1_ms);
  sketch.thread(1).slice("block", SliceKind::kAnnotation, 3_ms, 1_ms);
  if (with_frame) sketch.thread(1).slice("train.py(40)", SliceKind::kPythonCall, 3_ms, 1_ms);
  RankCapture capture;
  capture.trace = std::make_shared<const Trace>(sketch.trace());
  return measured(capture);
}

TEST(MeasureTest, operators_and_ranges_are_told_apart) {
  const RankMeasure measure = operator_and_range(false);
  ASSERT_EQ(measure.functions.size(), 2u);
  EXPECT_TRUE(measure.functions[0].is_operator) << measure.functions[0].key.name;
  EXPECT_FALSE(measure.functions[1].is_operator) << measure.functions[1].key.name;
}

TEST(MeasureTest, frames_of_the_script_are_seen) {
  EXPECT_FALSE(operator_and_range(false).has_frames);
  EXPECT_TRUE(operator_and_range(true).has_frames);
}

}  // namespace

}  // namespace strobe::compare

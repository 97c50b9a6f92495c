#include "strobe/analysis/steps/step_breakdown.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

// Two steps on thread 1; thread 2 launches in the second step's time.
Trace two_threads() {
  return Sketch()
      .thread(1)
      .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
      .slice("Step#1", SliceKind::kStep, 10_us, 10_us)
      .slice("call", kCall, 9_us, 1_us)
      .correlation(1)
      .thread(2)
      .slice("call", kCall, 10_us, 1_us)
      .correlation(2)
      .slice("call", kCall, 15_us, 1_us)
      .correlation(3)
      .stream(0, 7)
      .slice("k", SliceKind::kKernel, 100_us, 5_us)
      .correlation(1)
      .slice("k", SliceKind::kKernel, 110_us, 7_us)
      .correlation(2)
      .slice("c", SliceKind::kMemcpy, 120_us, 2_us)
      .correlation(3)
      .trace();
}

TEST(StepLaunchesTest, a_step_owns_what_its_own_thread_launched_below_it) {
  const Trace trace = two_threads();
  const auto sums = add_up_step_launches(attribute_trace(trace), list_steps(trace), false);
  EXPECT_EQ(sums[0].kernel_ns, 5_us);
  EXPECT_EQ(sums[1].kernel_ns, 0);
  EXPECT_EQ(sums[1].device_ns, 0);
}

TEST(StepLaunchesTest, covering_all_threads_it_owns_every_launch_that_starts_in_its_time) {
  const Trace trace = two_threads();
  const auto sums = add_up_step_launches(attribute_trace(trace), list_steps(trace), true);
  EXPECT_EQ(sums[0].kernel_ns, 5_us);
  EXPECT_EQ(sums[1].kernel_ns, 7_us);  // the launch at 10 us is the second step's
  EXPECT_EQ(sums[1].device_ns, 9_us);
}

TEST(StepLaunchesTest, the_launches_of_another_process_are_its_own) {
  const Trace trace = Sketch()
                          .thread(1, 1)
                          .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
                          .thread(1, 2)
                          .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
                          .slice("call", kCall, 5_us, 1_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 100_us, 5_us)
                          .correlation(1)
                          .trace();
  const auto sums = add_up_step_launches(attribute_trace(trace), list_steps(trace), true);
  EXPECT_EQ(sums[0].kernel_ns, 0);
  EXPECT_EQ(sums[1].kernel_ns, 5_us);
}

TEST(StepLaunchesTest, a_cycle_owns_the_launches_of_all_processes_in_its_time) {
  const Trace trace = Sketch()
                          .thread(1, 1)
                          .slice("call", kCall, 2_us, 1_us)
                          .correlation(1)
                          .thread(1, 2)
                          .slice("call", kCall, 5_us, 1_us)
                          .correlation(2)
                          .slice("op", SliceKind::kOperator, 7_us, 1_us)
                          .external(3)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 100_us, 5_us)
                          .correlation(1)
                          .slice("k", SliceKind::kKernel, 110_us, 7_us)
                          .correlation(2)
                          .slice("k", SliceKind::kKernel, 120_us, 11_us)
                          .external(3)
                          .trace();
  Step cycle;
  cycle.interval = {0_us, 10_us};
  for (const bool cover_all_threads : {false, true}) {
    const auto sums = add_up_step_launches(attribute_trace(trace), {cycle}, cover_all_threads);
    EXPECT_EQ(sums[0].kernel_ns, 23_us);
  }
}

TEST(StepLaunchesTest, a_launch_known_only_by_its_operator_happens_when_that_starts) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
                          .slice("op", SliceKind::kOperator, 5_us, 1_us)
                          .external(3)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 100_us, 5_us)
                          .external(3)
                          .trace();
  const auto sums = add_up_step_launches(attribute_trace(trace), list_steps(trace), true);
  EXPECT_EQ(sums[0].kernel_ns, 5_us);
}

std::vector<StepRow> broken_down(const Trace& trace) {
  const AttributedTrace input = attribute_trace(trace);
  const auto steps = list_steps(trace);
  return break_down_steps(input, steps, add_up_step_launches(input, steps, true));
}

std::int64_t label(const StepRow& row, StepLabel label) {
  return row.label_ns[static_cast<std::size_t>(label)];
}

void expect_balanced(const StepRow& row) {
  EXPECT_EQ(std::accumulate(std::begin(row.label_ns), std::end(row.label_ns), std::int64_t{0}),
            row.interval.length_ns());
}

TEST(StepBreakdownTest, every_label_gets_what_no_earlier_one_has) {
  // kernel         10-20
  // communication     15-30          exposed 20-30
  // memcpy               28-35       exposed 30-35
  // memset                   38-40
  // runtime call   5-12              exposed 5-10
  // data loading                40-50
  // operator            18-       60 exposed 35-38 and 50-60
  // idle           0-5 and 60-100
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                          .slice("call", SliceKind::kRuntimeCall, 5_us, 7_us)
                          .slice("op", SliceKind::kOperator, 18_us, 42_us)
                          .slice("load", SliceKind::kDataLoader, 40_us, 10_us)
                          .stream(0, 7)
                          .slice("gemm", kKernel, 10_us, 10_us)
                          .slice("set", SliceKind::kMemset, 38_us, 2_us)
                          .stream(0, 8)
                          .slice("reduce", kKernel, 15_us, 15_us)
                          .flags(kCommunicates)
                          .stream(0, 9)
                          .slice("copy", SliceKind::kMemcpy, 28_us, 7_us)
                          .trace();
  const auto rows = broken_down(trace);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(label(rows[0], StepLabel::kKernel), 10_us);
  EXPECT_EQ(label(rows[0], StepLabel::kCommunication), 10_us);
  EXPECT_EQ(label(rows[0], StepLabel::kMemcpy), 5_us);
  EXPECT_EQ(label(rows[0], StepLabel::kMemset), 2_us);
  EXPECT_EQ(label(rows[0], StepLabel::kRuntime), 5_us);
  EXPECT_EQ(label(rows[0], StepLabel::kDataLoader), 10_us);
  EXPECT_EQ(label(rows[0], StepLabel::kHost), 13_us);
  EXPECT_EQ(label(rows[0], StepLabel::kIdle), 45_us);
  expect_balanced(rows[0]);
}

TEST(StepBreakdownTest, work_that_crosses_a_border_is_cut_there) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
                          .slice("Step#1", SliceKind::kStep, 10_us, 10_us)
                          .stream(0, 7)
                          .slice("gemm", kKernel, 8_us, 5_us)
                          .trace();
  const auto rows = broken_down(trace);
  EXPECT_EQ(label(rows[0], StepLabel::kKernel), 2_us);
  EXPECT_EQ(label(rows[1], StepLabel::kKernel), 3_us);
  expect_balanced(rows[0]);
  expect_balanced(rows[1]);
}

TEST(StepBreakdownTest, interpreter_frames_are_host_time) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
                          .slice("frame", SliceKind::kPythonCall, 2_us, 6_us)
                          .slice("inner frame", SliceKind::kPythonCall, 3_us, 1_us)
                          .trace();
  EXPECT_EQ(label(broken_down(trace)[0], StepLabel::kHost), 6_us);
}

TEST(StepBreakdownTest, another_process_does_not_count) {
  const Trace trace = Sketch()
                          .thread(1, 1)
                          .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
                          .thread(1, 2)
                          .slice("Step#0", SliceKind::kStep, 0_us, 10_us)
                          .slice("call", SliceKind::kRuntimeCall, 2_us, 1_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("gemm", kKernel, 5_us, 5_us)
                          .correlation(1)
                          .trace();
  const auto rows = broken_down(trace);
  EXPECT_EQ(label(rows[0], StepLabel::kKernel), 0);
  EXPECT_EQ(label(rows[1], StepLabel::kKernel), 5_us);
}

}  // namespace

}  // namespace strobe::analysis

#include "strobe/analysis/tables/tables.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

std::vector<PhaseTotals> phases_of(const Trace& trace, bool cover_all_threads = false) {
  const AttributedTrace input = attribute_trace(trace);
  const auto steps = list_steps(trace);
  return list_phases(input, steps, add_up_step_launches(input, steps, cover_all_threads),
                     cover_all_threads, find_backward_ranges(input, steps), 100_us);
}

TEST(ModelTest, the_outermost_phase_on_a_path_counts) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                          .slice("Net", SliceKind::kForward, 10_us, 40_us)
                          .slice("Layer", SliceKind::kForward, 15_us, 10_us)
                          .slice("sgd", SliceKind::kOptimizer, 60_us, 20_us)
                          .slice("call", kCall, 16_us, 1_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 200_us, 30_us)
                          .correlation(1)
                          .slice("c", SliceKind::kMemcpy, 240_us, 4_us)
                          .correlation(1)
                          .trace();
  const auto phases = phases_of(trace);
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[0].kind, SliceKind::kStep);
  EXPECT_EQ(phases[0].kernels.total_ns, 30_us);
  EXPECT_EQ(phases[0].device.total_ns, 34_us);
  EXPECT_EQ(phases[1].kind, SliceKind::kForward);
  EXPECT_EQ(phases[1].host.calls, 1u);
  EXPECT_EQ(phases[1].host.total_ns, 40_us);
  EXPECT_EQ(phases[1].kernels.total_ns, 30_us);
  EXPECT_EQ(phases[1].device.total_ns, 34_us);
  EXPECT_EQ(phases[2].kind, SliceKind::kOptimizer);
  EXPECT_EQ(phases[2].kernels.total_ns, 0);
}

TEST(ModelTest, phases_stand_in_a_fixed_order_behind_the_steps) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                          .slice("o", SliceKind::kOptimizer, 10_us, 1_us)
                          .slice("b", SliceKind::kBackward, 20_us, 1_us)
                          .slice("f", SliceKind::kForward, 30_us, 1_us)
                          .slice("d", SliceKind::kDataLoader, 40_us, 1_us)
                          .trace();
  const auto phases = phases_of(trace);
  ASSERT_EQ(phases.size(), 5u);
  EXPECT_EQ(phases[1].kind, SliceKind::kDataLoader);
  EXPECT_EQ(phases[2].kind, SliceKind::kForward);
  EXPECT_EQ(phases[3].kind, SliceKind::kBackward);
  EXPECT_EQ(phases[4].kind, SliceKind::kOptimizer);
}

// The same step on two threads, and one that a phase hides.
Trace steps_as_ranges() {
  return Sketch()
      .thread(1)
      .slice("Step#0", SliceKind::kStep, 0_us, 40_us)
      .slice("Net", SliceKind::kForward, 50_us, 40_us)
      .slice("Step#1", SliceKind::kStep, 60_us, 20_us)
      .slice("call", kCall, 65_us, 1_us)
      .correlation(1)
      .thread(2)
      .slice("Step#0", SliceKind::kStep, 10_us, 35_us)
      .stream(0, 7)
      .slice("k", SliceKind::kKernel, 200_us, 30_us)
      .correlation(1)
      .trace();
}

TEST(ModelTest, steps_of_their_own_thread_count_one_by_one_unless_a_phase_hides_them) {
  const auto phases = phases_of(steps_as_ranges(), false);
  EXPECT_EQ(phases[0].host.calls, 2u);
  EXPECT_EQ(phases[0].host.total_ns, 75_us);
  EXPECT_EQ(phases[0].kernels.total_ns, 0);
  EXPECT_EQ(phases[1].kernels.total_ns, 30_us);
}

TEST(ModelTest, steps_of_all_threads_are_one_step_wherever_they_stand) {
  const auto phases = phases_of(steps_as_ranges(), true);
  EXPECT_EQ(phases[0].host.calls, 2u);
  EXPECT_EQ(phases[0].host.total_ns, 65_us);  // [0,45) and [60,80)
  EXPECT_EQ(phases[0].kernels.total_ns, 30_us);
}

TEST(ModelTest, without_steps_the_first_row_is_the_whole_trace) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 100_us)
                          .slice("call", kCall, 16_us, 1_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 200_us, 30_us)
                          .correlation(1)
                          .trace();
  const auto phases = phases_of(trace);
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0].host.total_ns, 100_us);
  EXPECT_EQ(phases[0].kernels.total_ns, 30_us);
}

// Step 0: two engine operators on thread 2 with an unrelated launch between them; step 1: one.
Trace engine_operators() {
  return Sketch()
      .thread(1)
      .slice("Step#0", SliceKind::kStep, 0_us, 50_us)
      .slice("Step#1", SliceKind::kStep, 50_us, 50_us)
      .thread(2)
      .slice("engine: a", kOp, 10_us, 5_us)
      .flags(kBackwardWork)
      .slice("a", kOp, 11_us, 3_us)
      .slice("call", kCall, 12_us, 1_us)
      .correlation(1)
      .slice("between", kOp, 16_us, 2_us)
      .slice("call", kCall, 17_us, 1_us)
      .correlation(2)
      .slice("engine: b", kOp, 20_us, 10_us)
      .flags(kBackwardWork)
      .slice("engine: c", kOp, 60_us, 7_us)
      .flags(kBackwardWork)
      .stream(0, 7)
      .slice("k", SliceKind::kKernel, 200_us, 30_us)
      .correlation(1)
      .slice("k", SliceKind::kKernel, 300_us, 1_us)
      .correlation(2)
      .trace();
}

TEST(ModelTest, engine_operators_make_one_backward_range_per_step_and_thread) {
  const Trace trace = engine_operators();
  const auto ranges = find_backward_ranges(attribute_trace(trace), list_steps(trace));
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].interval, (Interval{10_us, 30_us}));
  EXPECT_EQ(ranges[0].kernel_ns, 30_us);  // not the kernel launched between the operators
  EXPECT_EQ(ranges[1].interval, (Interval{60_us, 67_us}));
}

TEST(ModelTest, backward_ranges_are_a_phase) {
  const auto phases = phases_of(engine_operators(), true);
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[1].kind, SliceKind::kBackward);
  EXPECT_EQ(phases[1].host.calls, 2u);
  EXPECT_EQ(phases[1].host.total_ns, 27_us);  // [10,30) and [60,67)
  EXPECT_EQ(phases[0].kernels.max_ns, 31_us);
}

TEST(ModelTest, engine_operators_outside_all_steps_belong_to_no_backward) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 50_us)
                          .slice("engine: a", kOp, 60_us, 5_us)
                          .flags(kBackwardWork)
                          .trace();
  EXPECT_TRUE(find_backward_ranges(attribute_trace(trace), list_steps(trace)).empty());
}

}  // namespace
}  // namespace strobe::analysis

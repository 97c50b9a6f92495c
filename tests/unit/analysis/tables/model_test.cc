#include "strobe/analysis/tables/tables.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

// Without steps, the host's time is [0, 100) us.
ModelPhases phases_of(const Trace& trace, bool cover_all_threads = false) {
  const AttributedTrace input = attribute_trace(trace);
  const auto steps = list_steps(trace);
  std::vector<Interval> base = {{0, 100_us}};
  if (!steps.empty()) base.clear();
  for (const Step& step : steps) base.push_back(step.interval);
  return list_phases(input, steps, add_up_step_launches(input, steps, cover_all_threads),
                     cover_all_threads, union_of(base));
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
  const auto phases = phases_of(trace).phases;
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
  const auto phases = phases_of(trace).phases;
  ASSERT_EQ(phases.size(), 5u);
  EXPECT_EQ(phases[1].kind, SliceKind::kDataLoader);
  EXPECT_EQ(phases[2].kind, SliceKind::kForward);
  EXPECT_EQ(phases[3].kind, SliceKind::kBackward);
  EXPECT_EQ(phases[4].kind, SliceKind::kOptimizer);
}

TEST(ModelTest, a_phase_is_the_union_of_its_ranges_over_all_threads) {
  // Forward [10,40) and [30,60), optimizer [50,70).
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                          .slice("a", SliceKind::kForward, 10_us, 30_us)
                          .slice("o", SliceKind::kOptimizer, 50_us, 20_us)
                          .thread(2)
                          .slice("b", SliceKind::kForward, 30_us, 30_us)
                          .trace();
  const ModelPhases model = phases_of(trace, true);
  ASSERT_EQ(model.phases.size(), 3u);
  EXPECT_EQ(model.phases[1].host.calls, 2u);
  EXPECT_EQ(model.phases[1].host.total_ns, 50_us);
  EXPECT_EQ(model.phases[1].host.max_ns, 30_us);
  EXPECT_EQ(model.phases[2].host.total_ns, 20_us);
  EXPECT_EQ(model.outside_ns, 40_us);  // all but [10,70)
}

TEST(ModelTest, phases_outside_of_steps_are_no_part_of_them) {
  const Trace trace = Sketch()
                          .slice("warm-up", SliceKind::kForward, 0_us, 40_us)
                          .slice("Step#0", SliceKind::kStep, 50_us, 30_us)
                          .slice("Net", SliceKind::kForward, 60_us, 10_us)
                          .slice("next", SliceKind::kDataLoader, 90_us, 5_us)
                          .trace();
  const ModelPhases model = phases_of(trace);
  ASSERT_EQ(model.phases.size(), 2u);
  EXPECT_EQ(model.phases[1].kind, SliceKind::kForward);
  EXPECT_EQ(model.phases[1].host.calls, 1u);
  EXPECT_EQ(model.phases[1].host.total_ns, 10_us);
  EXPECT_EQ(model.outside_ns, 20_us);
}

TEST(ModelTest, what_overlapping_steps_launch_counts_once) {
  // "epoch" lasts [0,100), "Step#1" inside it [20,60); both hold the launch.
  const Trace trace = Sketch()
                          .slice("epoch", SliceKind::kStep, 0_us, 100_us)
                          .slice("Step#1", SliceKind::kStep, 20_us, 40_us)
                          .slice("call", kCall, 30_us, 1_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 50_us, 9_us)
                          .correlation(1)
                          .trace();
  for (const bool cover_all_threads : {false, true}) {
    const PhaseTotals steps = phases_of(trace, cover_all_threads).phases[0];
    EXPECT_EQ(steps.host.calls, 2u);
    EXPECT_EQ(steps.host.total_ns, 100_us);
    EXPECT_EQ(steps.kernels.total_ns, 9_us) << cover_all_threads;
    EXPECT_EQ(steps.device.total_ns, 9_us) << cover_all_threads;
  }
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
  const ModelPhases model = phases_of(trace);
  ASSERT_EQ(model.phases.size(), 1u);
  EXPECT_EQ(model.phases[0].host.total_ns, 100_us);
  EXPECT_EQ(model.phases[0].kernels.total_ns, 30_us);
  EXPECT_EQ(model.outside_ns, 100_us);
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

TEST(ModelTest, engine_operators_are_backward_without_the_time_between_them) {
  const ModelPhases model = phases_of(engine_operators(), true);
  ASSERT_EQ(model.phases.size(), 2u);
  const PhaseTotals& backward = model.phases[1];
  EXPECT_EQ(backward.kind, SliceKind::kBackward);
  EXPECT_EQ(backward.host.calls, 2u);        // one per step
  EXPECT_EQ(backward.host.total_ns, 22_us);  // [10,15), [20,30) and [60,67)
  EXPECT_EQ(backward.host.max_ns, 15_us);
  EXPECT_EQ(backward.host.min_ns, 7_us);
  EXPECT_EQ(backward.kernels.total_ns, 30_us);  // not the kernel launched between the operators
  EXPECT_EQ(model.phases[0].kernels.max_ns, 31_us);
  EXPECT_EQ(model.outside_ns, 78_us);
}

TEST(ModelTest, backward_of_several_threads_is_no_longer_than_the_time_it_covers) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("Step#0", SliceKind::kStep, 0_us, 50_us)
                          .thread(2)
                          .slice("engine: a", kOp, 10_us, 20_us)
                          .flags(kBackwardWork)
                          .thread(3)
                          .slice("engine: b", kOp, 15_us, 20_us)
                          .flags(kBackwardWork)
                          .trace();
  const ModelPhases model = phases_of(trace, true);
  ASSERT_EQ(model.phases.size(), 2u);
  EXPECT_EQ(model.phases[1].host.calls, 2u);
  EXPECT_EQ(model.phases[1].host.total_ns, 25_us);
  EXPECT_EQ(model.outside_ns, 25_us);
}

TEST(ModelTest, a_backward_range_is_one_call_and_its_engine_adds_what_it_launched) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("Step#0", SliceKind::kStep, 0_us, 50_us)
                          .slice("backward", SliceKind::kBackward, 10_us, 30_us)
                          .slice("engine: a", kOp, 12_us, 5_us)
                          .flags(kBackwardWork)
                          .slice("call", kCall, 13_us, 1_us)
                          .correlation(1)
                          .thread(2)
                          .slice("engine: b", kOp, 20_us, 5_us)
                          .flags(kBackwardWork)
                          .slice("call", kCall, 21_us, 1_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 30_us, 4_us)
                          .correlation(1)
                          .slice("k", SliceKind::kKernel, 40_us, 6_us)
                          .correlation(2)
                          .trace();
  const ModelPhases model = phases_of(trace, true);
  ASSERT_EQ(model.phases.size(), 2u);
  EXPECT_EQ(model.phases[1].host.calls, 1u);
  EXPECT_EQ(model.phases[1].host.total_ns, 30_us);
  EXPECT_EQ(model.phases[1].device.total_ns, 10_us);
}

TEST(ModelTest, engine_operators_outside_all_steps_belong_to_no_backward) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 50_us)
                          .slice("engine: a", kOp, 60_us, 5_us)
                          .flags(kBackwardWork)
                          .trace();
  EXPECT_EQ(phases_of(trace).phases.size(), 1u);
}

}  // namespace
}  // namespace strobe::analysis

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/analysis/tables/phase_traces.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

// A property that both sets of rules have.
class PhasesTest : public ::testing::TestWithParam<TreeRules> {
 protected:
  static std::vector<PhaseTotals> phases(const Trace& trace) {
    return GetParam() == TreeRules::kStrobe ? phases_of(trace).phases : classic_phases_of(trace);
  }
};
INSTANTIATE_TEST_SUITE_P(Rules, PhasesTest,
                         ::testing::Values(TreeRules::kStrobe, TreeRules::kCompatible),
                         [](const auto& rules) {
                           return rules.param == TreeRules::kStrobe ? "strobe" : "classic";
                         });

TEST_P(PhasesTest, the_outermost_phase_on_a_path_counts) {
  const auto rows = phases(Sketch()
                               .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                               .slice("Net", SliceKind::kForward, 10_us, 40_us)
                               .slice("Layer", SliceKind::kForward, 15_us, 10_us)
                               .slice("sgd", SliceKind::kOptimizer, 60_us, 20_us)
                               .slice("call", kCall, 16_us, 1_us)
                               .correlation(1)
                               .stream(0, 7)
                               .slice("k", kKernel, 200_us, 30_us)
                               .correlation(1)
                               .slice("c", SliceKind::kMemcpy, 240_us, 4_us)
                               .correlation(1)
                               .trace());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].kind, SliceKind::kStep);
  EXPECT_EQ(rows[0].kernels.total_ns, 30_us);
  EXPECT_EQ(rows[0].device.total_ns, 34_us);
  EXPECT_EQ(rows[1].kind, SliceKind::kForward);
  EXPECT_EQ(rows[1].host.calls, 1u);
  EXPECT_EQ(rows[1].host.total_ns, 40_us);
  EXPECT_EQ(rows[1].kernels.total_ns, 30_us);
  EXPECT_EQ(rows[1].device.total_ns, 34_us);
  EXPECT_EQ(rows[2].kind, SliceKind::kOptimizer);
  EXPECT_EQ(rows[2].kernels.total_ns, 0);
}

TEST_P(PhasesTest, phases_stand_in_a_fixed_order_behind_the_steps) {
  const auto rows = phases(Sketch()
                               .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                               .slice("o", SliceKind::kOptimizer, 10_us, 1_us)
                               .slice("b", SliceKind::kBackward, 20_us, 1_us)
                               .slice("f", SliceKind::kForward, 30_us, 1_us)
                               .slice("d", SliceKind::kDataLoader, 40_us, 1_us)
                               .trace());
  std::vector<SliceKind> kinds;
  for (const PhaseTotals& row : rows) kinds.push_back(row.kind);
  EXPECT_THAT(kinds, ElementsAre(SliceKind::kStep, SliceKind::kDataLoader, SliceKind::kForward,
                                 SliceKind::kBackward, SliceKind::kOptimizer));
}

TEST_P(PhasesTest, without_steps_the_first_row_is_the_whole_trace) {
  const auto rows = phases(Sketch()
                               .slice("op", kOp, 0_us, 100_us)
                               .slice("call", kCall, 16_us, 1_us)
                               .correlation(1)
                               .stream(0, 7)
                               .slice("k", kKernel, 200_us, 30_us)
                               .correlation(1)
                               .trace());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host.total_ns, 100_us);
  EXPECT_EQ(rows[0].kernels.total_ns, 30_us);
}

TEST_P(PhasesTest, engine_operators_outside_all_steps_belong_to_no_backward) {
  EXPECT_EQ(phases(engine_operator_after_the_step()).size(), 1u);
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
                          .slice("k", kKernel, 50_us, 9_us)
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

// Forward [10,60) is crossed by the end of the step, [0,50); it launches 3 us in it, 5 us after it.
TEST(ModelTest, what_a_phase_launches_after_its_step_is_no_part_of_the_step) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 50_us)
                          .slice("Net", SliceKind::kForward, 10_us, 50_us)
                          .slice("call", kCall, 20_us, 1_us)
                          .correlation(1)
                          .slice("call", kCall, 50_us, 1_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("k", kKernel, 70_us, 3_us)
                          .correlation(1)
                          .slice("c", SliceKind::kMemcpy, 80_us, 5_us)
                          .correlation(2)
                          .trace();
  for (const bool cover_all_threads : {false, true}) {
    const auto phases = phases_of(trace, cover_all_threads).phases;
    ASSERT_EQ(phases.size(), 2u);
    EXPECT_EQ(phases[0].device.total_ns, 3_us) << cover_all_threads;
    EXPECT_EQ(phases[1].host.total_ns, 40_us);
    EXPECT_EQ(phases[1].device.total_ns, 3_us) << cover_all_threads;
    EXPECT_EQ(phases[1].device.max_ns, 3_us);
  }
}

TEST(ModelTest, steps_are_the_whole_of_phases_on_every_thread) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("Step#0", SliceKind::kStep, 0_us, 50_us)
                          .thread(2)
                          .slice("Net", SliceKind::kForward, 10_us, 20_us)
                          .slice("call", kCall, 20_us, 1_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("k", kKernel, 70_us, 3_us)
                          .correlation(1)
                          .trace();
  for (const bool cover_all_threads : {false, true}) {
    const auto phases = phases_of(trace, cover_all_threads).phases;
    EXPECT_EQ(phases[0].device.total_ns, 3_us) << cover_all_threads;
    EXPECT_EQ(phases[1].device.total_ns, 3_us) << cover_all_threads;
  }
}

TEST(ModelTest, without_steps_and_phases_all_of_the_hosts_time_is_outside) {
  EXPECT_EQ(phases_of(Sketch().slice("op", kOp, 0_us, 100_us).trace()).outside_ns, 100_us);
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
                          .slice("k", kKernel, 30_us, 4_us)
                          .correlation(1)
                          .slice("k", kKernel, 40_us, 6_us)
                          .correlation(2)
                          .trace();
  const ModelPhases model = phases_of(trace, true);
  ASSERT_EQ(model.phases.size(), 2u);
  EXPECT_EQ(model.phases[1].host.calls, 1u);
  EXPECT_EQ(model.phases[1].host.total_ns, 30_us);
  EXPECT_EQ(model.phases[1].device.total_ns, 10_us);
}

}  // namespace
}  // namespace strobe::analysis

#include "strobe/analysis/tables/classic.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/tables/phase_traces.h"
#include "tests/unit/analysis/tables/table_rows.h"

namespace strobe::analysis {
namespace {

TEST(ClassicOverviewTest, calls_outside_every_range_are_skipped) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 10_us)
                          .slice("call", kCall, 1_us, 2_us)
                          .slice("call", kCall, 50_us, 2_us)
                          .trace();
  const auto rows = list_classic_host_types(attribute_classic(trace), {}, {});
  const TypeRow calls = row_of_kind(rows, kCall);
  EXPECT_EQ(calls.calls, 1u);
  EXPECT_EQ(calls.busy_ns, 2_us);
}

TEST(ClassicOverviewTest, slices_without_a_kind_are_listed_by_category) {
  const Trace trace = Sketch()
                          .slice("x", SliceKind::kOther, 0_us, 4_us)
                          .category("io")
                          .slice("y", SliceKind::kOther, 2_us, 4_us)
                          .category("io")
                          .slice("z", SliceKind::kOther, 0_us, 1_us)
                          .category("net")
                          .trace();
  const auto rows = list_classic_host_types(attribute_classic(trace), {}, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].label, "io");
  EXPECT_EQ(rows[0].calls, 2u);
  EXPECT_EQ(rows[0].busy_ns, 6_us);
  EXPECT_EQ(rows[1].label, "net");
}

TEST(ClassicOverviewTest, backward_ranges_count_as_backward) {
  const Trace trace = Sketch().slice("op", kOp, 0_us, 10_us).trace();
  const std::vector<BackwardRange> backward = {{{0_us, 4_us}}, {{2_us, 8_us}}};
  const auto rows = list_classic_host_types(attribute_classic(trace), {}, backward);
  const TypeRow found = row_of_kind(rows, SliceKind::kBackward);
  EXPECT_EQ(found.calls, 2u);
  EXPECT_EQ(found.busy_ns, 8_us);
}

TEST(ClassicOverviewTest, frames_and_the_profilers_own_slices_are_left_out) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 10_us)
                          .slice("train.py(3): main", SliceKind::kPythonCall, 0_us, 10_us)
                          .slice("flush", SliceKind::kOverhead, 2_us, 1_us)
                          .trace();
  EXPECT_EQ(list_classic_host_types(attribute_classic(trace), {}, {}).size(), 1u);
}

TEST(ClassicCommunicationTest, collective_kernels_communicate_and_others_compute) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 20_us)
                          .slice("call", kCall, 1_us, 1_us)
                          .correlation(1)
                          .slice("call", kCall, 3_us, 1_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("gemm", kKernel, 30_us, 10_us)
                          .correlation(1)
                          .stream(0, 8)
                          .slice("all_reduce", kKernel, 36_us, 10_us)
                          .correlation(2)
                          .flags(kCommunicates)
                          .trace();
  const CommunicationTotals totals = add_up_classic_communication(attribute_classic(trace));
  EXPECT_EQ(totals.computation_ns, 10_us);
  EXPECT_EQ(totals.communication_ns, 10_us);
  EXPECT_EQ(totals.overlap_ns, 4_us);  // [36, 40)
  EXPECT_EQ(totals.host_calls, 0u);
  EXPECT_EQ(totals.device_calls, 1u);
}

TEST(ClassicCommunicationTest,
     a_collective_operator_makes_its_range_and_all_kernels_below_communication) {
  // The kernel of the phase is not a collective by name: it is in both lists. The one that the
  // operator launched itself is only in the first.
  const Trace trace = Sketch()
                          .slice("all_reduce", kOp, 0_us, 20_us)
                          .flags(kCommunicates)
                          .slice("compute", kPhase, 5_us, 10_us)
                          .slice("call", kCall, 1_us, 1_us)
                          .correlation(1)
                          .slice("call", kCall, 6_us, 1_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("direct", kKernel, 30_us, 10_us)
                          .correlation(1)
                          .slice("of the phase", kKernel, 50_us, 4_us)
                          .correlation(2)
                          .trace();
  const CommunicationTotals totals = add_up_classic_communication(attribute_classic(trace));
  EXPECT_EQ(totals.host_ns, 20_us);
  EXPECT_EQ(totals.host_calls, 1u);
  EXPECT_EQ(totals.device_ns, 14_us);
  EXPECT_EQ(totals.device_calls, 2u);
  EXPECT_EQ(totals.communication_ns, 34_us);
  EXPECT_EQ(totals.computation_ns, 4_us);
  EXPECT_EQ(totals.overlap_ns, 4_us);
}

TEST(ClassicCommunicationTest, equal_ranges_are_one_call) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("send", SliceKind::kCommunication, 0_us, 5_us)
                          .thread(2)
                          .slice("send", SliceKind::kCommunication, 0_us, 5_us)
                          .slice("send", SliceKind::kCommunication, 3_us, 1_us)
                          .trace();
  const CommunicationTotals totals = add_up_classic_communication(attribute_classic(trace));
  EXPECT_EQ(totals.host_calls, 2u);
  EXPECT_EQ(totals.host_ns, 5_us);
}

TEST(ClassicCommunicationTest, orphans_and_work_outside_all_ranges_take_no_part) {
  const Trace trace = Sketch()
                          .slice("call", kCall, 1_us, 1_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("from the thread", kKernel, 30_us, 10_us)
                          .correlation(1)
                          .slice("orphan", kKernel, 50_us, 10_us)
                          .flags(kCommunicates)
                          .trace();
  const CommunicationTotals totals = add_up_classic_communication(attribute_classic(trace));
  EXPECT_EQ(totals.communication_ns, 0);
  EXPECT_EQ(totals.computation_ns, 0);
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
      .slice("k", kKernel, 200_us, 30_us)
      .correlation(1)
      .trace();
}

TEST(ClassicModelTest, steps_of_their_own_thread_count_one_by_one_unless_a_phase_hides_them) {
  const auto phases = classic_phases_of(steps_as_ranges(), false);
  EXPECT_EQ(phases[0].host.calls, 2u);
  EXPECT_EQ(phases[0].host.total_ns, 75_us);
  EXPECT_EQ(phases[0].kernels.total_ns, 0);
  EXPECT_EQ(phases[1].kernels.total_ns, 30_us);
}

TEST(ClassicModelTest, steps_of_all_threads_are_one_step_wherever_they_stand) {
  const auto phases = classic_phases_of(steps_as_ranges(), true);
  EXPECT_EQ(phases[0].host.calls, 2u);
  EXPECT_EQ(phases[0].host.total_ns, 65_us);  // [0,45) and [60,80)
  EXPECT_EQ(phases[0].kernels.total_ns, 30_us);
}

TEST(ClassicModelTest, engine_operators_make_one_backward_range_per_step_and_thread) {
  const Trace trace = engine_operators();
  const auto ranges = find_backward_ranges(attribute_classic(trace), list_steps(trace));
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].interval, (Interval{10_us, 30_us}));
  EXPECT_EQ(ranges[0].kernel_ns, 30_us);  // not the kernel launched between the operators
  EXPECT_EQ(ranges[1].interval, (Interval{60_us, 67_us}));
}

TEST(ClassicModelTest, backward_ranges_are_a_phase) {
  const auto phases = classic_phases_of(engine_operators(), true);
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[1].kind, SliceKind::kBackward);
  EXPECT_EQ(phases[1].host.calls, 2u);
  EXPECT_EQ(phases[1].host.total_ns, 27_us);  // [10,30) and [60,67)
  EXPECT_EQ(phases[0].kernels.max_ns, 31_us);
}

TEST(ClassicModelTest, engine_operators_outside_all_steps_make_no_backward_range) {
  const Trace trace = engine_operator_after_the_step();
  EXPECT_TRUE(find_backward_ranges(attribute_classic(trace), list_steps(trace)).empty());
}

}  // namespace
}  // namespace strobe::analysis

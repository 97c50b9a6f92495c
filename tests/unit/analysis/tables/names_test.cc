#include <gtest/gtest.h>

#include "strobe/analysis/tables/tables.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

std::vector<OperatorRow> operators_of(const Trace& trace) {
  const auto groups = list_operators(attribute_trace(trace), {}, false);
  return groups.empty() ? std::vector<OperatorRow>() : groups.front().rows;
}

TEST(OperatorsTest, calls_of_one_name_are_one_row) {
  const auto rows =
      operators_of(Sketch().slice("mm", kOp, 0_us, 5_us).slice("mm", kOp, 10_us, 9_us).trace());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host.calls, 2u);
  EXPECT_EQ(rows[0].host.total_ns, 14_us);
  EXPECT_EQ(rows[0].host.max_ns, 9_us);
  EXPECT_EQ(rows[0].host.min_ns, 5_us);
}

TEST(OperatorsTest, later_operators_are_met_first_but_phases_of_one_call_in_time_order) {
  const auto rows = operators_of(Sketch()
                                     .slice("first", kOp, 0_us, 10_us)
                                     .slice("infer", kPhase, 1_us, 2_us)
                                     .slice("compute", kPhase, 5_us, 2_us)
                                     .slice("second", kOp, 20_us, 10_us)
                                     .trace());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "second");
  EXPECT_EQ(rows[1].name, "first");
  ASSERT_EQ(rows[1].phases.size(), 2u);
  EXPECT_EQ(rows[1].phases[0].name, "infer");
  EXPECT_EQ(rows[1].phases[1].name, "compute");
}

TEST(OperatorsTest, kernels_below_one_phase_name_come_from_the_later_call_first) {
  const auto rows = operators_of(Sketch()
                                     .slice("mm", kOp, 0_us, 10_us)
                                     .slice("compute", kPhase, 1_us, 8_us)
                                     .slice("call", kCall, 2_us, 1_us)
                                     .correlation(1)
                                     .slice("mm", kOp, 20_us, 10_us)
                                     .slice("compute", kPhase, 21_us, 8_us)
                                     .slice("call", kCall, 22_us, 1_us)
                                     .correlation(2)
                                     .stream(0, 7)
                                     .slice("of the first", kKernel, 40_us, 1_us)
                                     .correlation(1)
                                     .slice("of the second", kKernel, 50_us, 1_us)
                                     .correlation(2)
                                     .trace());
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_EQ(rows[0].phases.size(), 1u);
  const auto& work = rows[0].phases[0].work;
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[0].name, "of the second");
  EXPECT_EQ(work[1].name, "of the first");
}

TEST(OperatorsTest, work_stands_where_it_was_launched_and_deeper_work_only_in_the_totals) {
  const auto rows = operators_of(Sketch()
                                     .slice("grad", kOp, 0_us, 30_us)
                                     .slice("local", kPhase, 1_us, 20_us)
                                     .slice("compute", kPhase, 2_us, 10_us)
                                     .slice("call", kCall, 3_us, 1_us)
                                     .correlation(1)
                                     .slice("call", kCall, 15_us, 1_us)
                                     .correlation(2)
                                     .slice("call", kCall, 25_us, 1_us)
                                     .correlation(3)
                                     .stream(0, 7)
                                     .slice("deep", kKernel, 40_us, 1_us)
                                     .correlation(1)
                                     .slice("of local", kKernel, 50_us, 2_us)
                                     .correlation(2)
                                     .slice("copy", SliceKind::kMemcpy, 60_us, 4_us)
                                     .correlation(3)
                                     .trace());
  ASSERT_EQ(rows.size(), 1u);
  const OperatorRow& grad = rows[0];
  EXPECT_EQ(grad.device.total_ns, 7_us);
  EXPECT_EQ(grad.self_device_ns, 7_us);  // phases are not operators
  ASSERT_EQ(grad.phases.size(), 1u);
  EXPECT_EQ(grad.phases[0].device.total_ns, 3_us);
  ASSERT_EQ(grad.phases[0].work.size(), 1u);
  EXPECT_EQ(grad.phases[0].work[0].name, "of local");
  ASSERT_EQ(grad.work.size(), 1u);
  EXPECT_EQ(grad.work[0].kind, SliceKind::kMemcpy);
}

TEST(OperatorsTest, any_direct_child_but_an_operator_is_a_phase) {
  const auto rows = operators_of(Sketch()
                                     .slice("outer", kOp, 0_us, 30_us)
                                     .slice("native", SliceKind::kUserRange, 1_us, 2_us)
                                     .slice("inner", kOp, 5_us, 10_us)
                                     .slice("call", kCall, 6_us, 1_us)
                                     .correlation(1)
                                     .stream(0, 7)
                                     .slice("k", kKernel, 40_us, 3_us)
                                     .correlation(1)
                                     .trace());
  ASSERT_EQ(rows.size(), 2u);
  const OperatorRow& outer = rows[0];
  ASSERT_EQ(outer.phases.size(), 1u);
  EXPECT_EQ(outer.phases[0].kind, SliceKind::kUserRange);
  EXPECT_EQ(outer.device.total_ns, 3_us);
  EXPECT_EQ(outer.self_device_ns, 0);  // the inner operator launched it
  EXPECT_EQ(rows[1].self_device_ns, 3_us);
}

TEST(OperatorsTest, self_host_time_leaves_out_children_and_runtime_calls) {
  const auto rows = operators_of(Sketch()
                                     .slice("outer", kOp, 0_us, 20_us)
                                     .slice("inner", kOp, 5_us, 10_us)
                                     .slice("call", kCall, 1_us, 2_us)
                                     .slice("call", kCall, 6_us, 3_us)
                                     .trace());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].self_host_ns, 8_us);  // 20 - 10 (inner) - 2 (its own call)
  EXPECT_EQ(rows[1].self_host_ns, 7_us);  // 10 - 3
}

TEST(OperatorsTest, threads_can_be_kept_apart_and_those_without_operators_have_no_group) {
  const Trace trace = Sketch()
                          .thread(20)
                          .slice("mm", kOp, 0_us, 5_us)
                          .thread(3)
                          .slice("mm", kOp, 0_us, 7_us)
                          .thread(1)
                          .slice("range", SliceKind::kAnnotation, 0_us, 7_us)
                          .trace();
  const auto groups = list_operators(attribute_trace(trace), {}, true);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].thread, "3");
  EXPECT_EQ(groups[0].rows[0].host.total_ns, 7_us);
  EXPECT_EQ(groups[1].thread, "20");
  EXPECT_EQ(groups[1].rows[0].host.total_ns, 5_us);
}

TEST(OperatorsTest, merged_threads_form_one_nameless_group) {
  const Trace trace = Sketch()
                          .thread(20)
                          .slice("mm", kOp, 0_us, 5_us)
                          .thread(3)
                          .slice("mm", kOp, 0_us, 7_us)
                          .trace();
  const auto groups = list_operators(attribute_trace(trace), {}, false);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].thread, "");
  EXPECT_EQ(groups[0].rows[0].host.total_ns, 12_us);
}

TEST(OperatorsTest, flops_of_the_calls_add_up) {
  const Trace trace = Sketch().slice("mm", kOp, 0_us, 5_us).slice("mm", kOp, 10_us, 5_us).trace();
  const auto groups = list_operators(attribute_trace(trace), {0, 30, 12}, false);
  EXPECT_EQ(groups[0].rows[0].flops, 42u);
}

TEST(KernelsTest, every_kernel_counts_with_any_launcher) {
  const Trace trace = Sketch()
                          .slice("op", SliceKind::kOperator, 0_us, 10_us)
                          .slice("call", SliceKind::kRuntimeCall, 1_us, 1_us)
                          .correlation(1)
                          .slice("call", SliceKind::kRuntimeCall, 50_us, 1_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("k", kKernel, 60_us, 5_us)
                          .correlation(1)
                          .slice("k", kKernel, 70_us, 3_us)
                          .correlation(2)
                          .stream(1, 7)
                          .slice("k", kKernel, 60_us, 2_us)
                          .slice("copy", SliceKind::kMemcpy, 90_us, 9_us)
                          .trace();
  const auto rows = list_kernels(attribute_trace(trace));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].device.calls, 3u);
  EXPECT_EQ(rows[0].device.total_ns, 10_us);
  EXPECT_EQ(rows[0].top_operator, "op");
}

TEST(KernelsTest, the_top_operator_is_the_one_that_launched_most_of_the_time) {
  Sketch sketch;
  sketch.slice("often", SliceKind::kOperator, 0_us, 10_us);
  sketch.slice("call", SliceKind::kRuntimeCall, 1_us, 1_us).correlation(1);
  sketch.slice("call", SliceKind::kRuntimeCall, 3_us, 1_us).correlation(2);
  sketch.slice("long", SliceKind::kOperator, 20_us, 10_us);
  sketch.slice("call", SliceKind::kRuntimeCall, 21_us, 1_us).correlation(3);
  sketch.stream(0, 7);
  sketch.slice("k", kKernel, 60_us, 5_us).correlation(1);
  sketch.slice("k", kKernel, 70_us, 5_us).correlation(2);
  sketch.slice("k", kKernel, 80_us, 11_us).correlation(3).flags(kCommunicates);
  const Trace trace = sketch.trace();
  const auto rows = list_kernels(attribute_trace(trace));
  EXPECT_EQ(rows[0].top_operator, "long");
  EXPECT_TRUE(rows[0].communicates);
}

Trace ranges() {
  return Sketch()
      .thread(1)
      .slice("preprocess", SliceKind::kAnnotation, 0_us, 10_us)
      .slice("my MemCpy", SliceKind::kAnnotation, 20_us, 5_us)
      .slice("Reader:MemoryCopy", SliceKind::kUserRange, 30_us, 5_us)
      .slice("call", SliceKind::kRuntimeCall, 31_us, 1_us)
      .correlation(1)
      .slice("wrapper", SliceKind::kUserRange, 40_us, 5_us)
      .thread(2)
      .slice("preprocess", SliceKind::kAnnotation, 0_us, 4_us)
      .stream(0, 7)
      .slice("copy", SliceKind::kMemcpy, 50_us, 9_us)
      .correlation(1)
      .trace();
}

TEST(UserRangesTest, ranges_named_after_copies_are_memory_ranges_in_the_order_met) {
  const Trace trace = ranges();
  const auto rows = list_memory_ranges(attribute_trace(trace));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "Reader:MemoryCopy");
  EXPECT_EQ(rows[0].device.total_ns, 9_us);
  EXPECT_EQ(rows[1].name, "my MemCpy");
}

TEST(UserRangesTest, the_scripts_other_ranges_are_user_ranges_and_native_ones_are_not) {
  const Trace trace = ranges();
  const auto groups = list_user_ranges(attribute_trace(trace), false);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].rows.size(), 1u);
  EXPECT_EQ(groups[0].rows[0].name, "preprocess");
  EXPECT_EQ(groups[0].rows[0].host.total_ns, 14_us);
}

TEST(UserRangesTest, threads_can_be_kept_apart) {
  const Trace trace = ranges();
  const auto groups = list_user_ranges(attribute_trace(trace), true);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[1].thread, "2");
  EXPECT_EQ(groups[1].rows[0].host.total_ns, 4_us);
}

TEST(UserRangesTest, self_time_is_what_the_ranges_inside_leave) {
  Sketch sketch;
  sketch.slice("frame", SliceKind::kAnnotation, 0_us, 100_us);
  sketch.slice("layout", SliceKind::kAnnotation, 10_us, 50_us);
  const Trace trace = sketch.trace();
  const auto groups = list_user_ranges(attribute_trace(trace), false);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].rows.size(), 2u);
  EXPECT_EQ(groups[0].rows[0].name, "frame");
  EXPECT_EQ(groups[0].rows[0].host.total_ns, 100_us);
  EXPECT_EQ(groups[0].rows[0].self_host_ns, 50_us);
  EXPECT_EQ(groups[0].rows[1].self_host_ns, 50_us);
}

}  // namespace

}  // namespace strobe::analysis

#include <gtest/gtest.h>

#include "tests/support/sketch.h"
#include "tests/unit/analysis/tables/table_rows.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

TEST(OperatorsTest, calls_of_one_name_are_one_row) {
  const auto rows =
      operator_rows(Sketch().slice("mm", kOp, 0_us, 5_us).slice("mm", kOp, 10_us, 9_us).trace());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host.calls, 2u);
  EXPECT_EQ(rows[0].host.total_ns, 14_us);
  EXPECT_EQ(rows[0].host.max_ns, 9_us);
  EXPECT_EQ(rows[0].host.min_ns, 5_us);
}

Trace two_operators() {
  return Sketch()
      .slice("first", kOp, 0_us, 10_us)
      .slice("infer", kPhase, 1_us, 2_us)
      .slice("compute", kPhase, 5_us, 2_us)
      .slice("second", kOp, 20_us, 10_us)
      .trace();
}

TEST(OperatorsTest, operators_and_phases_are_met_by_their_starts) {
  const auto rows = operator_rows(two_operators());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "first");
  EXPECT_EQ(rows[1].name, "second");
  ASSERT_EQ(rows[0].phases.size(), 2u);
  EXPECT_EQ(rows[0].phases[0].name, "infer");
  EXPECT_EQ(rows[0].phases[1].name, "compute");
}

TEST(CompatibleOperatorsTest, later_operators_are_met_first_but_phases_of_one_call_in_time_order) {
  const auto rows = operator_rows(two_operators(), TreeRules::kCompatible);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "second");
  EXPECT_EQ(rows[1].name, "first");
  ASSERT_EQ(rows[1].phases.size(), 2u);
  EXPECT_EQ(rows[1].phases[0].name, "infer");
  EXPECT_EQ(rows[1].phases[1].name, "compute");
}

TEST(CompatibleOperatorsTest, kernels_below_one_phase_name_come_from_the_later_call_first) {
  const Trace trace = Sketch()
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
                          .trace();
  const auto rows = operator_rows(trace, TreeRules::kCompatible);
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_EQ(rows[0].phases.size(), 1u);
  const auto& work = rows[0].phases[0].work;
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[0].name, "of the second");
  EXPECT_EQ(work[1].name, "of the first");
}

TEST(OperatorsTest, work_stands_where_it_was_launched_and_deeper_work_only_in_the_totals) {
  const auto rows = operator_rows(Sketch()
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
  const auto rows = operator_rows(Sketch()
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
  const auto rows = operator_rows(Sketch()
                                      .slice("outer", kOp, 0_us, 20_us)
                                      .slice("inner", kOp, 5_us, 10_us)
                                      .slice("call", kCall, 1_us, 2_us)
                                      .slice("call", kCall, 6_us, 3_us)
                                      .trace());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].self_host_ns, 8_us);  // 20 - 10 (inner) - 2 (its own call)
  EXPECT_EQ(rows[1].self_host_ns, 7_us);  // 10 - 3
}

// The profiler counts every operator below another one as well.
Trace operators_in_operators() {
  TraceTraits traits;
  traits.nested_operators_are_phases = true;
  return Sketch()
      .traits(traits)
      .slice("aten::linear", kOp, 0_us, 20_us)
      .slice("aten::addmm", kOp, 5_us, 10_us)
      .slice("call", kCall, 6_us, 3_us)
      .correlation(1)
      .stream(0, 7)
      .slice("gemm", kKernel, 40_us, 7_us)
      .correlation(1)
      .trace();
}

TEST(OperatorsTest, an_operator_below_another_one_has_a_row_of_its_own) {
  const auto rows = operator_rows(operators_in_operators());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "aten::linear");
  EXPECT_EQ(rows[0].self_host_ns, 10_us);
  EXPECT_EQ(rows[0].device.total_ns, 7_us);
  EXPECT_EQ(rows[0].self_device_ns, 0);
  EXPECT_TRUE(rows[0].phases.empty());
  EXPECT_EQ(rows[1].name, "aten::addmm");
  EXPECT_EQ(rows[1].host.total_ns, 10_us);
  EXPECT_EQ(rows[1].self_host_ns, 7_us);
  EXPECT_EQ(rows[1].self_device_ns, 7_us);
  ASSERT_EQ(rows[1].work.size(), 1u);
  EXPECT_EQ(rows[1].work[0].name, "gemm");
}

TEST(CompatibleOperatorsTest, an_operator_below_another_one_is_its_phase_where_traits_say_so) {
  const auto rows = operator_rows(operators_in_operators(), TreeRules::kCompatible);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].self_host_ns, 10_us);
  EXPECT_EQ(rows[0].self_device_ns, 7_us);
  ASSERT_EQ(rows[0].phases.size(), 1u);
  EXPECT_EQ(rows[0].phases[0].name, "aten::addmm");
}

Trace operator_in_itself() {
  return Sketch()
      .slice("aten::to", kOp, 0_us, 20_us)
      .slice("call", kCall, 1_us, 1_us)
      .correlation(1)
      .slice("aten::to", kOp, 5_us, 10_us)
      .slice("call", kCall, 6_us, 3_us)
      .correlation(2)
      .slice("aten::to", kOp, 30_us, 4_us)
      .stream(0, 7)
      .slice("k", kKernel, 40_us, 2_us)
      .correlation(1)
      .slice("k", kKernel, 50_us, 5_us)
      .correlation(2)
      .trace();
}

TEST(OperatorsTest, totals_count_an_operator_inside_itself_once_and_calls_every_time) {
  const Trace trace = operator_in_itself();
  const AttributedTrace input = attribute_trace(trace);
  const auto groups = list_operators(input, {0, 100, 100, 7}, false);
  ASSERT_EQ(groups[0].rows.size(), 1u);
  const OperatorRow& row = groups[0].rows[0];
  EXPECT_EQ(row.host.calls, 3u);
  EXPECT_EQ(row.host.total_ns, 24_us);
  EXPECT_EQ(row.host.max_ns, 20_us);
  EXPECT_EQ(row.host.min_ns, 4_us);
  EXPECT_EQ(row.self_host_ns, 20_us);  // 24 without the two calls, 1 and 3
  EXPECT_EQ(row.device.calls, 3u);
  EXPECT_EQ(row.device.total_ns, 7_us);
  EXPECT_EQ(row.device.max_ns, 7_us);
  EXPECT_EQ(row.device.min_ns, 0);
  EXPECT_EQ(row.self_device_ns, 7_us);
  EXPECT_EQ(row.flops, 107u);
}

TEST(CompatibleOperatorsTest, an_operator_inside_itself_adds_all_its_calls) {
  const auto rows = operator_rows(operator_in_itself(), TreeRules::kCompatible);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host.total_ns, 34_us);
  EXPECT_EQ(rows[0].device.total_ns, 12_us);
}

TEST(OperatorsTest, totals_count_a_phase_inside_itself_once) {
  const auto rows = operator_rows(Sketch()
                                      .slice("op", kOp, 0_us, 50_us)
                                      .slice("compute", kPhase, 0_us, 30_us)
                                      .slice("op", kOp, 10_us, 10_us)
                                      .slice("compute", kPhase, 12_us, 5_us)
                                      .slice("op", kOp, 32_us, 4_us)
                                      .slice("compute", kPhase, 33_us, 2_us)
                                      .slice("compute", kPhase, 40_us, 3_us)
                                      .trace());
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_EQ(rows[0].phases.size(), 1u);
  EXPECT_EQ(rows[0].phases[0].host.calls, 4u);
  EXPECT_EQ(rows[0].phases[0].host.total_ns, 35_us);
}

Trace driver_call_in_a_runtime_call() {
  return Sketch()
      .slice("op", kOp, 0_us, 10_us)
      .slice("cudaLaunchKernel", kCall, 1_us, 8_us)
      .slice("cuLaunchKernel", kCall, 2_us, 6_us)
      .trace();
}

TEST(OperatorsTest, self_time_leaves_out_a_driver_call_inside_a_runtime_call_once) {
  EXPECT_EQ(operator_rows(driver_call_in_a_runtime_call())[0].self_host_ns, 2_us);
}

TEST(CompatibleOperatorsTest, self_time_leaves_out_a_driver_call_inside_a_runtime_call_twice) {
  const auto rows = operator_rows(driver_call_in_a_runtime_call(), TreeRules::kCompatible);
  EXPECT_EQ(rows[0].self_host_ns, -4_us);
}

// Two threads with an operator of one name, and one without operators.
Trace operators_of_two_threads() {
  return Sketch()
      .thread(20)
      .slice("mm", kOp, 0_us, 5_us)
      .thread(3)
      .slice("mm", kOp, 0_us, 7_us)
      .thread(1)
      .slice("range", SliceKind::kAnnotation, 0_us, 7_us)
      .trace();
}

TEST(OperatorsTest, threads_can_be_kept_apart_and_those_without_operators_have_no_group) {
  const Trace trace = operators_of_two_threads();
  const auto groups = list_operators(attribute_trace(trace), {}, true);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].thread, "3");
  EXPECT_EQ(groups[0].rows[0].host.total_ns, 7_us);
  EXPECT_EQ(groups[1].thread, "20");
  EXPECT_EQ(groups[1].rows[0].host.total_ns, 5_us);
}

TEST(OperatorsTest, merged_threads_form_one_nameless_group) {
  const Trace trace = operators_of_two_threads();
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

}  // namespace
}  // namespace strobe::analysis

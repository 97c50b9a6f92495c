#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "strobe/analysis/tables/tables.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

using ::testing::ElementsAre;
using ::testing::FieldsAre;

std::vector<OperatorRow> operators_of(const Trace& trace, TreeRules rules = TreeRules::kStrobe) {
  const auto groups = list_operators(attribute_trace(trace, {}, rules), {}, false);
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

Trace two_operators() {
  return Sketch()
      .slice("first", kOp, 0_us, 10_us)
      .slice("infer", kPhase, 1_us, 2_us)
      .slice("compute", kPhase, 5_us, 2_us)
      .slice("second", kOp, 20_us, 10_us)
      .trace();
}

TEST(OperatorsTest, operators_and_phases_are_met_by_their_starts) {
  const auto rows = operators_of(two_operators());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "first");
  EXPECT_EQ(rows[1].name, "second");
  ASSERT_EQ(rows[0].phases.size(), 2u);
  EXPECT_EQ(rows[0].phases[0].name, "infer");
  EXPECT_EQ(rows[0].phases[1].name, "compute");
}

TEST(CompatibleOperatorsTest, later_operators_are_met_first_but_phases_of_one_call_in_time_order) {
  const auto rows = operators_of(two_operators(), TreeRules::kCompatible);
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
  const auto rows = operators_of(trace, TreeRules::kCompatible);
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
  const auto rows = operators_of(operators_in_operators());
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
  const auto rows = operators_of(operators_in_operators(), TreeRules::kCompatible);
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
  const auto rows = operators_of(operator_in_itself(), TreeRules::kCompatible);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host.total_ns, 34_us);
  EXPECT_EQ(rows[0].device.total_ns, 12_us);
}

TEST(OperatorsTest, totals_of_phases_count_once_too) {
  const auto rows = operators_of(Sketch()
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

TEST(OperatorsTest, a_driver_call_inside_a_runtime_call_is_left_out_once) {
  const auto rows = operators_of(Sketch()
                                     .slice("op", kOp, 0_us, 10_us)
                                     .slice("cudaLaunchKernel", kCall, 1_us, 8_us)
                                     .slice("cuLaunchKernel", kCall, 2_us, 6_us)
                                     .trace());
  EXPECT_EQ(rows[0].self_host_ns, 2_us);
}

TEST(CompatibleOperatorsTest, it_is_left_out_twice) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 10_us)
                          .slice("cudaLaunchKernel", kCall, 1_us, 8_us)
                          .slice("cuLaunchKernel", kCall, 2_us, 6_us)
                          .trace();
  EXPECT_EQ(operators_of(trace, TreeRules::kCompatible)[0].self_host_ns, -4_us);
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
                          .slice("k", kKernel, 60_us, 6_us)
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
  EXPECT_EQ(rows[0].device.total_ns, 11_us);
  EXPECT_THAT(rows[0].launchers, ElementsAre(FieldsAre("op", "", 6_us), FieldsAre("", "", 5_us)));
  EXPECT_EQ(rows[0].top_operator(), "op");
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
  EXPECT_EQ(rows[0].top_operator(), "long");
  EXPECT_TRUE(rows[0].communicates);
}

TEST(KernelsTest, a_launcher_is_the_innermost_operator_with_the_outermost_beside_it) {
  Sketch sketch;
  sketch.slice("aten::linear", kOp, 0_us, 10_us).slice("aten::t", kOp, 1_us, 1_us);
  sketch.slice("aten::addmm", kOp, 3_us, 6_us).slice("range", SliceKind::kUserRange, 4_us, 4_us);
  sketch.slice("call", kCall, 5_us, 1_us).correlation(1);
  sketch.slice("aten::addmm", kOp, 20_us, 6_us).slice("call", kCall, 21_us, 1_us).correlation(2);
  sketch.slice("backward", kOp, 30_us, 9_us).slice("aten::mm", kOp, 31_us, 7_us);
  sketch.slice("call", kCall, 32_us, 1_us).correlation(3);
  sketch.slice("call", kCall, 34_us, 1_us).correlation(4);
  sketch.stream(0, 7);
  sketch.slice("gemm", kKernel, 60_us, 5_us).correlation(1);
  sketch.slice("gemm", kKernel, 70_us, 3_us).correlation(2);
  sketch.slice("gemm", kKernel, 80_us, 4_us).correlation(3);
  sketch.slice("gemm", kKernel, 90_us, 2_us).correlation(4);
  const Trace trace = sketch.trace();
  const auto rows = list_kernels(attribute_trace(trace));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_THAT(rows[0].launchers, ElementsAre(FieldsAre("aten::mm", "backward", 6_us),
                                             FieldsAre("aten::addmm", "aten::linear", 5_us),
                                             FieldsAre("aten::addmm", "", 3_us)));
}

TEST(KernelsTest, most_time_may_be_launched_outside_of_operators) {
  Sketch sketch;
  sketch.slice("op", kOp, 0_us, 10_us).slice("call", kCall, 1_us, 1_us).correlation(1);
  sketch.slice("range", SliceKind::kAnnotation, 20_us, 10_us);
  sketch.slice("call", kCall, 21_us, 1_us).correlation(2);
  sketch.stream(0, 7);
  sketch.slice("k", kKernel, 60_us, 5_us).correlation(1);
  sketch.slice("k", kKernel, 70_us, 4_us).correlation(2);
  sketch.slice("k", kKernel, 80_us, 3_us);
  const Trace trace = sketch.trace();
  const auto rows = list_kernels(attribute_trace(trace));
  EXPECT_THAT(rows[0].launchers, ElementsAre(FieldsAre("", "", 7_us), FieldsAre("op", "", 5_us)));
  EXPECT_EQ(rows[0].top_operator(), "");
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
  EXPECT_EQ(rows[0].name, "my MemCpy");
  EXPECT_EQ(rows[1].name, "Reader:MemoryCopy");
  EXPECT_EQ(rows[1].device.total_ns, 9_us);
  EXPECT_EQ(rows[1].self_host_ns, 4_us);
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

std::vector<UserRangeRow> ranges_of(const Trace& trace, TreeRules rules = TreeRules::kStrobe) {
  return list_user_ranges(attribute_trace(trace, {}, rules), false).front().rows;
}

TEST(UserRangesTest, self_time_is_never_negative_where_ranges_cross) {
  const Trace trace = Sketch()
                          .slice("outer", SliceKind::kAnnotation, 0_us, 100_us)
                          .slice("a", SliceKind::kAnnotation, 10_us, 70_us)
                          .slice("b", SliceKind::kAnnotation, 20_us, 75_us)
                          .trace();
  const auto rows = ranges_of(trace);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].self_host_ns, 15_us);  // before 10 and after 95
  EXPECT_EQ(rows[1].self_host_ns, 10_us);
  EXPECT_EQ(rows[2].self_host_ns, 75_us);
  EXPECT_EQ(ranges_of(trace, TreeRules::kCompatible)[0].self_host_ns, -45_us);
}

TEST(UserRangesTest, a_range_inside_itself_counts_once) {
  const Trace trace = Sketch()
                          .slice("load", SliceKind::kAnnotation, 0_us, 100_us)
                          .slice("load", SliceKind::kAnnotation, 10_us, 70_us)
                          .slice("call", kCall, 20_us, 5_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("copy", SliceKind::kMemcpy, 30_us, 3_us)
                          .correlation(1)
                          .trace();
  const auto rows = ranges_of(trace);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host.calls, 2u);
  EXPECT_EQ(rows[0].host.total_ns, 100_us);
  EXPECT_EQ(rows[0].self_host_ns, 95_us);
  EXPECT_EQ(rows[0].device.total_ns, 3_us);
}

// On an asynchronous track each range stands alone, but the track's time is still counted once.
TEST(UserRangesTest, ranges_of_one_name_on_an_asynchronous_track_count_once) {
  Sketch sketch;
  sketch.track("async 1", TrackKind::kAsync);
  sketch.slice("fetch", SliceKind::kAnnotation, 0_us, 10_us);
  sketch.slice("fetch", SliceKind::kAnnotation, 4_us, 10_us);
  const Trace trace = sketch.trace();
  const auto rows = ranges_of(trace);
  EXPECT_EQ(rows[0].host.total_ns, 14_us);
  EXPECT_EQ(rows[0].self_host_ns, 14_us);
}

// Ranges and calls thrown onto two threads, nested or not. The same times again, moment by moment.
class ThrownRanges {
 public:
  explicit ThrownRanges(std::uint32_t seed) : random_(seed) {
    for (int i = number(1, 40); i > 0; --i) {
      const std::int64_t start_ns = number(0, kEnd - 1);
      const std::int64_t end_ns = number(static_cast<int>(start_ns), kEnd);
      const std::string name(1, static_cast<char>('a' + number(0, 4)));
      slices_.push_back({number(1, 2), name, number(0, 3) == 0, start_ns, end_ns});
    }
  }

  Trace trace() const {
    Sketch sketch;
    for (const Thrown& slice : slices_) {
      sketch.thread(slice.thread)
          .slice(slice.name, slice.is_call ? kCall : kOp, slice.start_ns,
                 slice.end_ns - slice.start_ns);
    }
    return sketch.trace();
  }

  struct Times {
    std::int64_t total_ns = 0;
    std::int64_t self_ns = 0;
  };
  std::map<std::string, Times> count() const {
    std::map<std::string, Times> times;
    for (const Thrown& slice : slices_) {
      if (!slice.is_call) times[slice.name];
    }
    for (int thread = 1; thread <= 2; ++thread) {
      for (std::int64_t now_ns = 0; now_ns < kEnd; ++now_ns) count_moment(thread, now_ns, times);
    }
    return times;
  }

 private:
  static constexpr int kEnd = 60;
  struct Thrown {
    int thread;
    std::string name;
    bool is_call;
    std::int64_t start_ns;
    std::int64_t end_ns;
  };

  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

  void count_moment(int thread, std::int64_t now_ns, std::map<std::string, Times>& times) const {
    const Thrown* innermost = nullptr;
    bool is_in_call = false;
    std::map<std::string, bool> open;
    for (const Thrown& slice : slices_) {
      if (slice.thread != thread || slice.start_ns > now_ns || slice.end_ns <= now_ns) continue;
      is_in_call = is_in_call || slice.is_call;
      if (slice.is_call) continue;
      open[slice.name] = true;
      if (innermost == nullptr || slice.start_ns > innermost->start_ns ||
          (slice.start_ns == innermost->start_ns && slice.end_ns <= innermost->end_ns)) {
        innermost = &slice;
      }
    }
    for (const auto& [name, is_open] : open) ++times[name].total_ns;
    if (innermost != nullptr && !is_in_call) ++times[innermost->name].self_ns;
  }

  std::mt19937 random_;
  std::vector<Thrown> slices_;
};

TEST(OperatorsTest, every_moment_counts_once_however_ranges_and_calls_lie) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const ThrownRanges thrown(seed);
    const auto expected = thrown.count();
    const auto rows = operators_of(thrown.trace());
    ASSERT_EQ(rows.size(), expected.size()) << seed;
    for (const OperatorRow& row : rows) {
      EXPECT_EQ(row.host.total_ns, expected.at(row.name).total_ns) << row.name << " " << seed;
      EXPECT_EQ(row.self_host_ns, expected.at(row.name).self_ns) << row.name << " " << seed;
    }
  }
}

}  // namespace

}  // namespace strobe::analysis

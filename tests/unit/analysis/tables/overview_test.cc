#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/tables/tables.h"
#include "tests/support/sketch.h"
#include "tests/unit/analysis/tables/table_rows.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;

TEST(OverviewTest, overlap_within_a_kind_is_removed_within_and_across_threads) {
  // Thread 1: [0,10) with [2,5) below it, and [20,30). Thread 2: [8,24). Union [0,30).
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("a", kOp, 0_us, 10_us)
                          .slice("b", kOp, 2_us, 3_us)
                          .slice("c", kOp, 20_us, 10_us)
                          .thread(2)
                          .slice("d", kOp, 8_us, 16_us)
                          .trace();
  const auto rows = list_range_types(attribute_trace(trace));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].calls, 4u);
  EXPECT_EQ(rows[0].busy_ns, 30_us);
}

TEST(OverviewTest, kinds_stand_in_the_order_of_their_first_range) {
  const Trace trace = Sketch()
                          .slice("step", SliceKind::kStep, 0_us, 100_us)
                          .slice("op", kOp, 10_us, 10_us)
                          .slice("range", SliceKind::kAnnotation, 30_us, 10_us)
                          .slice("call", kCall, 31_us, 1_us)
                          .trace();
  std::vector<SliceKind> kinds;
  for (const TypeRow& row : list_range_types(attribute_trace(trace))) {
    kinds.push_back(row.kind);
  }
  EXPECT_THAT(kinds, ElementsAre(SliceKind::kStep, kOp, SliceKind::kAnnotation, kCall));
}

TEST(OverviewTest, every_slice_is_in_one_row_of_the_host_or_the_device) {
  Sketch sketch;
  sketch.thread(1)
      .slice("ProfilerStep#1", SliceKind::kStep, 0_us, 90_us)
      .slice("train.py(3): main", SliceKind::kPythonCall, 0_us, 80_us)
      .slice("train.py(9): load", SliceKind::kPythonCall, 10_us, 20_us)
      .slice("op", kOp, 40_us, 10_us)
      .slice("inner", kOp, 41_us, 2_us)
      .slice("call", kCall, 45_us, 2_us)
      .slice("call outside", kCall, 95_us, 3_us)
      .slice("flush", SliceKind::kOverhead, 60_us, 5_us)
      .slice("capture", SliceKind::kProfiler, 0_us, 100_us);
  sketch.thread(2).slice("train.py(5): worker", SliceKind::kPythonCall, 70_us, 20_us);
  sketch.stream(0, 7)
      .slice("k", kKernel, 50_us, 10_us)
      .slice("ProfilerStep#1", SliceKind::kDeviceAnnotation, 50_us, 20_us)
      .slice("Stream Synchronize", SliceKind::kSync, 55_us, 7_us);
  const Trace trace = sketch.trace();
  const TypeTables types = list_types(attribute_trace(trace), {}, {trace.extent()});
  std::uint64_t slices = 0;
  for (const auto* rows : {&types.host, &types.device}) {
    for (const TypeRow& row : *rows) slices += row.calls;
  }
  EXPECT_EQ(slices, trace.slice_count());
  const TypeRow frames = row_of_kind(types.host, SliceKind::kPythonCall);
  EXPECT_EQ(frames.calls, 3u);
  EXPECT_EQ(frames.busy_ns, 90_us);  // [0,80) and [70,90)
  EXPECT_EQ(row_of_kind(types.host, kOp).calls, 2u);
  EXPECT_EQ(row_of_kind(types.host, kCall).calls, 2u) << "calls outside of ranges count";
  EXPECT_EQ(row_of_kind(types.host, SliceKind::kOverhead).busy_ns, 5_us);
  EXPECT_EQ(row_of_kind(types.host, SliceKind::kProfiler).busy_ns, 98_us) << "as far as the span";
  EXPECT_EQ(row_of_kind(types.device, SliceKind::kDeviceAnnotation).busy_ns, 20_us);
  EXPECT_EQ(row_of_kind(types.device, SliceKind::kSync).busy_ns, 7_us);
  EXPECT_EQ(find_kind(types.host, SliceKind::kSync), nullptr);
}

TEST(OverviewTest, operators_of_the_autograd_engine_count_once) {
  const Trace trace = Sketch().slice("engine: a", kOp, 0_us, 10_us).flags(kBackwardWork).trace();
  const TypeTables types = list_types(attribute_trace(trace), {}, {trace.extent()});
  ASSERT_EQ(types.host.size(), 1u);
  EXPECT_EQ(types.host[0].kind, kOp);
}

TEST(OverviewTest, slices_without_a_kind_are_listed_by_category_on_the_side_of_their_track) {
  const Trace trace = Sketch()
                          .slice("x", SliceKind::kOther, 0_us, 4_us)
                          .category("io")
                          .slice("y", SliceKind::kOther, 2_us, 4_us)
                          .category("io")
                          .slice("z", SliceKind::kOther, 0_us, 1_us)
                          .category("net")
                          .stream(0, 7)
                          .slice("w", SliceKind::kOther, 0_us, 3_us)
                          .category("io")
                          .trace();
  const TypeTables types = list_types(attribute_trace(trace), {}, {trace.extent()});
  ASSERT_EQ(types.host.size(), 2u);
  EXPECT_EQ(types.host[0].label, "io");
  EXPECT_EQ(types.host[0].calls, 2u);
  EXPECT_EQ(types.host[0].busy_ns, 6_us);
  EXPECT_EQ(types.host[1].label, "net");
  ASSERT_EQ(types.device.size(), 1u);
  EXPECT_EQ(types.device[0].label, "io");
  EXPECT_EQ(types.device[0].busy_ns, 3_us);
}

TEST(OverviewTest, a_selection_lists_what_starts_in_it_with_the_time_inside) {
  const Trace trace = Sketch()
                          .slice("early", SliceKind::kPythonCall, 0_us, 40_us)
                          .slice("late", SliceKind::kPythonCall, 20_us, 5_us)
                          .slice("op", kOp, 25_us, 20_us)
                          .slice("call", kCall, 28_us, 4_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("k", kKernel, 29_us, 100_us)
                          .correlation(1)
                          .trace();
  const IntervalSet span{{10_us, 30_us}};
  const TimeSelection selection(span);
  const TypeTables types = list_types(attribute_trace(trace, selection), selection, span);
  ASSERT_EQ(types.host.size(), 3u);
  const TypeRow frames = row_of_kind(types.host, SliceKind::kPythonCall);
  EXPECT_EQ(frames.calls, 1u);
  EXPECT_EQ(frames.busy_ns, 5_us);
  EXPECT_EQ(row_of_kind(types.host, kOp).busy_ns, 5_us);
  EXPECT_EQ(row_of_kind(types.host, kCall).busy_ns, 2_us);
  ASSERT_EQ(types.device.size(), 1u);
  EXPECT_EQ(types.device[0].busy_ns, 1_us);
}

// Device 1 is launched by the later operator.
Trace two_devices() {
  return Sketch()
      .slice("a", kOp, 0_us, 10_us)
      .slice("call", kCall, 1_us, 1_us)
      .correlation(1)
      .slice("call", kCall, 3_us, 1_us)
      .correlation(2)
      .slice("b", kOp, 20_us, 10_us)
      .slice("call", kCall, 21_us, 1_us)
      .correlation(3)
      .stream(0, 7)
      .slice("k", SliceKind::kKernel, 30_us, 10_us)
      .correlation(1)
      .stream(0, 8)
      .slice("k", SliceKind::kKernel, 35_us, 10_us)
      .correlation(2)
      .slice("set", SliceKind::kMemset, 50_us, 1_us)
      .correlation(2)
      .stream(1, 7)
      .slice("copy", SliceKind::kMemcpy, 40_us, 20_us)
      .correlation(3)
      .trace();
}

TEST(OverviewTest, a_device_is_busy_while_any_stream_is) {
  const Trace trace = two_devices();
  const auto rows = list_devices(attribute_trace(trace));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].device, 0);
  EXPECT_EQ(rows[0].kernel_busy_ns, 15_us);  // [30,40) and [35,45)
  EXPECT_EQ(rows[0].busy_ns, 16_us);
  EXPECT_EQ(rows[0].kernels, 2u);
  EXPECT_EQ(rows[1].device, 1);
  EXPECT_EQ(rows[1].kernel_busy_ns, 0);
  EXPECT_EQ(rows[1].busy_ns, 20_us);
}

TEST(OverviewTest, a_device_is_busy_in_the_chosen_time_whoever_launched_its_work) {
  const Trace trace = two_devices();
  const auto rows =
      list_devices(attribute_trace(trace), IntervalSet{{38_us, 42_us}, {55_us, 70_us}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].device, 0);
  EXPECT_EQ(rows[0].busy_ns, 4_us);  // [38,42)
  EXPECT_EQ(rows[0].kernel_busy_ns, 4_us);
  EXPECT_EQ(rows[0].kernels, 2u);
  EXPECT_EQ(rows[1].busy_ns, 7_us);  // [40,42) and [55,60)
}

TEST(OverviewTest, device_kinds_stand_device_by_device) {
  const Trace trace = two_devices();
  const auto rows = list_work_types(attribute_trace(trace));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].kind, SliceKind::kKernel);
  EXPECT_EQ(rows[0].calls, 2u);
  EXPECT_EQ(rows[0].busy_ns, 15_us);
  EXPECT_EQ(rows[1].kind, SliceKind::kMemset);
  EXPECT_EQ(rows[2].kind, SliceKind::kMemcpy);
}

// A thread is busy 60 + 10 us of ranges and a call beside them; the asynchronous ranges overlap.
TEST(OverviewTest, every_host_thread_has_its_busy_time) {
  Sketch sketch;
  sketch.thread(1).slice("a", SliceKind::kOperator, 0_us, 60_us);
  sketch.slice("b", SliceKind::kOperator, 10_us, 20_us);
  sketch.slice("call", SliceKind::kRuntimeCall, 80_us, 10_us);
  sketch.track("net", TrackKind::kAsync).slice("x", SliceKind::kAnnotation, 0_us, 30_us);
  sketch.slice("y", SliceKind::kAnnotation, 20_us, 30_us);
  const Trace trace = sketch.trace();
  const AttributedTrace input = attribute_trace(trace);
  const auto threads = list_threads(input, input);
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[0].thread, "1");
  EXPECT_EQ(threads[0].ranges, 2u);
  EXPECT_EQ(threads[0].busy_ns, 70_us);
  EXPECT_EQ(threads[1].name, "net");
  EXPECT_TRUE(threads[1].is_async);
  EXPECT_EQ(threads[1].busy_ns, 50_us);
  EXPECT_EQ(threads[1].host_time_ns, 50_us);
}

// Of [100,200): "before" covers 30 us, "after" 20 us, and goes on for 40 us.
TEST(OverviewTest, a_thread_is_busy_in_the_chosen_time_only) {
  Sketch sketch;
  sketch.thread(1).slice("before", SliceKind::kOperator, 50_us, 80_us);
  sketch.slice("after", SliceKind::kOperator, 180_us, 60_us);
  sketch.thread(2).slice("call", SliceKind::kRuntimeCall, 90_us, 20_us);
  sketch.thread(3).slice("elsewhere", SliceKind::kOperator, 0_us, 50_us);
  const Trace trace = sketch.trace();
  const IntervalSet chosen = {{100_us, 200_us}};
  const auto threads = list_threads(attribute_trace(trace, TimeSelection(chosen)),
                                    attribute_trace(trace), std::optional(chosen));
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[0].ranges, 1u);
  EXPECT_EQ(threads[0].busy_ns, 50_us);
  EXPECT_EQ(threads[0].host_time_ns, 90_us);
  EXPECT_EQ(threads[1].thread, "2");
  EXPECT_EQ(threads[1].ranges, 0u);
  EXPECT_EQ(threads[1].busy_ns, 10_us);
  EXPECT_EQ(threads[1].host_time_ns, 10_us);
}

// The file gives the call to a range that ended before it.
TEST(OverviewTest, a_thread_is_busy_in_a_call_whose_range_has_ended) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("op", kOp, 0_us, 10_us)
                          .slice("call", kCall, 20_us, 5_us)
                          .owned_by("op")
                          .trace();
  const AttributedTrace input = attribute_trace(trace);
  EXPECT_EQ(list_threads(input, input)[0].busy_ns, 15_us);
}

TEST(OverviewTest, times_count_from_the_earliest_slice_of_any_kind) {
  EXPECT_EQ(earliest_start_ns(Sketch().trace()), 0);
  EXPECT_EQ(earliest_start_ns(Sketch()
                                  .slice("op", kOp, 7_us, 1_us)
                                  .slice("profiler", SliceKind::kProfiler, 5_us, 9_us)
                                  .trace()),
            5_us);
}

// Computing [30,40) and [60,70), communicating [36,46) and, without a recorded launch, [44,64).
Trace two_streams() {
  return Sketch()
      .slice("op", kOp, 0_us, 20_us)
      .slice("call", kCall, 1_us, 1_us)
      .correlation(1)
      .slice("call", kCall, 3_us, 1_us)
      .correlation(2)
      .stream(0, 7)
      .slice("gemm", kKernel, 30_us, 10_us)
      .correlation(1)
      .slice("gemm", kKernel, 60_us, 10_us)
      .stream(0, 8)
      .slice("all_reduce", kKernel, 36_us, 10_us)
      .correlation(2)
      .flags(kCommunicates)
      .slice("all_reduce", kKernel, 44_us, 20_us)
      .flags(kCommunicates)
      .trace();
}

TEST(CommunicationTest, kernels_communicate_or_compute_whoever_launched_them) {
  const Trace trace = two_streams();
  const CommunicationTotals totals = add_up_communication(attribute_trace(trace));
  EXPECT_EQ(totals.computation_ns, 20_us);
  EXPECT_EQ(totals.communication_ns, 28_us);  // [36,64)
  EXPECT_EQ(totals.overlap_ns, 8_us);         // [36,40) and [60,64)
  EXPECT_EQ(totals.device_ns, 28_us);
  EXPECT_EQ(totals.device_calls, 2u);
  EXPECT_EQ(totals.host_calls, 0u);
}

TEST(CommunicationTest, only_the_chosen_time_counts) {
  const Trace trace = two_streams();
  const CommunicationTotals totals =
      add_up_communication(attribute_trace(trace), IntervalSet{{38_us, 42_us}, {62_us, 66_us}});
  EXPECT_EQ(totals.computation_ns, 6_us);    // [38,40) and [62,66)
  EXPECT_EQ(totals.communication_ns, 6_us);  // [38,42) and [62,64)
  EXPECT_EQ(totals.overlap_ns, 4_us);        // [38,40) and [62,64)
  EXPECT_EQ(totals.device_calls, 2u);
}

TEST(CommunicationTest, collectives_of_the_host_stay_apart_from_those_of_the_device) {
  // Below the collective of thread 1 are another one and a kernel that only computes.
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("c10d::allreduce_", kOp, 0_us, 20_us)
                          .flags(kCommunicates)
                          .slice("record_param_comms", kOp, 2_us, 10_us)
                          .flags(kCommunicates)
                          .slice("call", kCall, 3_us, 1_us)
                          .correlation(1)
                          .thread(2)
                          .slice("gloo:all_reduce", SliceKind::kCommunication, 15_us, 15_us)
                          .stream(0, 7)
                          .slice("copy", kKernel, 30_us, 10_us)
                          .correlation(1)
                          .trace();
  const CommunicationTotals totals = add_up_communication(attribute_trace(trace));
  EXPECT_EQ(totals.host_ns, 30_us);  // [0,20) and [15,30)
  EXPECT_EQ(totals.host_calls, 2u);
  EXPECT_EQ(totals.communication_ns, 0);
  EXPECT_EQ(totals.device_calls, 0u);
  EXPECT_EQ(totals.computation_ns, 10_us);
  EXPECT_EQ(totals.overlap_ns, 0);
}

}  // namespace

}  // namespace strobe::analysis

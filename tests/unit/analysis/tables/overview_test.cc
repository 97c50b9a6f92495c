#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/tables/tables.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;

const TypeRow* find_kind(const std::vector<TypeRow>& rows, SliceKind kind) {
  for (const TypeRow& row : rows) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

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
  const auto rows = list_host_types(attribute_trace(trace), {}, {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].calls, 4u);
  EXPECT_EQ(rows[0].busy_ns, 30_us);
}

TEST(OverviewTest, kinds_stand_in_the_order_the_walk_meets_them) {
  // Visited: step, then its later child (an annotation) with its call, then the operator.
  const Trace trace = Sketch()
                          .slice("step", SliceKind::kStep, 0_us, 100_us)
                          .slice("op", kOp, 10_us, 10_us)
                          .slice("range", SliceKind::kAnnotation, 30_us, 10_us)
                          .slice("call", kCall, 31_us, 1_us)
                          .trace();
  std::vector<SliceKind> kinds;
  for (const TypeRow& row : list_host_types(attribute_trace(trace), {}, {})) {
    kinds.push_back(row.kind);
  }
  EXPECT_THAT(kinds, ElementsAre(SliceKind::kStep, SliceKind::kAnnotation, kCall, kOp));
}

TEST(OverviewTest, calls_outside_every_range_are_skipped) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 10_us)
                          .slice("call", kCall, 1_us, 2_us)
                          .slice("call", kCall, 50_us, 2_us)
                          .trace();
  const auto rows = list_host_types(attribute_trace(trace), {}, {});
  const TypeRow* calls = find_kind(rows, kCall);
  ASSERT_NE(calls, nullptr);
  EXPECT_EQ(calls->calls, 1u);
  EXPECT_EQ(calls->busy_ns, 2_us);
}

TEST(OverviewTest, slices_without_a_kind_are_listed_by_category) {
  const Trace trace = Sketch()
                          .slice("x", SliceKind::kOther, 0_us, 4_us)
                          .category("io")
                          .slice("y", SliceKind::kOther, 2_us, 4_us)
                          .category("io")
                          .slice("z", SliceKind::kOther, 0_us, 1_us)
                          .category("net")
                          .trace();
  const auto rows = list_host_types(attribute_trace(trace), {}, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].label, "io");
  EXPECT_EQ(rows[0].calls, 2u);
  EXPECT_EQ(rows[0].busy_ns, 6_us);
  EXPECT_EQ(rows[1].label, "net");
}

TEST(OverviewTest, backward_ranges_count_as_backward) {
  const Trace trace = Sketch().slice("op", kOp, 0_us, 10_us).trace();
  const auto rows = list_host_types(attribute_trace(trace), {}, {{0_us, 4_us}, {2_us, 8_us}});
  const TypeRow* backward = find_kind(rows, SliceKind::kBackward);
  ASSERT_NE(backward, nullptr);
  EXPECT_EQ(backward->calls, 2u);
  EXPECT_EQ(backward->busy_ns, 8_us);
}

// Device 1 is launched by the later operator, so it is met first.
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
  EXPECT_EQ(rows[0].device, 1);
  EXPECT_EQ(rows[0].kernel_busy_ns, 0);
  EXPECT_EQ(rows[0].busy_ns, 20_us);
  EXPECT_EQ(rows[1].device, 0);
  EXPECT_EQ(rows[1].kernel_busy_ns, 15_us);  // [30,40) and [35,45)
  EXPECT_EQ(rows[1].busy_ns, 16_us);
  EXPECT_EQ(rows[1].kernels, 2u);
}

TEST(OverviewTest, device_kinds_stand_device_by_device) {
  const Trace trace = two_devices();
  const auto rows = list_device_types(attribute_trace(trace));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].kind, SliceKind::kMemcpy);
  EXPECT_EQ(rows[1].kind, SliceKind::kKernel);
  EXPECT_EQ(rows[1].calls, 2u);
  EXPECT_EQ(rows[1].busy_ns, 15_us);
  EXPECT_EQ(rows[2].kind, SliceKind::kMemset);
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
  const auto threads = list_threads(attribute_trace(trace));
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[0].thread, "1");
  EXPECT_EQ(threads[0].ranges, 2u);
  EXPECT_EQ(threads[0].busy_ns, 70_us);
  EXPECT_EQ(threads[1].name, "net");
  EXPECT_TRUE(threads[1].is_async);
  EXPECT_EQ(threads[1].busy_ns, 50_us);
}

TEST(CommunicationTest, collective_kernels_communicate_and_others_compute) {
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
  const CommunicationTotals totals = add_up_communication(attribute_trace(trace));
  EXPECT_EQ(totals.computation_ns, 10_us);
  EXPECT_EQ(totals.communication_ns, 10_us);
  EXPECT_EQ(totals.overlap_ns, 4_us);  // [36, 40)
  EXPECT_EQ(totals.host_calls, 0u);
  EXPECT_EQ(totals.device_calls, 1u);
}

TEST(CommunicationTest, a_collective_operator_makes_its_range_and_all_kernels_below_communication) {
  // The kernel of the phase is not a collective by name: it is in both lists. The one that the
  // operator launched itself is only in the first.
  const Trace trace = Sketch()
                          .slice("all_reduce", kOp, 0_us, 20_us)
                          .flags(kCommunicates)
                          .slice("compute", SliceKind::kOperatorPhase, 5_us, 10_us)
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
  const CommunicationTotals totals = add_up_communication(attribute_trace(trace));
  EXPECT_EQ(totals.host_ns, 20_us);
  EXPECT_EQ(totals.host_calls, 1u);
  EXPECT_EQ(totals.device_ns, 14_us);
  EXPECT_EQ(totals.device_calls, 2u);
  EXPECT_EQ(totals.communication_ns, 34_us);
  EXPECT_EQ(totals.computation_ns, 4_us);
  EXPECT_EQ(totals.overlap_ns, 4_us);
}

TEST(CommunicationTest, equal_ranges_are_one_call) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("send", SliceKind::kCommunication, 0_us, 5_us)
                          .thread(2)
                          .slice("send", SliceKind::kCommunication, 0_us, 5_us)
                          .slice("send", SliceKind::kCommunication, 3_us, 1_us)
                          .trace();
  const CommunicationTotals totals = add_up_communication(attribute_trace(trace));
  EXPECT_EQ(totals.host_calls, 2u);
  EXPECT_EQ(totals.host_ns, 5_us);
}

TEST(CommunicationTest, orphans_and_work_outside_all_ranges_take_no_part) {
  const Trace trace = Sketch()
                          .slice("call", kCall, 1_us, 1_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("from the thread", kKernel, 30_us, 10_us)
                          .correlation(1)
                          .slice("orphan", kKernel, 50_us, 10_us)
                          .flags(kCommunicates)
                          .trace();
  const CommunicationTotals totals = add_up_communication(attribute_trace(trace));
  EXPECT_EQ(totals.communication_ns, 0);
  EXPECT_EQ(totals.computation_ns, 0);
}

}  // namespace

}  // namespace strobe::analysis

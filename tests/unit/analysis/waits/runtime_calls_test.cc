#include "strobe/analysis/waits/runtime_calls.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

CallTable table_of(const Trace& trace, const IntervalSet& steps = {},
                   const IntervalSet& idle = {}) {
  return add_up_calls(attribute_trace(trace), {trace.extent()}, steps, idle);
}

TEST(RuntimeCallsTest, calls_of_one_name_are_one_row_with_its_longest) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("Step#1", SliceKind::kStep, 0_us, 100_us)
                          .slice("copy", kOp, 20_us, 40_us)
                          .slice("cudaLaunchKernel", kCall, 5_us, 5_us)
                          .slice("cudaMemcpyAsync", kCall, 25_us, 30_us)
                          .slice("cudaMemcpyAsync", kCall, 70_us, 10_us)
                          .trace();
  const CallTable table = table_of(trace, {{0_us, 75_us}}, {{0_us, 30_us}, {50_us, 72_us}});
  ASSERT_EQ(table.rows.size(), 2u);
  const RuntimeCallRow& copies = table.rows[0];
  EXPECT_EQ(copies.name, "cudaMemcpyAsync");
  EXPECT_EQ(copies.purpose, device::RuntimeCall::kCopy);
  EXPECT_EQ(copies.host, (TimeStat{2, 40_us, 30_us, 10_us}));
  EXPECT_EQ(copies.median_ns, 20_us);
  EXPECT_EQ(copies.in_steps_ns, 35_us);
  EXPECT_EQ(copies.device_idle_ns, 5_us + 5_us + 2_us);
  EXPECT_EQ(copies.longest, (Interval{25_us, 55_us}));
  EXPECT_EQ(copies.longest_inside, "copy");
  EXPECT_EQ(table.rows[1].name, "cudaLaunchKernel");
  EXPECT_EQ(table.rows[1].longest_inside, "");  // a step is no range around it
}

TEST(RuntimeCallsTest, a_call_inside_another_has_its_own_row_and_a_name_in_itself_counts_once) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("outer", kCall, 0_us, 10_us)
                          .slice("driver", kCall, 2_us, 4_us)
                          .slice("outer", kCall, 3_us, 2_us)
                          .slice("outer", kCall, 9_us, 3_us)
                          .trace();
  const CallTable table = table_of(trace, {}, {{0_us, 4_us}});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].name, "outer");
  EXPECT_EQ(table.rows[0].host, (TimeStat{3, 12_us, 10_us, 2_us}));
  EXPECT_EQ(table.rows[0].device_idle_ns, 4_us);
  EXPECT_EQ(table.rows[1].name, "driver");
  EXPECT_EQ(table.rows[1].host, (TimeStat{1, 4_us, 4_us, 4_us}));
}

TEST(RuntimeCallsTest, a_long_first_call_leaves_the_median_alone) {
  Sketch sketch;
  sketch.thread(1).slice("launch", kCall, 0_us, 900_us);
  for (int i = 1; i < 10; ++i) sketch.slice("launch", kCall, 1000_us * i, 5_us);
  const Trace trace = sketch.trace();
  const CallTable table = table_of(trace);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].median_ns, 5_us);
  EXPECT_DOUBLE_EQ(table.rows[0].host.average_ns(), 94'500);
}

TEST(RuntimeCallsTest, threads_are_added_up) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("call", kCall, 0_us, 10_us)
                          .thread(2)
                          .slice("call", kCall, 5_us, 20_us)
                          .trace();
  const CallTable table = table_of(trace);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].host, (TimeStat{2, 30_us, 20_us, 10_us}));
  EXPECT_EQ(table.threads[0], 1u);
}

TEST(RuntimeCallsTest, only_the_part_inside_the_span_counts) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("call", kCall, 0_us, 12_us)
                          .slice("call", kCall, 20_us, 5_us)
                          .slice("call", kCall, 28_us, 10_us)
                          .slice("outside", kCall, 50_us, 10_us)
                          .trace();
  const CallTable table =
      add_up_calls(attribute_trace(trace), {{10_us, 30_us}, {35_us, 40_us}}, {}, {});
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].host, (TimeStat{3, 12_us, 5_us, 2_us}));
}

}  // namespace
}  // namespace strobe::analysis

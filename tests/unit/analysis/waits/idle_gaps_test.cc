#include "strobe/analysis/waits/idle_gaps.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

std::string next_name(const AttributedTrace& input, const IdleGaps& gaps, std::size_t gap) {
  const std::uint32_t work = gaps.next_works[gap];
  if (work == IdleGaps::kNoWork) return "none";
  return std::string(input.trace.name(input.attribution.works.slices[work]));
}

TEST(IdleGapsTest, a_gap_lies_between_the_work_of_all_streams_and_devices) {
  const Trace trace = Sketch()
                          .stream(0, 7)
                          .slice("a", kKernel, 10_us, 10_us)
                          .slice("d", kKernel, 50_us, 10_us)
                          .stream(0, 8)
                          .slice("b", SliceKind::kMemcpy, 15_us, 10_us)
                          .stream(1, 7)
                          .slice("c", SliceKind::kMemset, 30_us, 5_us)
                          .trace();
  const AttributedTrace input = attribute_trace(trace);
  const auto gaps = find_idle_gaps(input, {0_us, 70_us});
  ASSERT_EQ(gaps.size(), 4u);
  EXPECT_EQ(gaps.intervals[0], (Interval{0_us, 10_us}));
  EXPECT_EQ(next_name(input, gaps, 0), "a");
  EXPECT_EQ(gaps.intervals[1], (Interval{25_us, 30_us}));
  EXPECT_EQ(next_name(input, gaps, 1), "c");
  EXPECT_EQ(gaps.intervals[2], (Interval{35_us, 50_us}));
  EXPECT_EQ(next_name(input, gaps, 2), "d");
  EXPECT_EQ(gaps.intervals[3], (Interval{60_us, 70_us}));
  EXPECT_EQ(next_name(input, gaps, 3), "none");
}

TEST(IdleGapsTest, a_gap_across_an_end_of_the_hull_keeps_its_length_and_its_next_work) {
  const Trace trace = Sketch()
                          .stream(0, 7)
                          .slice("a", kKernel, 0_us, 10_us)
                          .slice("b", kKernel, 30_us, 10_us)
                          .slice("c", kKernel, 60_us, 10_us)
                          .slice("d", kKernel, 80_us, 10_us)
                          .trace();
  const AttributedTrace input = attribute_trace(trace);
  const auto gaps = find_idle_gaps(input, {20_us, 50_us});
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps.intervals[0], (Interval{10_us, 30_us}));
  EXPECT_EQ(gaps.intervals[1], (Interval{40_us, 60_us}));
  EXPECT_EQ(next_name(input, gaps, 1), "c");
}

TEST(IdleGapsTest, of_works_that_start_together_one_with_a_call_is_next) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("launch", kCall, 0_us, 5_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("unknown", kKernel, 10_us, 10_us)
                          .stream(0, 8)
                          .slice("known", kKernel, 10_us, 10_us)
                          .correlation(1)
                          .trace();
  const AttributedTrace input = attribute_trace(trace);
  const auto gaps = find_idle_gaps(input, {0_us, 20_us});
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(next_name(input, gaps, 0), "known");
}

TEST(IdleGapsTest, a_trace_without_device_work_has_no_gaps) {
  const Trace trace = Sketch().thread(1).slice("op", kOp, 0_us, 10_us).trace();
  EXPECT_EQ(find_idle_gaps(attribute_trace(trace), {0_us, 10_us}).size(), 0u);
}

TEST(LaunchingThreadsTest, the_busiest_launches_most_and_the_script_has_the_steps) {
  const Trace trace = Sketch()
                          .thread(5, 5)
                          .slice("op", kOp, 0_us, 1_us)
                          .thread(6, 5)
                          .slice("Step#1", SliceKind::kStep, 0_us, 90_us)
                          .slice("launch", kCall, 1_us, 1_us)
                          .correlation(1)
                          .thread(7, 5)
                          .slice("launch", kCall, 10_us, 1_us)
                          .correlation(2)
                          .slice("launch", kCall, 20_us, 1_us)
                          .correlation(3)
                          .stream(0, 7)
                          .slice("k", kKernel, 5_us, 1_us)
                          .correlation(1)
                          .slice("k", kKernel, 15_us, 1_us)
                          .correlation(2)
                          .slice("k", kKernel, 25_us, 1_us)
                          .correlation(3)
                          .trace();
  const LaunchingThreads threads = find_launching_threads(attribute_trace(trace));
  EXPECT_EQ(threads.busiest, 2u);
  EXPECT_EQ(threads.script_threads, (std::vector<std::uint32_t>{1, 1, 1}));
  EXPECT_EQ(threads.watched, (std::vector<char>{0, 1, 1}));
}

TEST(LaunchingThreadsTest, without_steps_the_script_runs_on_the_first_thread_of_its_process) {
  const Trace trace = Sketch()
                          .thread(5, 5)
                          .slice("op", kOp, 0_us, 1_us)
                          .thread(6, 5)
                          .slice("launch", kCall, 1_us, 1_us)
                          .correlation(1)
                          .thread(9, 8)
                          .slice("op", kOp, 0_us, 1_us)
                          .stream(0, 7)
                          .slice("k", kKernel, 5_us, 1_us)
                          .correlation(1)
                          .trace();
  const LaunchingThreads threads = find_launching_threads(attribute_trace(trace));
  EXPECT_EQ(threads.busiest, 1u);
  EXPECT_EQ(threads.script_threads, (std::vector<std::uint32_t>{0, 0, 2}));
}

TEST(LaunchingThreadsTest, without_launches_the_busiest_has_steps_or_most_ranges) {
  const Trace ranges = Sketch()
                           .thread(1)
                           .slice("op", kOp, 0_us, 1_us)
                           .thread(2)
                           .slice("op", kOp, 0_us, 1_us)
                           .slice("op", kOp, 5_us, 1_us)
                           .trace();
  EXPECT_EQ(find_launching_threads(attribute_trace(ranges)).busiest, 1u);
  const Trace steps = Sketch()
                          .thread(1)
                          .slice("Step#1", SliceKind::kStep, 0_us, 9_us)
                          .thread(2)
                          .slice("op", kOp, 0_us, 1_us)
                          .slice("op", kOp, 5_us, 1_us)
                          .trace();
  EXPECT_EQ(find_launching_threads(attribute_trace(steps)).busiest, 0u);
  const Trace none = Sketch().stream(0, 7).slice("k", kKernel, 0_us, 1_us).trace();
  EXPECT_EQ(find_launching_threads(attribute_trace(none)).busiest, OpTree::kNoThread);
}

TEST(LaunchEndTest, is_the_calls_or_else_the_operators) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("op", kOp, 0_us, 8_us)
                          .external(3)
                          .slice("launch", kCall, 2_us, 3_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("by call", kKernel, 10_us, 1_us)
                          .correlation(1)
                          .slice("by operator", kKernel, 20_us, 1_us)
                          .external(3)
                          .slice("orphan", kKernel, 30_us, 1_us)
                          .trace();
  const AttributedTrace input = attribute_trace(trace);
  const LaunchEnd call = find_launch_end(input, 0);
  EXPECT_EQ(call.thread, 0u);
  EXPECT_EQ(call.end_ns, 5_us);
  EXPECT_TRUE(call.is_exact);
  const LaunchEnd operator_end = find_launch_end(input, 1);
  EXPECT_EQ(operator_end.thread, 0u);
  EXPECT_EQ(operator_end.end_ns, 8_us);
  EXPECT_FALSE(operator_end.is_exact);
  EXPECT_EQ(find_launch_end(input, 2).thread, OpTree::kNoThread);
}

}  // namespace
}  // namespace strobe::analysis

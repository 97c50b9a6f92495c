#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/health/health_sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(LaunchHealthTest, a_recording_with_every_launch_and_every_kernel_is_complete) {
  const Health health = health_of(Loop{});
  EXPECT_EQ(health.verdict, HealthVerdict::kComplete);
  EXPECT_TRUE(health.remarks.empty());
}

TEST(LaunchHealthTest, kernels_that_were_launched_before_the_recording_are_told_from_lost_ones) {
  // The calls of the first 30 of 100 kernels are missing; kernel 30 ends at 3.06 ms, and the trace
  // begins with the first kernel at 0.11 ms.
  const Health health = health_of(Loop{.calls_from = 31});
  EXPECT_EQ(health.verdict, HealthVerdict::kUsable);
  ASSERT_EQ(health.remarks.size(), 1u);
  const HealthRemark& remark = health.remarks.front();
  EXPECT_EQ(remark.code, "launched_before_recording");
  EXPECT_EQ(remark.count, 30u);
  EXPECT_EQ(remark.of, 100u);
  EXPECT_THAT(remark.seen, StartsWith("30 of 100 kernels, copies and memsets (30.0 %), in the "
                                      "first 2.95 ms, were launched before"));
  EXPECT_THAT(remark.consequence,
              HasSubstr("their 1.50 ms (30.0 % of all time on the GPU) counts for kernels"));
}

TEST(LaunchHealthTest, a_few_of_a_thousand_change_no_number_that_is_shown) {
  const Health health = health_of(Loop{.launches = 1000, .calls_from = 10});
  EXPECT_EQ(health.verdict, HealthVerdict::kComplete);
  EXPECT_TRUE(remark_of(health, "launched_before_recording"));
}

TEST(LaunchHealthTest, calls_that_are_lost_in_between_are_another_flaw) {
  Sketch sketch = sketch_of({.launches = 10});
  for (int i = 0; i < 5; ++i)
    sketch.stream(0, 7).slice("lost", kKernel, 2'000_us + 100_us * i, 50_us);
  const Health health = health_of(sketch);
  EXPECT_FALSE(remark_of(health, "launched_before_recording"));
  const auto remark = remark_of(health, "orphan_device_work");
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->verdict, HealthVerdict::kUsable);
  EXPECT_EQ(remark->count, 5u);
}

TEST(LaunchHealthTest, where_most_calls_are_lost_nobody_knows_who_launched) {
  Sketch sketch = sketch_of({.launches = 10});
  for (int i = 0; i < 20; ++i)
    sketch.stream(0, 7).slice("lost", kKernel, 2'000_us + 100_us * i, 50_us);
  const Health health = health_of(sketch);
  EXPECT_EQ(health.verdict, HealthVerdict::kNotFor);
  EXPECT_EQ(verdict_text(health), "not for what launched the work");
}

TEST(LaunchHealthTest, many_short_kernels_without_a_launch_are_little_time) {
  Sketch sketch = sketch_of({.launches = 10});  // 500 us
  for (int i = 0; i < 20; ++i)
    sketch.stream(0, 7).slice("lost", kKernel, 2'000_us + 100_us * i, 1_us);
  EXPECT_EQ(health_of(sketch).verdict, HealthVerdict::kUsable);
}

TEST(LaunchHealthTest, operators_without_any_launch_have_no_device_time) {
  Sketch sketch;
  sketch.thread(1).slice("aten::mm", kOp, 0_us, 20_us);
  sketch.stream(0, 7).slice("gemm", kKernel, 10_us, 50_us);
  EXPECT_EQ(health_of(sketch).verdict, HealthVerdict::kNotFor);
  Sketch device_only;
  device_only.stream(0, 7).slice("gemm", kKernel, 10_us, 50_us);
  const Health health = health_of(device_only);
  EXPECT_EQ(health.verdict, HealthVerdict::kComplete);
  EXPECT_TRUE(remark_of(health, "launches_not_recorded"));
}

TEST(LaunchHealthTest, launches_show_that_there_was_device_work) {
  const Health health = health_of(Loop{.launches = 3, .kernels_from = 4});
  EXPECT_EQ(verdict_text(health), "not for times on the GPU");
  const auto remark = remark_of(health, "launched_work_not_recorded");
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->seen, "none of the work of 3 launch calls was recorded");
  Sketch host;
  host.thread(1).slice("aten::mm", kOp, 0_us, 20_us);
  EXPECT_EQ(health_of(host).verdict, HealthVerdict::kComplete);
}

TEST(LaunchHealthTest, where_the_work_of_launches_is_missing_says_why) {
  const auto first = remark_of(health_of(Loop{.kernels_from = 21}), "launches_without_work");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->count, 20u);
  EXPECT_EQ(first->of, 100u);
  EXPECT_EQ(first->verdict, HealthVerdict::kUsable);
  EXPECT_THAT(first->seen,
              HasSubstr("all of them in the first 2.00 ms: the device was recorded later"));
  const auto last = remark_of(health_of(Loop{.kernels_until = 40}), "launches_without_work");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->verdict, HealthVerdict::kNotFor);
  EXPECT_THAT(last->seen, HasSubstr("the recording ended before it ran"));
  Sketch sketch;
  for (int i = 0; i < 30; ++i) {
    const auto id = static_cast<std::uint32_t>(i);
    sketch.thread(1).slice("xLaunchKernel", kCall, 100_us * i, 5_us).correlation(id);
    if (i % 3 == 0) continue;
    sketch.stream(0, 7).slice("gemm", kKernel, 100_us * i + 10_us, 50_us).correlation(id);
  }
  const auto spread = remark_of(health_of(sketch), "launches_without_work");
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->count, 10u);
  EXPECT_THAT(spread->seen, HasSubstr("records of the device were dropped"));
}

TEST(LaunchHealthTest, one_launch_seen_by_two_layers_is_one) {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 10; ++i) {
    const std::int64_t start_ns = 100_us * i;
    sketch.thread(1).slice("xLaunchKernel", kCall, start_ns, 8_us).correlation(2 * i + 1);
    sketch.slice("xuLaunchKernelEx", kCall, start_ns + 1_us, 5_us).correlation(2 * i + 2);
    sketch.stream(0, 7).slice("gemm", kKernel, start_ns + 9_us, 50_us).correlation(2 * i + 2);
  }
  EXPECT_EQ(health_of(sketch).verdict, HealthVerdict::kComplete);
}

TEST(LaunchHealthTest, what_is_captured_into_a_graph_is_not_expected_to_run) {
  Sketch sketch = sketch_of({.launches = 10});
  sketch.thread(1).slice("xStreamBeginCapture", kCall, 5'000_us, 1_us);
  for (std::uint32_t i = 0; i < 5; ++i) {
    sketch.slice("xLaunchKernel", kCall, 5'010_us + 10_us * i, 5_us).correlation(50 + i);
  }
  sketch.slice("xStreamEndCapture", kCall, 5'100_us, 1_us);
  sketch.slice("xLaunchHostFunc", kCall, 5'200_us, 1_us).correlation(90);
  EXPECT_EQ(health_of(sketch).verdict, HealthVerdict::kComplete);
}

TEST(LaunchHealthTest, launches_just_before_a_graph_is_made_were_captured) {
  Sketch sketch = sketch_of({.launches = 10});
  for (std::uint32_t i = 0; i < 5; ++i) {
    sketch.thread(1).slice("xLaunchKernel", kCall, 5'010_us + 10_us * i, 5_us).correlation(50 + i);
  }
  sketch.slice("xGraphInstantiateWithFlags", kCall, 5'100_us, 1_us);
  EXPECT_EQ(health_of(sketch).verdict, HealthVerdict::kComplete);
}

TEST(LaunchHealthTest, graphs_of_which_nothing_was_recorded_hide_work) {
  Sketch sketch = sketch_of({.launches = 10});
  for (std::uint32_t i = 0; i < 4; ++i) {
    sketch.thread(1).slice("xGraphLaunch", kCall, 5'000_us + 100_us * i, 5_us).correlation(50 + i);
  }
  const Health health = health_of(sketch);
  EXPECT_EQ(verdict_text(health), "not for times on the GPU");
  const auto remark = remark_of(health, "graphs_without_work");
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->seen, "the work of 4 of 4 launches of graphs (100.0 %) is missing");
}

TEST(LaunchHealthTest, graphs_that_are_one_block_each_hide_their_kernels) {
  Sketch sketch = sketch_of({.launches = 10});  // 500 us
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::int64_t start_ns = 5'000_us + 1'000_us * i;
    sketch.thread(1).slice("xGraphLaunch", kCall, start_ns, 5_us).correlation(50 + i);
    sketch.stream(0, 7).slice("graph 3", kKernel, start_ns + 9_us, 750_us).correlation(50 + i);
    sketch.category("graph");
  }
  ImportReport import;
  import.add_many(ImportIssue::kWholeGraphs, 2);
  const Health health = health_of(sketch, import);
  EXPECT_EQ(verdict_text(health), "not for kernels");
  EXPECT_EQ(health.remarks.front().seen,
            "2 launches of graphs were recorded as one block each: 1.50 ms (75.0 % of all time on "
            "the GPU)");
}

}  // namespace
}  // namespace strobe::analysis

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analysis/health/health_sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Ten calls, whose kernels start so long after them.
Sketch with_delay(std::int64_t delay_ns) {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 10; ++i) {
    sketch.thread(1).slice("xLaunchKernel", kCall, 100_us * (i + 1), 5_us).correlation(i);
    sketch.stream(0, 7).slice("gemm", kKernel, 100_us * (i + 1) + delay_ns, 50_us).correlation(i);
  }
  return sketch;
}

TEST(TimeHealthTest, kernels_that_start_before_their_call_show_clocks_that_are_apart) {
  Sketch apart = with_delay(-30'000_ns);
  const auto remark = remark_of(health_of(apart), "clocks_apart");
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->verdict, HealthVerdict::kUsable);
  EXPECT_EQ(remark->count, 10u);
  EXPECT_THAT(remark->seen, HasSubstr("by up to 30.0 us"));
  Sketch rounded = with_delay(-1'000_ns);
  EXPECT_EQ(health_of(rounded).verdict, HealthVerdict::kComplete);
}

TEST(TimeHealthTest, calls_are_numbered_as_time_goes_on) {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    const std::int64_t set_back_ns = i >= 500 ? 3'000_us : 0_us;
    sketch.thread(1)
        .slice("xMalloc", kCall, 10_us * i + 5'000_us - set_back_ns, 5_us)
        .correlation(i);
  }
  const auto remark = remark_of(health_of(sketch), "time_runs_backwards");
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->count, 1u);
  EXPECT_THAT(remark->seen, HasSubstr("by up to 2.99 ms"));
}

TEST(TimeHealthTest, numbers_without_order_say_nothing_about_time) {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    sketch.thread(1).slice("xMalloc", kCall, 10_us * i, 5_us).correlation((i * 7919) % 1'000);
  }
  EXPECT_EQ(health_of(sketch).verdict, HealthVerdict::kComplete);
}

TEST(TimeHealthTest, slices_that_cross_are_kept_and_counted) {
  Sketch sketch;
  sketch.stream(0, 7)
      .slice("a", kKernel, 0_us, 100_us)
      .slice("crosses a", kKernel, 50_us, 100_us)
      .slice("inside", kKernel, 60_us, 10_us)
      .slice("touches", kKernel, 150_us, 10_us)
      .slice("rounded", kKernel, 159_us, 10_us);
  const Health health = health_of(sketch);
  EXPECT_EQ(health.verdict, HealthVerdict::kComplete);
  const auto remark = remark_of(health, "crossing_slices");
  ASSERT_TRUE(remark);
  EXPECT_THAT(remark->seen, StartsWith("1 of 5 slices (20.0 %) on 1 track begins inside another"));
}

Health health_of_steps(std::initializer_list<int> numbers) {
  Sketch sketch;
  std::int64_t start_ns = 0;
  for (const int number : numbers) {
    sketch.slice("Step#" + std::to_string(number), SliceKind::kStep, start_ns, 90_us);
    start_ns += 100_us;
  }
  return health_of(sketch);
}

TEST(TimeHealthTest, a_number_that_steps_skip_is_missing) {
  const Health health = health_of_steps({3, 4, 5, 7, 8});
  EXPECT_EQ(health.verdict, HealthVerdict::kUsable);
  EXPECT_EQ(health.remarks.front().seen,
            "1 of 6 steps (16.7 %) is missing, the most between step 5 and step 7");
}

TEST(TimeHealthTest, steps_that_are_marked_now_and_then_are_all_there) {
  EXPECT_TRUE(health_of_steps({0, 10, 20, 30, 40}).remarks.empty());
  EXPECT_TRUE(health_of_steps({0, 1, 2, 0, 1, 2}).remarks.empty());  // two epochs
  const Health windows = health_of_steps({5, 6, 7, 100, 101, 102});
  EXPECT_EQ(windows.verdict, HealthVerdict::kComplete);
  EXPECT_TRUE(remark_of(windows, "steps_missing"));
}

}  // namespace
}  // namespace strobe::analysis

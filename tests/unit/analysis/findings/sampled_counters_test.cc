#include "strobe/analysis/findings/sampled_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace literals;
using device::MetricRole;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SampledCounter only_counter(Sketch& sketch, MetricRole role) {
  const Trace trace = sketch.trace();
  auto counters = sampled_counters(trace, role);
  EXPECT_THAT(counters, SizeIs(1));
  return counters.empty() ? SampledCounter() : counters.front();
}

TEST(SampledCountersTest, a_gauge_holds_until_the_next_sample_in_its_unit) {
  Sketch sketch;
  sketch.stream(0, 99)
      .counter("gpu_power_mw", "gpu_power_mw", 20_ms, 300'000)
      .counter("gpu_power_mw", "gpu_power_mw", 10_ms, 200'000)
      .counter("gpu_power_mw", "gpu_power_mw", 30_ms, 400'000);
  const SampledCounter counter = only_counter(sketch, MetricRole::kPower);
  EXPECT_EQ(counter.device, 0);
  EXPECT_EQ(counter.key, "");
  ASSERT_THAT(counter.pieces, SizeIs(2));
  EXPECT_EQ(counter.pieces[0].interval, (Interval{10_ms, 20_ms}));
  EXPECT_DOUBLE_EQ(counter.pieces[0].value, 200);
  EXPECT_DOUBLE_EQ(counter.pieces[1].value, 300);
}

TEST(SampledCountersTest, a_window_describes_the_time_before_its_sample) {
  Sketch sketch;
  sketch.thread(1)
      .counter("foreign_cpu_usage", "foreign_cpu_usage", 0, 5)
      .counter("foreign_cpu_usage", "foreign_cpu_usage", 10_ms, 50);
  const SampledCounter counter = only_counter(sketch, MetricRole::kForeignCpuUse);
  EXPECT_FALSE(counter.device);
  ASSERT_THAT(counter.pieces, SizeIs(1));
  EXPECT_EQ(counter.pieces[0].value, 50);
}

// 5 ms of every 10 ms are 500 ms per second.
TEST(SampledCountersTest, a_counter_is_its_rate_and_a_reset_is_a_gap) {
  Sketch sketch;
  sketch.thread(1);
  for (const auto& [time_ns, value] :
       {std::pair(0_ms, 0.0), {10_ms, 5000.0}, {20_ms, 3.0}, {30_ms, 5003.0}}) {
    sketch.counter("cpu_quota_throttled_us", "cpu_quota_throttled_us", time_ns, value);
  }
  const SampledCounter counter = only_counter(sketch, MetricRole::kQuotaThrottled);
  ASSERT_THAT(counter.pieces, SizeIs(2));
  EXPECT_DOUBLE_EQ(counter.pieces[0].value, 500);
  EXPECT_EQ(counter.pieces[1].interval, (Interval{20_ms, 30_ms}));
}

TEST(SampledCountersTest, a_pause_of_the_sampler_is_unknown) {
  Sketch sketch;
  sketch.thread(1);
  for (const std::int64_t time_ns : {0_ms, 10_ms, 20_ms, 100_ms, 110_ms}) {
    sketch.counter("foreign_cpu_usage", "foreign_cpu_usage", time_ns, 50);
  }
  const SampledCounter counter = only_counter(sketch, MetricRole::kForeignCpuUse);
  EXPECT_THAT(counter.pieces, SizeIs(3)) << "without 20 to 100 ms";
}

TEST(SampledCountersTest, processes_are_told_apart_by_their_key) {
  Sketch sketch;
  for (const std::int64_t time_ns : {0_ms, 10_ms}) {
    sketch.stream(0, 99)
        .counter("gpu_foreign_process_usage", "python3 (4711)", time_ns, 40)
        .counter("gpu_foreign_process_usage", "Xorg (12)", time_ns, 1)
        .counter("gpu_foreign_usage", "gpu_foreign_usage", time_ns, 41);
  }
  const Trace trace = sketch.trace();
  const auto counters = sampled_counters(trace, MetricRole::kOneForeignDeviceUse);
  ASSERT_THAT(counters, SizeIs(2));
  EXPECT_THAT((std::vector{counters[0].key, counters[1].key}),
              ::testing::UnorderedElementsAre("python3 (4711)", "Xorg (12)"));
  EXPECT_THAT(sampled_counters(trace, MetricRole::kForeignDeviceUse), SizeIs(1));
  EXPECT_THAT(sampled_counters(trace, MetricRole::kCoreClock), IsEmpty());
}

TEST(SampledCountersTest, one_sample_says_nothing_about_time) {
  Sketch sketch;
  sketch.thread(1).counter("foreign_cpu_usage", "foreign_cpu_usage", 0, 5);
  EXPECT_THAT(only_counter(sketch, MetricRole::kForeignCpuUse).pieces, IsEmpty());
}

SampledCounter counter_of(std::vector<SampledPiece> pieces) {
  SampledCounter counter;
  counter.pieces = std::move(pieces);
  return counter;
}

TEST(SampledTimeTest, only_the_part_inside_counts) {
  const SampledCounter counter = counter_of({{{0, 10}, 1}, {{10, 20}, 5}, {{20, 30}, 9}});
  const SampledTime time = time_in(counter, {{5, 12}, {14, 22}});
  EXPECT_EQ(time.pieces, 3u);
  EXPECT_EQ(time.covered_ns, 5 + 2 + 6 + 2);
  EXPECT_DOUBLE_EQ(time.sum_ns, 5 * 1 + 8 * 5 + 2 * 9);
  EXPECT_DOUBLE_EQ(time.mean(), 63.0 / 15);
  EXPECT_EQ(time_in(counter, {{40, 50}}).pieces, 0u);
  EXPECT_EQ(time_in(counter, {}).mean(), 0);
}

TEST(SampledTimeTest, ten_samples_over_half_of_the_time_are_enough) {
  EXPECT_TRUE((SampledTime{.pieces = 10, .covered_ns = 50}).is_enough_for(100));
  EXPECT_FALSE((SampledTime{.pieces = 9, .covered_ns = 90}).is_enough_for(100));
  EXPECT_FALSE((SampledTime{.pieces = 20, .covered_ns = 49}).is_enough_for(100));
}

TEST(SampledTimeTest, stretches_with_a_bit_are_joined) {
  const SampledCounter counter =
      counter_of({{{0, 10}, 4}, {{10, 20}, 36}, {{20, 30}, 1}, {{30, 40}, 32}});
  EXPECT_THAT(time_with_bits(counter, 4), ElementsAre(Interval{0, 20}));
  EXPECT_THAT(time_with_bits(counter, 36), ElementsAre(Interval{0, 20}, Interval{30, 40}));
}

}  // namespace
}  // namespace strobe::analysis

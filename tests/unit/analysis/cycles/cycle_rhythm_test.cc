#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

// Bursts of one and the same kernel, as many as the numbers say, each burst at its time.
Trace bursts(const std::vector<std::int64_t>& starts_ns, const std::vector<int>& kernels) {
  Sketch sketch;
  sketch.stream(0, 7);
  for (std::size_t i = 0; i < starts_ns.size(); ++i) {
    for (int k = 0; k < kernels[i % kernels.size()]; ++k) {
      sketch.slice("kernel", SliceKind::kKernel, starts_ns[i] + k * 10_us, 8_us);
    }
  }
  return sketch.trace();
}

std::vector<std::int64_t> every(std::int64_t period_ns, int count) {
  std::vector<std::int64_t> starts_ns;
  for (int i = 0; i < count; ++i) starts_ns.push_back(i * period_ns);
  return starts_ns;
}

TEST(CycleRhythmTest, bursts_with_pauses_between_are_cycles) {
  const std::vector<std::int64_t> starts_ns = every(1_ms, 10);
  const Result<CycleList> list = cycles_by_busy_signal(bursts(starts_ns, {50, 47, 52}));
  ASSERT_TRUE(list) << list.error().what;
  EXPECT_EQ(list->method, CycleMethod::kBusySignal);
  EXPECT_EQ(list->confidence, CycleConfidence::kLow);
  ASSERT_EQ(list->cycles.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(list->cycles[i].interval.start_ns, starts_ns[i]);
    EXPECT_EQ(list->cycles[i].has_inferred_border, i == 0 || i == 9);
  }
}

TEST(CycleRhythmTest, borders_follow_bursts_that_come_early_or_late) {
  std::vector<std::int64_t> starts_ns;
  const std::int64_t jitter_ns[] = {0, 40_us, -60_us, 80_us, 10_us, -30_us, 70_us, -80_us, 20_us};
  for (std::int64_t i = 0; i < 9; ++i) starts_ns.push_back(1_ms * i + 100_us + jitter_ns[i]);
  const Result<CycleList> list = cycles_by_busy_signal(bursts(starts_ns, {45}));
  ASSERT_TRUE(list) << list.error().what;
  ASSERT_EQ(list->cycles.size(), 9u);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(list->cycles[i].interval.start_ns, starts_ns[i]);
  }
}

TEST(CycleRhythmTest, pauses_inside_a_cycle_are_not_taken_for_its_end) {
  std::vector<std::int64_t> starts_ns;
  for (std::int64_t i = 0; i < 8; ++i) {
    starts_ns.push_back(2_ms * i);
    starts_ns.push_back(2_ms * i + 500_us);
  }
  const Result<CycleList> list = cycles_by_busy_signal(bursts(starts_ns, {40, 90}));
  ASSERT_TRUE(list) << list.error().what;
  ASSERT_EQ(list->cycles.size(), 8u);
  EXPECT_EQ(list->cycles[3].interval, (Interval{6_ms, 8_ms}));
}

TEST(CycleRhythmTest, steady_work_scattered_work_and_no_work_have_no_rhythm) {
  EXPECT_FALSE(cycles_by_busy_signal(bursts({0}, {3000})));
  std::vector<std::int64_t> scattered_ns;
  std::uint32_t state = 7;
  std::int64_t at_ns = 0;
  for (int i = 0; i < 200; ++i) {
    state = state * 1664525u + 1013904223u;
    at_ns += 30_us + (state >> 16) % 1000 * 2_us;
    scattered_ns.push_back(at_ns);
  }
  EXPECT_FALSE(cycles_by_busy_signal(bursts(scattered_ns, {2})));
  const Result<CycleList> list = cycles_by_busy_signal(Trace());
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().what, "device activity has no regular rhythm");
}

TEST(CycleRhythmTest, three_bursts_are_too_few) {
  EXPECT_FALSE(cycles_by_busy_signal(bursts(every(1_ms, 3), {50})));
}

}  // namespace
}  // namespace strobe::analysis

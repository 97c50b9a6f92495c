#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/unit/analysis/tables/phase_traces.h"

// Phases that cross each other, or another range: none is inside the other.
namespace strobe::analysis {
namespace {

// A step with two ranges, [0,10) and [5,15) us. Kernels of 1, 2 and 4 us were launched in the first
// only, in both, and in the second only; with the second one a copy of 8 us.
Sketch step_with_crossing(SliceKind first, SliceKind second) {
  Sketch sketch;
  sketch.slice("Step#0", SliceKind::kStep, 0_us, 50_us);
  sketch.slice("first", first, 0_us, 10_us).slice("second", second, 5_us, 10_us);
  for (const std::uint32_t i : {0u, 1u, 2u}) {
    sketch.slice("launch", kCall, 1_us + i * 5_us, 1_us).correlation(i + 1);
  }
  sketch.stream(0, 7);
  for (const std::uint32_t i : {0u, 1u, 2u}) {
    sketch.slice("k", kKernel, 60_us + i * 10_us, 1_us << i).correlation(i + 1);
  }
  sketch.slice("c", SliceKind::kMemcpy, 90_us, 8_us).correlation(2);
  sketch.thread(1);
  return sketch;
}

TEST(CrossingPhasesTest, work_launched_where_phases_cross_counts_for_both) {
  const auto phases =
      phases_of(step_with_crossing(SliceKind::kForward, SliceKind::kOptimizer).trace()).phases;
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[0].device.total_ns, 15_us);
  EXPECT_EQ(phases[1].kind, SliceKind::kForward);
  EXPECT_EQ(phases[1].host.total_ns, 10_us);
  EXPECT_EQ(phases[1].kernels.total_ns, 3_us);
  EXPECT_EQ(phases[1].device.total_ns, 11_us);
  EXPECT_EQ(phases[1].device.max_ns, 11_us);
  EXPECT_EQ(phases[2].kind, SliceKind::kOptimizer);
  EXPECT_EQ(phases[2].kernels.total_ns, 6_us);
  EXPECT_EQ(phases[2].device.total_ns, 14_us);
}

TEST(CrossingPhasesTest, where_ranges_of_one_phase_cross_their_work_counts_once) {
  const auto phases =
      phases_of(step_with_crossing(SliceKind::kForward, SliceKind::kForward).trace()).phases;
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[1].host.calls, 2u);
  EXPECT_EQ(phases[1].host.total_ns, 15_us);
  EXPECT_EQ(phases[1].kernels.total_ns, 7_us);
  EXPECT_EQ(phases[1].device.total_ns, 15_us);
  EXPECT_EQ(phases[1].device.max_ns, 14_us);
}

// Two ranges of forward are crossed by the same annotation, which holds the launch inside both.
TEST(CrossingPhasesTest, work_below_a_range_that_crosses_two_of_one_phase_counts_once) {
  Sketch sketch = step_with_crossing(SliceKind::kForward, SliceKind::kForward);
  sketch.slice("annotation", SliceKind::kAnnotation, 5500, 20_us);
  const auto phases = phases_of(sketch.trace()).phases;
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[1].device.total_ns, 15_us);
}

TEST(CrossingPhasesTest, a_range_that_crosses_a_phase_takes_no_work_from_it) {
  const auto phases =
      phases_of(step_with_crossing(SliceKind::kBackward, SliceKind::kAnnotation).trace()).phases;
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[1].kind, SliceKind::kBackward);
  EXPECT_EQ(phases[1].device.total_ns, 11_us);
}

// The optimizer [5,8) is inside forward [0,10), but below the annotation that crosses it.
TEST(CrossingPhasesTest, a_phase_inside_another_one_by_time_does_not_count) {
  Sketch sketch = step_with_crossing(SliceKind::kForward, SliceKind::kAnnotation);
  sketch.slice("sgd", SliceKind::kOptimizer, 5_us, 3_us);
  const auto phases = phases_of(sketch.trace()).phases;
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[1].kind, SliceKind::kForward);
  EXPECT_EQ(phases[1].device.total_ns, 11_us);
}

TEST(CrossingPhasesTest, a_range_that_crosses_an_engine_operator_takes_no_work_from_backward) {
  Sketch sketch;
  sketch.slice("Step#0", SliceKind::kStep, 0_us, 50_us);
  sketch.slice("engine: a", kOp, 0_us, 10_us).flags(kBackwardWork);
  sketch.slice("range", SliceKind::kAnnotation, 5_us, 10_us);
  sketch.slice("launch", kCall, 6_us, 1_us).correlation(1);
  sketch.stream(0, 7).slice("k", kKernel, 60_us, 3_us).correlation(1);
  const auto phases = phases_of(sketch.trace()).phases;
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[1].kind, SliceKind::kBackward);
  EXPECT_EQ(phases[1].kernels.total_ns, 3_us);
}

}  // namespace
}  // namespace strobe::analysis

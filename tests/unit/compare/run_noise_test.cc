#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "strobe/compare/comparison.h"
#include "tests/support/side_sketch.h"

namespace strobe::compare {
namespace {

std::vector<double> six_around(double ms) {
  return {ms, 1.001 * ms, 0.999 * ms, ms, 1.002 * ms, 0.998 * ms};
}

// Cycles of this length, in which the device works for a part of the time. Three operators take
// `call_ms` and more.
SideFacts run_of(double cycle_ms, double busy_ms, double call_ms = 0) {
  SideSketch sketch("run", six_around(cycle_ms));
  if (call_ms > 0) {
    for (const auto& [name, factor] :
         {std::pair("aten::add", 1), {"aten::mm", 2}, {"aten::mul", 3}}) {
      sketch.function(name, six_around(factor * call_ms), FunctionKind::kHostOperator);
      sketch.measure().functions.back().is_operator = true;
    }
  }
  sketch.device("GPU 0").function("gemm", six_around(busy_ms));
  for (std::size_t i = 0; i < 6; ++i) {
    DeviceCycles& gpu = sketch.measure().devices.back();
    gpu.busy_ns[i] = sketch.measure().functions.back().time_ns[i];
  }
  return sketch.side();
}

Comparison compared_runs(const SideFacts& normal, const SideFacts& abnormal,
                         More<SideFacts> more = {}) {
  auto comparison = compare_measures(normal, abnormal, std::move(more), {});
  EXPECT_TRUE(comparison);
  return *std::move(comparison);
}

bool is_covered(const Comparison& comparison) {
  return comparison.noise.covers(comparison.cycles.front());
}

TEST(RunNoiseTest, a_device_that_never_waits_leaves_little_noise) {
  const Comparison comparison = compared_runs(run_of(10, 10), run_of(10.5, 10.5));
  EXPECT_NEAR(comparison.noise.host_share, 0, 1e-9);
  EXPECT_LT(comparison.noise.deviation, 0.02);
  EXPECT_FALSE(is_covered(comparison)) << "5 % are not usual there";
}

TEST(RunNoiseTest, a_device_that_mostly_waits_leaves_much) {
  const Comparison comparison = compared_runs(run_of(10, 1), run_of(11.5, 1));
  EXPECT_GT(comparison.noise.host_share, 0.85);
  EXPECT_GT(comparison.noise.deviation, 0.25);
  EXPECT_TRUE(is_covered(comparison));
}

TEST(RunNoiseTest, a_host_that_does_everything_slower_explains_a_slower_cycle) {
  const Comparison comparison = compared_runs(run_of(10, 1, 1), run_of(14.5, 1, 1.5));
  EXPECT_TRUE(comparison.noise.is_speed_known);
  EXPECT_NEAR(comparison.noise.host_speed, 1.5, 0.01);
  EXPECT_TRUE(is_covered(comparison));
}

TEST(RunNoiseTest, a_host_of_the_same_speed_does_not) {
  const Comparison comparison = compared_runs(run_of(10, 1, 1), run_of(14.5, 1, 1));
  EXPECT_NEAR(comparison.noise.host_speed, 1, 0.01);
  EXPECT_FALSE(is_covered(comparison)) << "something was added to the cycle";
}

TEST(RunNoiseTest, a_host_far_from_the_usual_speeds_is_not_noise) {
  EXPECT_FALSE(is_covered(compared_runs(run_of(10, 1, 1), run_of(38, 1, 4))));
}

TEST(RunNoiseTest, more_work_of_the_device_is_not_noise_of_the_host) {
  const Comparison comparison = compared_runs(run_of(10, 3), run_of(11.5, 4.5));
  EXPECT_NEAR(comparison.noise.device_change, 0.14, 0.01);
  EXPECT_FALSE(is_covered(comparison));
}

// 12 % are usual between two runs of such a host, and not between three equal ones and three more.
TEST(RunNoiseTest, equal_runs_on_both_sides_make_a_small_change_certain) {
  const SideFacts normal = run_of(10, 1, 1);
  const SideFacts abnormal = run_of(11.2, 1, 1);
  const Comparison one = compared_runs(normal, abnormal);
  EXPECT_FALSE(one.cycles.front().run_shift);
  EXPECT_TRUE(is_covered(one));
  const Comparison three = compared_runs(
      normal, abnormal, {.normal = {normal, normal}, .abnormal = {abnormal, abnormal}});
  const CycleRow& row = three.cycles.front();
  ASSERT_TRUE(row.run_shift);
  EXPECT_EQ(row.run_ms_normal.size(), 3u);
  EXPECT_EQ(row.run_ms_abnormal.size(), 3u);
  EXPECT_NEAR(row.run_shift->shift, 1.2, 0.01);
  EXPECT_GT(row.run_shift->low, 0);
  EXPECT_TRUE(row.is_slower());
  EXPECT_LT(row.between_runs_p, 0.05);
  EXPECT_EQ(three.abnormal.runs, 3u);
}

// Cycles of each run agree to a permille, and the runs of one side differ by 40 %.
TEST(RunNoiseTest, runs_that_differ_among_themselves_make_no_change_certain) {
  const Comparison comparison = compared_runs(
      run_of(10, 10), run_of(13, 13),
      {.normal = {run_of(14, 14), run_of(12, 12)}, .abnormal = {run_of(11, 11), run_of(15, 15)}});
  const CycleRow& row = comparison.cycles.front();
  EXPECT_FALSE(row.is_changed());
  EXPECT_GE(row.between_runs_p, 0.05);
  EXPECT_LT(row.shown().low, 0);
  EXPECT_GT(row.shown().high, 0);
}

// The device takes 1 ms more in every run, and the host of one run is slow.
TEST(RunNoiseTest, what_the_device_adds_is_certain_though_the_host_adds_more_or_less) {
  const Comparison comparison =
      compared_runs(run_of(10, 3, 1), run_of(11, 4, 1),
                    {.normal = {run_of(10.2, 3, 1)}, .abnormal = {run_of(14, 4, 1)}});
  const CycleRow& row = comparison.cycles.front();
  EXPECT_TRUE(row.is_slower());
  EXPECT_FALSE(comparison.noise.covers(row));
  EXPECT_GT(row.run_shift->low, 0);
  EXPECT_LT(row.run_shift->low, 1.1) << "the host's part may be noise";
  EXPECT_GT(row.run_shift->high, 2.3);
}

TEST(RunNoiseTest, both_directions_are_alike) {
  for (const double calls : {1.0, 1.3}) {
    const Comparison slower = compared_runs(run_of(10, 2, 1), run_of(13, 2, calls));
    const Comparison faster = compared_runs(run_of(13, 2, calls), run_of(10, 2, 1));
    EXPECT_EQ(is_covered(slower), is_covered(faster)) << calls;
    EXPECT_NEAR(slower.noise.device_change, -faster.noise.device_change, 1e-3);
    EXPECT_NEAR(slower.noise.deviation, faster.noise.deviation, 1e-9);
  }
}

// Two runs of the slow machine, one of them with the change: its speed is not the change.
TEST(RunNoiseTest, the_speed_of_each_runs_host_is_taken_out) {
  const Comparison comparison =
      compared_runs(run_of(10, 1, 1), run_of(10.1, 1, 1),
                    {.normal = {run_of(14.5, 1, 1.5)}, .abnormal = {run_of(14.6, 1, 1.5)}});
  EXPECT_LT(comparison.noise.rest_deviation, 0.1);
  EXPECT_GT(comparison.noise.deviation, 0.2);
  EXPECT_FALSE(comparison.cycles.front().is_changed());
}

}  // namespace
}  // namespace strobe::compare

#include <gtest/gtest.h>

#include "strobe/compare/comparison_parts.h"
#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

RunNoise noise_of(const CauseSketch& sketch) { return noise_between(sketch.comparison()); }

const Change& cycle_of(const CauseSketch& sketch) { return sketch.comparison().cycles.front().ms; }

TEST(RunNoiseTest, a_device_that_never_waits_leaves_little_noise) {
  const CauseSketch sketch = CauseSketch(10, 10.5).device("GPU 0", 10, 10.5);
  const RunNoise noise = noise_of(sketch);
  EXPECT_NEAR(noise.host_share, 0, 1e-9);
  EXPECT_LT(noise.deviation, 0.02);
  EXPECT_FALSE(noise.covers(cycle_of(sketch))) << "5 % are not usual there";
}

TEST(RunNoiseTest, a_device_that_mostly_waits_leaves_much) {
  const CauseSketch sketch = CauseSketch(10, 11.5).device("GPU 0", 1, 1);
  const RunNoise noise = noise_of(sketch);
  EXPECT_GT(noise.host_share, 0.85);
  EXPECT_GT(noise.deviation, 0.25);
  EXPECT_TRUE(noise.covers(cycle_of(sketch)));
}

CauseSketch with_calls(double abnormal_cycle_ms, double call_factor) {
  CauseSketch sketch = CauseSketch(10, abnormal_cycle_ms)
                           .device("GPU 0", 1, 1)
                           .op("aten::mm", 2, 2 * call_factor)
                           .op("aten::add", 1, call_factor)
                           .op("aten::mul", 3, 3 * call_factor);
  for (FunctionRow& row : sketch.edit().functions) row.is_operator = true;
  return sketch;
}

TEST(RunNoiseTest, a_host_that_does_everything_slower_explains_a_slower_cycle) {
  const CauseSketch sketch = with_calls(14.5, 1.5);
  const RunNoise noise = noise_of(sketch);
  EXPECT_TRUE(noise.is_speed_known);
  EXPECT_NEAR(noise.host_speed, 1.5, 0.01);
  EXPECT_TRUE(noise.covers(cycle_of(sketch)));
}

TEST(RunNoiseTest, a_host_of_the_same_speed_does_not) {
  const CauseSketch sketch = with_calls(14.5, 1);
  EXPECT_NEAR(noise_of(sketch).host_speed, 1, 0.01);
  EXPECT_FALSE(noise_of(sketch).covers(cycle_of(sketch))) << "something was added to the cycle";
}

TEST(RunNoiseTest, a_host_far_from_the_usual_speeds_is_not_noise) {
  const CauseSketch sketch = with_calls(38, 4);
  EXPECT_FALSE(noise_of(sketch).covers(cycle_of(sketch)));
}

TEST(RunNoiseTest, more_work_of_the_device_is_not_noise_of_the_host) {
  const CauseSketch sketch = CauseSketch(10, 11.5).device("GPU 0", 3, 4.5);
  EXPECT_NEAR(noise_of(sketch).device_change, 0.15, 0.01);
  EXPECT_FALSE(noise_of(sketch).covers(cycle_of(sketch)));
}

}  // namespace
}  // namespace strobe::compare

#include "strobe/bench/judge/time_step.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/stats/dice.h"

namespace strobe::bench {
namespace {

// Times as single precision keeps them, of a clock that ticks every 32 ns.
std::vector<double> ticking(double from_us, int ticks, std::size_t n) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < n; ++i) {
    const auto tick = static_cast<double>(i % static_cast<std::size_t>(ticks));
    samples.push_back(static_cast<float>(from_us + 0.032 * tick));
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

TEST(TimeStep, a_ticking_clock_shows_its_step) {
  EXPECT_NEAR(time_step(ticking(2.56, 4, 100)), 0.032, 1e-5);
}

TEST(TimeStep, continuous_times_have_none) {
  stats::Dice dice(1);
  std::vector<double> samples;
  for (int i = 0; i < 500; ++i) samples.push_back(2.5 + 0.1 * dice.share());
  std::sort(samples.begin(), samples.end());
  EXPECT_EQ(time_step(samples), 0);
}

TEST(TimeStep, a_step_that_is_nothing_beside_the_time_is_none) {
  EXPECT_EQ(time_step(ticking(100, 4, 100)), 0);
}

TEST(TimeStep, two_modes_and_a_constant_are_no_steps) {
  std::vector<double> modes(50, 100.0);
  modes.insert(modes.end(), 50, 104.0);
  EXPECT_EQ(time_step(modes), 0);
  EXPECT_EQ(time_step(std::vector<double>(100, 3)), 0);
}

TEST(TimeStep, gaps_that_share_no_step_are_none) {
  std::vector<double> samples;
  for (int i = 0; i < 30; ++i) samples.insert(samples.end(), {2.0, 2.03, 2.047});
  std::sort(samples.begin(), samples.end());
  EXPECT_EQ(time_step(samples), 0);
}

TEST(TimeStep, few_samples_tell_no_step) {
  EXPECT_EQ(time_step(ticking(2.56, 3, 19)), 0);
  EXPECT_EQ(time_step({}), 0);
}

}  // namespace
}  // namespace strobe::bench

#include "strobe/compare/host_speed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/side_sketch.h"

namespace strobe::compare {
namespace {

constexpr analysis::CycleType kType = analysis::CycleType::kStep;

// Operators that take so many milliseconds in each of five cycles.
SideFacts with_operators(const std::vector<double>& call_ms) {
  SideSketch sketch("run", std::vector<double>(5, 100));
  for (std::size_t i = 0; i < call_ms.size(); ++i) {
    sketch.function("aten::op" + std::to_string(i), std::vector<double>(5, call_ms[i]),
                    FunctionKind::kHostOperator);
    sketch.measure().functions.back().is_operator = true;
  }
  return sketch.side();
}

std::optional<SideValues> speeds_between(const SideFacts& normal, const SideFacts& abnormal) {
  return log_host_speeds(pair_ranks(normal, abnormal, {}), kType);
}

TEST(HostSpeedTest, is_what_most_functions_have_in_common) {
  const auto speeds = speeds_between(with_operators({1, 2, 3}), with_operators({1.5, 3, 30}));
  ASSERT_TRUE(speeds);
  EXPECT_NEAR(speeds->normal.at(0), 0, 1e-12);
  EXPECT_NEAR(std::exp(speeds->abnormal.at(0)), 1.5, 1e-9);
}

TEST(HostSpeedTest, a_cycle_in_which_the_host_lost_its_core_says_nothing) {
  SideFacts abnormal = with_operators({1, 2, 3});
  for (FunctionCycles& function : abnormal.ranks[0].functions) function.time_ns[2] *= 50;
  EXPECT_NEAR(speeds_between(with_operators({1, 2, 3}), abnormal)->difference(), 0, 1e-12);
}

TEST(HostSpeedTest, one_function_cannot_tell_it) {
  EXPECT_FALSE(speeds_between(with_operators({1}), with_operators({2})));
}

TEST(HostSpeedTest, functions_that_are_called_more_often_have_no_vote) {
  SideFacts abnormal = with_operators({1, 2, 6});
  abnormal.ranks[0].functions[2].calls.assign(5, 2);
  EXPECT_NEAR(speeds_between(with_operators({1, 2, 3}), abnormal)->difference(), 0, 1e-12);
}

TEST(HostSpeedTest, each_run_has_its_own) {
  const SideFacts first = with_operators({1, 2, 3});
  const SideFacts other = with_operators({1, 2, 3});
  const More<SideFacts> more = {.normal = {with_operators({2, 4, 6})}, .abnormal = {}};
  const auto speeds = log_host_speeds(pair_ranks(first, other, more), kType);
  ASSERT_TRUE(speeds);
  EXPECT_NEAR(std::exp(speeds->normal.at(1)), 2, 1e-9);
  EXPECT_NEAR(speeds->difference(), -std::log(2) / 2, 1e-9);
}

}  // namespace
}  // namespace strobe::compare

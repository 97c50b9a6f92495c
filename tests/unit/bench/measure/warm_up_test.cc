#include "strobe/bench/measure/warm_up.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/scripted_sampler.h"

namespace strobe::bench {
namespace {

ScriptedSampler constant(double us) {
  return ScriptedSampler([us](const Call&) { return us; });
}

TEST(WarmUp, long_calls_need_five_of_them) {
  ScriptedSampler sampler = constant(50'000);
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->calls, 5);
}

TEST(WarmUp, middling_calls_need_twenty_milliseconds) {
  ScriptedSampler sampler = constant(1000);
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->calls, 20);
}

TEST(WarmUp, tiny_calls_end_by_their_number) {
  ScriptedSampler sampler = constant(3);
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->calls, 400);
}

TEST(WarmUp, a_clock_that_still_rises_is_waited_for) {
  // 20 ms would be 20 calls; the clock rises by 50 MHz a call until 1980, reached at call 20, and
  // two readings, five calls apart, agree after 30.
  ScriptedSampler sampler = constant(1000);
  sampler.clocked(
      [](const Call& call) { return std::min(1980.0, 980 + 50.0 * double(call.index)); });
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->calls, 30);
  EXPECT_TRUE(done->is_steady);
}

TEST(WarmUp, a_clock_that_never_stands_still_is_not_waited_for_for_ever) {
  ScriptedSampler sampler = constant(10'000);
  sampler.clocked([](const Call& call) { return call.index / 5 % 2 ? 1980.0 : 1700.0; });
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->spent_ms, 500);
  EXPECT_FALSE(done->is_steady);
}

TEST(WarmUp, asks_for_calls_that_hold_nothing) {
  ScriptedSampler sampler = constant(1000);
  ASSERT_TRUE(warm_up(sampler, TimeMode::kDevice, {}));
  ASSERT_FALSE(sampler.requests.empty());
  for (const SampleRequest& request : sampler.requests) EXPECT_FALSE(request.hold);
}

TEST(WarmUp, an_error_is_handed_on) {
  ScriptedSampler sampler = constant(1000);
  sampler.failing_at(7,
                     {.code = ErrorCode::kMachineLacks, .what = "gone", .where = "", .hint = ""});
  const auto done = warm_up(sampler, TimeMode::kDevice, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().what, "gone");
}

TEST(WarmUp, answers_without_samples_and_times_of_nothing_end_it) {
  ScriptedSampler silent = constant(1000);
  silent.silent_from(0);
  EXPECT_TRUE(warm_up(silent, TimeMode::kDevice, {}));
  ScriptedSampler nothing = constant(std::nan(""));
  const auto done = warm_up(nothing, TimeMode::kDevice, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->calls, 400);
}

}  // namespace
}  // namespace strobe::bench

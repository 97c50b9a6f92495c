#include "strobe/bench/measure/sustained.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_sampler.h"

namespace strobe::bench {
namespace {

// Two milliseconds for the first 50 ms, then 5 % more: the power limit.
double power_limited(const Call& call) { return call.now_ms < 50 ? 2000 : 2100; }

TEST(Sustained, a_power_limit_shows_between_the_first_and_the_last_calls) {
  ScriptedSampler sampler(power_limited);
  const auto times = measure_sustained(sampler, TimeMode::kDevice);
  ASSERT_TRUE(times);
  ASSERT_TRUE(times->has_value());
  EXPECT_EQ((*times)->burst_us, 2000);
  EXPECT_EQ((*times)->sustained_us, 2100);
}

TEST(Sustained, a_steady_call_is_as_fast_at_the_end) {
  ScriptedSampler sampler([](const Call&) { return 1500; });
  const auto times = measure_sustained(sampler, TimeMode::kDevice);
  ASSERT_TRUE(times && times->has_value());
  EXPECT_EQ((*times)->burst_us, (*times)->sustained_us);
  EXPECT_LE(sampler.calls, 224u);  // 300 ms, then no more is asked for
}

TEST(Sustained, what_still_moves_is_watched_until_the_time_is_up) {
  ScriptedSampler sampler([](const Call& call) { return 2000 + 4 * call.now_ms; });
  const auto times = measure_sustained(sampler, TimeMode::kDevice);
  ASSERT_TRUE(times && times->has_value());
  EXPECT_GT((*times)->sustained_us, 1.5 * (*times)->burst_us);
}

// A cell may cost more than it measures: its caches are emptied, its queue is held.
TEST(Sustained, the_time_that_is_up_is_the_time_spent) {
  ScriptedSampler sampler([](const Call& call) { return 2000 + 4 * call.now_ms; });
  sampler.costing(5);
  ASSERT_TRUE(measure_sustained(sampler, TimeMode::kDevice));
  EXPECT_LE(sampler.calls, 112u);  // 10 ms each, in whole blocks
}

TEST(Sustained, short_calls_have_neither) {
  ScriptedSampler sampler([](const Call&) { return 900; });
  const auto times = measure_sustained(sampler, TimeMode::kDevice);
  ASSERT_TRUE(times);
  EXPECT_FALSE(times->has_value());
  EXPECT_EQ(sampler.calls, 16u);  // one look is enough
}

TEST(Sustained, few_calls_cannot_speak_for_both) {
  EXPECT_FALSE(burst_and_sustained(std::vector<double>(7, 50'000)));
  EXPECT_FALSE(burst_and_sustained(std::vector<double>(20, 2000)));  // 40 ms
  EXPECT_TRUE(burst_and_sustained(std::vector<double>(8, 50'000)));
}

TEST(Sustained, an_error_is_handed_on) {
  ScriptedSampler sampler(power_limited);
  sampler.failing_at(20,
                     {.code = ErrorCode::kMalformed, .what = "fell over", .where = "", .hint = ""});
  EXPECT_FALSE(measure_sustained(sampler, TimeMode::kDevice));
}

}  // namespace
}  // namespace strobe::bench

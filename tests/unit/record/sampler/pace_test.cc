#include "strobe/record/sampler/pace.h"

#include <gtest/gtest.h>

namespace strobe::record {
namespace {

constexpr std::int64_t kPaceMs_ns = 1'000'000;
constexpr Rhythm kTwentyPerSecond = {.period_ns = 50 * kPaceMs_ns, .most_share = 0.01};

TEST(Pace, is_due_at_multiples_of_its_period_counted_from_the_start) {
  Pace pace(kTwentyPerSecond, 1000 * kPaceMs_ns);
  EXPECT_FALSE(pace.is_due(990 * kPaceMs_ns));
  EXPECT_TRUE(pace.is_due(1000 * kPaceMs_ns));
  pace.was_done(1003 * kPaceMs_ns, 0);  // a little late
  EXPECT_EQ(pace.next_ns(), 1050 * kPaceMs_ns);
  pace.was_done(1048 * kPaceMs_ns, 0);  // a little early
  EXPECT_EQ(pace.next_ns(), 1100 * kPaceMs_ns);
  EXPECT_FALSE(pace.is_due(1090 * kPaceMs_ns));
}

TEST(Pace, what_was_missed_is_not_caught_up) {
  Pace pace(kTwentyPerSecond, 1000 * kPaceMs_ns);
  pace.was_done(1320 * kPaceMs_ns, 0);
  EXPECT_EQ(pace.next_ns(), 1350 * kPaceMs_ns);
}

TEST(Pace, without_a_start_its_first_time_is_the_start) {
  Pace pace(kTwentyPerSecond);
  EXPECT_TRUE(pace.is_due(0));
  EXPECT_TRUE(pace.is_due(1007 * kPaceMs_ns));
  pace.was_done(1007 * kPaceMs_ns, 0);
  EXPECT_EQ(pace.next_ns(), 1057 * kPaceMs_ns);
  pace.was_done(1090 * kPaceMs_ns, 0);
  EXPECT_EQ(pace.next_ns(), 1107 * kPaceMs_ns);
}

TEST(Pace, keeps_its_rate_while_it_is_cheap) {
  Pace pace(kTwentyPerSecond);
  std::int64_t now_ns = 1000 * kPaceMs_ns;
  int times = 0;
  // A timer that is a little early each second time.
  for (int i = 0; i < 20; ++i, now_ns += (50 + (i % 2 == 0 ? -2 : 2)) * kPaceMs_ns) {
    if (!pace.is_due(now_ns)) continue;
    ++times;
    pace.was_done(now_ns, kPaceMs_ns / 10);
  }
  EXPECT_EQ(times, 20);
  EXPECT_EQ(pace.period_ns(), pace.wanted_ns());
}

// If each period began with the time before, it would be done every 300 ms.
TEST(Pace, keeps_its_rate_although_the_timer_is_late) {
  Pace pace({.period_ns = 250 * kPaceMs_ns});
  int times = 0;
  for (int tick = 0; tick < 500; ++tick) {
    const std::int64_t now_ns = (50 * tick + (tick % 3 == 0 ? 8 : 0)) * kPaceMs_ns;
    if (!pace.is_due(now_ns)) continue;
    ++times;
    pace.was_done(now_ns, 0);
  }
  EXPECT_GE(times, 99);
}

TEST(Pace, never_takes_more_than_its_share) {
  Pace pace(kTwentyPerSecond);
  std::int64_t cost_ns = 0;
  for (std::int64_t now_ns = 0; now_ns < 60'000 * kPaceMs_ns; now_ns += 50 * kPaceMs_ns) {
    if (!pace.is_due(now_ns)) continue;
    cost_ns += 5 * kPaceMs_ns;
    pace.was_done(now_ns, 5 * kPaceMs_ns);
  }
  EXPECT_LE(cost_ns, 630 * kPaceMs_ns);  // 1 % of a minute, and the first seconds
  EXPECT_GE(cost_ns, 500 * kPaceMs_ns);
  EXPECT_NEAR(static_cast<double>(pace.period_ns()), 500e6, 1e6);
}

TEST(Pace, recovers_from_a_single_slow_time) {
  Pace pace(kTwentyPerSecond);
  std::int64_t now_ns = 0;
  pace.was_done(now_ns, 4 * kPaceMs_ns);
  EXPECT_EQ(pace.period_ns(), 100 * kPaceMs_ns);
  EXPECT_FALSE(pace.is_due(94 * kPaceMs_ns));
  EXPECT_TRUE(pace.is_due(95 * kPaceMs_ns));
  for (int i = 0; i < 10; ++i) pace.was_done(now_ns += 100 * kPaceMs_ns, 0);
  EXPECT_EQ(pace.period_ns(), pace.wanted_ns());
  EXPECT_EQ(pace.next_ns(), now_ns + 50 * kPaceMs_ns);
}

TEST(Pace, can_be_hurried) {
  Pace pace(kTwentyPerSecond);
  pace.was_done(1000 * kPaceMs_ns, 0);
  EXPECT_FALSE(pace.is_due(1001 * kPaceMs_ns));
  pace.hurry();
  EXPECT_TRUE(pace.is_due(1001 * kPaceMs_ns));
}

}  // namespace
}  // namespace strobe::record

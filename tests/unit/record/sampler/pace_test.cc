#include "strobe/record/sampler/pace.h"

#include <gtest/gtest.h>

namespace strobe::record {
namespace {

constexpr std::int64_t kPaceMs_ns = 1'000'000;

TEST(Pace, keeps_its_rate_while_it_is_cheap) {
  Pace pace(50 * kPaceMs_ns, 0.01);
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

TEST(Pace, never_takes_more_than_its_share) {
  Pace pace(50 * kPaceMs_ns, 0.01);
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
  Pace pace(50 * kPaceMs_ns, 0.01);
  std::int64_t now_ns = 0;
  pace.was_done(now_ns, 4 * kPaceMs_ns);
  EXPECT_EQ(pace.period_ns(), 100 * kPaceMs_ns);
  EXPECT_FALSE(pace.is_due(94 * kPaceMs_ns));
  EXPECT_TRUE(pace.is_due(95 * kPaceMs_ns));
  for (int i = 0; i < 10; ++i) pace.was_done(now_ns += 100 * kPaceMs_ns, 0);
  EXPECT_EQ(pace.period_ns(), pace.wanted_ns());
}

TEST(Pace, can_be_hurried) {
  Pace pace(50 * kPaceMs_ns, 0.01);
  pace.was_done(1000 * kPaceMs_ns, 0);
  EXPECT_FALSE(pace.is_due(1001 * kPaceMs_ns));
  pace.hurry();
  EXPECT_TRUE(pace.is_due(1001 * kPaceMs_ns));
}

}  // namespace
}  // namespace strobe::record

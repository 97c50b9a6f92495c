#include "strobe/bench/measure/throttle.h"

#include <limits>

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

ClockedSamples stream(std::size_t usual, std::size_t low) {
  ClockedSamples all;
  for (std::size_t i = 0; i < usual + low; ++i) {
    all.samples_us.push_back(i < usual ? 100 : 130);
    all.sm_mhz.push_back(i < usual ? 1980 : 1500);
  }
  return all;
}

TEST(Throttle, a_slow_clock_sets_its_samples_aside) {
  const KeptSamples kept = set_throttled_aside(stream(90, 10), 1980, 0.9, 0.25);
  EXPECT_EQ(kept.samples_us, std::vector<double>(90, 100));
  EXPECT_EQ(kept.set_aside, 10u);
  EXPECT_FALSE(kept.is_throttled);
}

TEST(Throttle, a_quarter_is_the_most_that_may_be_set_aside) {
  EXPECT_EQ(set_throttled_aside(stream(75, 25), 1980, 0.9, 0.25).set_aside, 25u);
  const KeptSamples more = set_throttled_aside(stream(74, 26), 1980, 0.9, 0.25);
  EXPECT_EQ(more.samples_us.size(), 100u);
  EXPECT_EQ(more.set_aside, 0u);
  EXPECT_TRUE(more.is_throttled);
}

TEST(Throttle, a_cell_that_ran_slowly_throughout_is_kept_and_flagged_never_empty) {
  const KeptSamples kept = set_throttled_aside(stream(0, 40), 1980, 0.9, 0.25);
  EXPECT_EQ(kept.samples_us.size(), 40u);
  EXPECT_TRUE(kept.is_throttled);
}

TEST(Throttle, exactly_nine_tenths_of_the_clock_is_not_below_it) {
  ClockedSamples all = stream(9, 1);
  all.sm_mhz.back() = 0.9 * 1980;
  EXPECT_EQ(set_throttled_aside(all, 1980, 0.9, 0.25).set_aside, 0u);
}

TEST(Throttle, without_clocks_nothing_is_known_and_all_is_kept) {
  ClockedSamples all = stream(5, 5);
  EXPECT_EQ(set_throttled_aside(all, 0, 0.9, 0.25).samples_us.size(), 10u);
  all.sm_mhz.assign(10, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(set_throttled_aside(all, 1980, 0.9, 0.25).set_aside, 0u);
  all.sm_mhz.resize(3);
  EXPECT_EQ(set_throttled_aside(all, 1980, 0.9, 0.25).set_aside, 0u);
}

TEST(Throttle, the_usual_clock_is_the_median_of_all_contenders) {
  const std::vector<ClockedSamples> contenders = {stream(30, 0), stream(0, 10)};
  EXPECT_EQ(usual_clock(contenders), 1980);
  EXPECT_EQ(usual_clock({}), 0);
}

}  // namespace
}  // namespace strobe::bench

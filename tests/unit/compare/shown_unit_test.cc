#include "strobe/compare/shown_unit.h"

#include <gtest/gtest.h>

namespace strobe::compare {
namespace {

TEST(ShownUnitTest, milliseconds_in_a_second_are_a_share_of_the_time) {
  const ShownUnit shown = shown_unit(device::metric_info("schedstat_runq_ns", "Host"));
  EXPECT_EQ(shown.unit, "%");
  EXPECT_NEAR(shown.scale * 668, 66.8, 1e-9);
}

TEST(ShownUnitTest, a_rate_is_told_in_words) {
  const ShownUnit shown = shown_unit(device::metric_info("page_faults", "Host"));
  EXPECT_EQ(shown.unit, "per s");
  EXPECT_EQ(shown.scale, 1);
}

TEST(ShownUnitTest, other_units_stay) {
  const ShownUnit shown = shown_unit(device::metric_info("gpu_sm_frequency", "GPU 0"));
  EXPECT_EQ(shown.unit, "MHz");
  EXPECT_EQ(shown.scale, 1);
}

}  // namespace
}  // namespace strobe::compare

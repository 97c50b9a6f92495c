#include "strobe/device/power_limits.h"

#include <gtest/gtest.h>

namespace strobe::device {
namespace {

TEST(PowerLimitsTest, the_more_special_name_wins) {
  EXPECT_EQ(power_limits("NVIDIA H200")->board_w, 700);
  EXPECT_EQ(power_limits("NVIDIA H20")->board_w, 500);
  EXPECT_EQ(power_limits("NVIDIA A100-SXM4-80GB")->board_w, 400);
  EXPECT_EQ(power_limits("NVIDIA A100-PCIE-40GB")->board_w, 250);
  EXPECT_EQ(power_limits("NVIDIA L40S")->board_w, 350);
}

TEST(PowerLimitsTest, an_unknown_chip_has_no_limits) { EXPECT_FALSE(power_limits("Orbit 9")); }

}  // namespace
}  // namespace strobe::device

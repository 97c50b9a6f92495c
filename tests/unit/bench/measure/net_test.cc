#include "strobe/bench/measure/net.h"

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

TimeSummary gross() {
  return {.p50 = 4,
          .p20 = 3.5,
          .p80 = 5,
          .min = 1,
          .mad = 0.5,
          .n = 3,
          .ci95 = {3, 5},
          .samples_us = {1, 4, 5}};
}

Floors pair_of(double us) {
  Floors floors;
  floors.event_pair = us;
  return floors;
}

TEST(Net, the_event_pair_is_taken_off_every_time_and_no_spread) {
  const auto net = net_of(gross(), TimeMode::kDevice, pair_of(1.5));
  ASSERT_TRUE(net);
  EXPECT_EQ(net->p50, 2.5);
  EXPECT_EQ(net->ci95, (std::array<double, 2>{1.5, 3.5}));
  EXPECT_EQ(net->mad, 0.5);
  EXPECT_EQ(net->min, 0);  // below the floor
  EXPECT_EQ(net->samples_us, (std::vector<float>{0, 2.5, 3.5}));
}

TEST(Net, a_time_without_events_or_a_floor_nobody_measured_has_no_net) {
  EXPECT_FALSE(net_of(gross(), TimeMode::kGraph, pair_of(1.5)));
  EXPECT_FALSE(net_of(gross(), TimeMode::kDevice, Floors{}));
}

}  // namespace
}  // namespace strobe::bench

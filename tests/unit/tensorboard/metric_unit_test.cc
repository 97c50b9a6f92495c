#include "strobe/tensorboard/metric_unit.h"

#include <gtest/gtest.h>

namespace strobe::tensorboard {
namespace {

TEST(MetricUnitTest, memory_units_are_powers_of_1024_and_may_be_shortened) {
  EXPECT_EQ(memory_unit("KB")->factor, 1.0 / 1024);
  EXPECT_EQ(memory_unit("M")->name, "MB");
  EXPECT_EQ(memory_unit("G")->factor, 1.0 / (1024.0 * 1024 * 1024));
  EXPECT_EQ(memory_unit("")->name, "B");
  EXPECT_FALSE(memory_unit("kb"));
}

TEST(MetricUnitTest, times_are_microseconds_in_the_file) {
  EXPECT_EQ(time_unit("us")->factor, 1.0);
  EXPECT_EQ(time_unit("ms")->factor, 0.001);
  EXPECT_EQ(time_unit("s")->factor, 1e-6);
  EXPECT_FALSE(time_unit("ns"));
}

}  // namespace
}  // namespace strobe::tensorboard

#include <gtest/gtest.h>

#include "strobe/compare/comparison_parts.h"
#include "tests/support/side_sketch.h"

namespace strobe::compare {
namespace {

CycleRow cycle_row(const std::vector<double>& normal_ms, const std::vector<double>& abnormal_ms) {
  const SideFacts normal = SideSketch("normal", normal_ms).side();
  const SideFacts abnormal = SideSketch("abnormal", abnormal_ms).side();
  return compare_cycles(pair_ranks(normal, abnormal, {}), false).front();
}

// The abnormal cycles drift so much that five of them allow no corrected interval of 95 %.
TEST(CycleRowsTest, a_change_of_the_cycle_time_always_has_an_interval) {
  const CycleRow row = cycle_row({10, 10.01, 10.02, 10.03, 10.04}, {150, 151, 152, 153, 154});
  EXPECT_LT(row.ms.independent, 1);
  EXPECT_TRUE(row.is_slower());
  EXPECT_NEAR(row.ms.shift.low, 150 - 10.04, 1e-9);
  EXPECT_NEAR(row.ms.shift.high, 154 - 10, 1e-9);
}

TEST(CycleRowsTest, a_change_has_a_direction) {
  const CycleRow faster = cycle_row({20, 21, 20, 19, 20, 21}, {10, 11, 10, 9, 10, 11});
  EXPECT_TRUE(faster.is_faster());
  EXPECT_FALSE(faster.is_slower());
  const CycleRow same = cycle_row({20, 21, 20, 19, 20, 21}, {20, 21, 20, 19, 20, 21});
  EXPECT_FALSE(same.is_changed());
}

TEST(CycleRowsTest, a_change_of_less_than_two_percent_is_none) {
  EXPECT_FALSE(
      cycle_row({100, 100.1, 99.9, 100, 100.05, 99.95}, {101, 101.1, 100.9, 101, 101.05, 100.95})
          .is_changed());
}

TEST(CycleRowsTest, three_cycles_show_no_change_whatever_they_are) {
  const CycleRow row = cycle_row({5, 5, 5}, {21, 21, 21});
  EXPECT_TRUE(row.ms.too_few);
  EXPECT_FALSE(row.is_changed());
}

TEST(CycleRowsTest, normal_runs_that_differ_as_much_are_no_change) {
  CycleRow row = cycle_row({10, 10.1, 9.9, 10, 10.05, 9.95}, {20, 20.1, 19.9, 20, 20.05, 19.95});
  EXPECT_TRUE(row.is_slower());
  row.between_runs_p = 0.2;
  EXPECT_FALSE(row.is_changed());
}

}  // namespace
}  // namespace strobe::compare

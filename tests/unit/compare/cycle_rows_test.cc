#include <gtest/gtest.h>

#include <cmath>

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
TEST(CycleRowsTest, without_an_interval_all_differences_tell_whether_the_cycle_time_changed) {
  const CycleRow row = cycle_row({10, 10.01, 10.02, 10.03, 10.04}, {150, 151, 152, 153, 154});
  EXPECT_LT(row.ms.independent, 1);
  EXPECT_FALSE(std::isfinite(row.ms.shift.low)) << "the span of all differences is no interval";
  EXPECT_FALSE(std::isfinite(row.ms.shift.high));
  ASSERT_TRUE(row.all_differences);
  EXPECT_NEAR(row.all_differences->least_ms, 150 - 10.04, 1e-9);
  EXPECT_NEAR(row.all_differences->largest_ms, 154 - 10, 1e-9);
  EXPECT_TRUE(row.is_slower());
  CycleRow both_ways = row;
  both_ways.all_differences->least_ms = -1;
  EXPECT_FALSE(both_ways.is_changed());
}

TEST(CycleRowsTest, an_interval_needs_no_span_of_differences) {
  const CycleRow row = cycle_row({20, 21, 20, 19, 20, 21}, {10, 11, 10, 9, 10, 11});
  EXPECT_TRUE(std::isfinite(row.ms.shift.low));
  EXPECT_FALSE(row.all_differences);
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

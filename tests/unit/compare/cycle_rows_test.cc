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

// The abnormal cycles drift so much that five of them allow no corrected interval of the shift.
TEST(CycleRowsTest, where_the_shift_has_no_interval_the_means_are_shown) {
  const CycleRow row = cycle_row({10, 10.01, 10.02, 10.03, 10.04}, {150, 151, 152, 153, 154});
  EXPECT_LT(row.ms.independent, 1);
  EXPECT_FALSE(std::isfinite(row.ms.shift.low));
  EXPECT_FALSE(std::isfinite(row.ms.shift.high));
  EXPECT_TRUE(row.shows_means());
  EXPECT_NEAR(row.shown().shift, 152 - 10.02, 1e-9);
  EXPECT_GT(row.shown().low, 130);
  EXPECT_LT(row.shown().high, 155);
  EXPECT_TRUE(row.is_slower());
}

TEST(CycleRowsTest, the_shift_is_shown_where_it_tells_the_same_as_the_means) {
  const CycleRow row = cycle_row({20, 21, 20, 19, 20, 21}, {10, 11, 10, 9, 10, 11});
  EXPECT_TRUE(std::isfinite(row.ms.shift.low));
  EXPECT_FALSE(row.shows_means());
  EXPECT_EQ(row.shown().shift, row.ms.shift.shift);
}

// A core that is lost in every fourth cycle: most cycles are as before, and the run is slower.
TEST(CycleRowsTest, what_strikes_some_cycles_makes_the_run_slower) {
  std::vector<double> normal;
  std::vector<double> abnormal;
  for (int i = 0; i < 200; ++i) {
    normal.push_back(10 + 0.01 * (i % 7));
    abnormal.push_back((i % 4 == 0 ? 22 : 10) + 0.01 * (i % 5));
  }
  const CycleRow row = cycle_row(normal, abnormal);
  EXPECT_LT(std::abs(row.ms.shift.shift), 0.02 * 10);
  EXPECT_TRUE(row.is_slower());
  EXPECT_TRUE(row.shows_means());
  EXPECT_NEAR(row.shown().shift, 3, 0.1);
}

TEST(CycleRowsTest, one_wild_cycle_makes_no_run_slower) {
  std::vector<double> normal;
  for (int i = 0; i < 200; ++i) normal.push_back(10 + 0.01 * (i % 7));
  std::vector<double> abnormal = normal;
  abnormal[77] = 5000;
  const CycleRow row = cycle_row(normal, abnormal);
  EXPECT_FALSE(row.is_changed());
  EXPECT_FALSE(row.differs_much());
}

// The cycles of one run differ by more than the two runs.
TEST(CycleRowsTest, a_large_difference_without_certainty_is_shown_with_its_interval) {
  const CycleRow row =
      cycle_row({10, 30, 12, 28, 11, 29, 10, 31}, {14, 38, 11, 36, 15, 33, 12, 35});
  EXPECT_FALSE(row.is_changed());
  EXPECT_TRUE(row.differs_much());
  EXPECT_TRUE(row.shows_means());
  EXPECT_LT(row.shown().low, 0);
  EXPECT_GT(row.shown().high, 0);
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

TEST(CycleRowsTest, runs_that_differ_as_much_are_no_change) {
  CycleRow row = cycle_row({10, 10.1, 9.9, 10, 10.05, 9.95}, {20, 20.1, 19.9, 20, 20.05, 19.95});
  EXPECT_TRUE(row.is_slower());
  row.run_ms_normal = {10, 22};
  row.run_ms_abnormal = {20};
  row.run_shift = stats::Shift{4, -9, 17};
  EXPECT_FALSE(row.is_changed());
  EXPECT_TRUE(row.differs_much());
  EXPECT_EQ(row.shown().high, 17);
  EXPECT_EQ(row.shown_normal_ms(), 16);
  EXPECT_EQ(row.shown_abnormal_ms(), 20);
}

// A third of the cycles are long in both, so the means hide what the typical difference shows.
TEST(CycleRowsTest, a_typical_difference_of_a_tenth_is_much_though_the_means_differ_less) {
  const CycleRow row =
      cycle_row({10, 60, 11, 10, 62, 12, 10, 61, 11}, {13, 58, 12.5, 14, 60, 13, 12.5, 57, 13});
  ASSERT_FALSE(row.is_changed());
  ASSERT_LT(row.ms.core_shift.shift, 0.1 * row.ms.normal_core.mean);
  EXPECT_TRUE(row.differs_much());
  EXPECT_FALSE(row.shows_means());
}

TEST(CycleRowsTest, warm_up_is_shown_and_not_tested) {
  SideSketch normal("normal", {90, 10, 10.1, 9.9, 10, 10.1, 9.9});
  normal.measure().cycles.cycles[0].is_warm_up = true;
  const SideFacts side = normal.side();
  const PairedRank rank = {.rank = 0, .normals = {&side.ranks[0]}, .abnormals = {&side.ranks[0]}};
  const CycleRow row = compare_cycles({rank}, false).front();
  EXPECT_EQ(row.ms_normal.size(), 7u);
  EXPECT_EQ(row.ms.normal.n, 6u);
  EXPECT_NEAR(row.run_ms_normal.at(0), 10, 1e-9);
  EXPECT_EQ(compare_cycles({rank}, true).front().ms.normal.n, 7u);
}

}  // namespace
}  // namespace strobe::compare

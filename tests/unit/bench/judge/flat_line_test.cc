#include "strobe/bench/judge/flat_line.h"

#include <vector>

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

RatioGrid grid_of(const std::vector<double>& percents) {
  RatioGrid grid;
  for (std::size_t i = 0; i < percents.size(); ++i) {
    grid.cells.push_back({.dim0 = static_cast<std::int64_t>(i), .dim1 = 1, .value = percents[i]});
  }
  return grid;
}

std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<double> times(std::size_t count, double value) {
  return std::vector<double>(count, value);
}

TEST(FlatLine, ratios_that_become_one_hundred_percent_are_found_where_they_begin) {
  const auto line = find_flat_line(grid_of(joined(times(20, 400), times(30, 100.5))));
  ASSERT_TRUE(line);
  EXPECT_EQ(line->index, 20u);
  EXPECT_EQ(line->before_share, 0);
  EXPECT_EQ(line->after_share, 1);
  EXPECT_NEAR(line->before_mean, 400, 1e-9);
  EXPECT_NEAR(line->after_mean, 100.5, 1e-9);
}

TEST(FlatLine, a_table_that_is_flat_from_its_beginning_is_parity_and_no_alarm) {
  EXPECT_FALSE(find_flat_line(grid_of(times(100, 100))));
}

TEST(FlatLine, fewer_than_eight_cells_before_or_sixteen_after_are_no_evidence) {
  EXPECT_FALSE(find_flat_line(grid_of(joined(times(5, 400), times(30, 100)))));
  EXPECT_TRUE(find_flat_line(grid_of(joined(times(8, 400), times(16, 100)))));
  EXPECT_FALSE(find_flat_line(grid_of(joined(times(8, 400), times(15, 100)))));
}

TEST(FlatLine, one_percent_either_way_is_flat_and_more_is_not) {
  EXPECT_TRUE(find_flat_line(grid_of(joined(times(8, 400), times(16, 99)))));
  EXPECT_TRUE(find_flat_line(grid_of(joined(times(8, 400), times(16, 101)))));
  EXPECT_FALSE(find_flat_line(grid_of(joined(times(8, 400), times(16, 101.01)))));
}

TEST(FlatLine, a_quarter_of_the_later_cells_may_stand_out) {
  const auto with_rest = [](std::size_t flat, std::size_t rest) {
    return grid_of(joined(joined(times(8, 400), times(flat, 100)), times(rest, 300)));
  };
  EXPECT_TRUE(find_flat_line(with_rest(12, 4)));
  EXPECT_FALSE(find_flat_line(with_rest(11, 5)));
}

TEST(FlatLine, missing_cells_do_not_count_and_the_index_is_one_of_the_table) {
  RatioGrid grid = grid_of(joined(times(20, 400), times(30, 100)));
  grid.cells[3].value.reset();
  grid.cells[3].status = CellStatus::kOom;
  grid.cells[20].value.reset();
  grid.cells[20].status = CellStatus::kMissing;
  const auto line = find_flat_line(grid);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->index, 21u);
}

TEST(FlatLine, overhead_is_judged_as_the_performance_it_stands_for) {
  RatioGrid grid = grid_of(joined(times(10, 0.25), times(20, 1.0)));
  grid.metric = GridMetric::kRelativeOverhead;
  const auto line = find_flat_line(grid);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->before_mean, 400, 1e-9);
}

TEST(FlatLine, devices_that_are_equally_fast_are_no_alarm) {
  RatioGrid grid = grid_of(joined(times(20, 400), times(30, 100)));
  grid.metric = GridMetric::kDeviceSpeedup;
  EXPECT_FALSE(find_flat_line(grid));
}

}  // namespace
}  // namespace strobe::bench

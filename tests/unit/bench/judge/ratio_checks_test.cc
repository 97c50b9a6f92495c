#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/judge/ratio_checks.h"

namespace strobe::bench {
namespace {

RatioGrid grid_of(const std::vector<double>& percents) {
  RatioGrid grid;
  for (std::size_t i = 0; i < percents.size(); ++i) {
    grid.cells.push_back({.dim0 = static_cast<std::int64_t>(i), .dim1 = 1, .value = percents[i]});
  }
  return grid;
}

std::vector<double> chained(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<double> times(std::size_t count, double value) {
  return std::vector<double>(count, value);
}

TEST(FlatLine, ratios_that_become_one_hundred_percent_are_found_where_they_begin) {
  const auto line = find_flat_line(grid_of(chained(times(20, 400), times(30, 100.5))));
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
  EXPECT_FALSE(find_flat_line(grid_of(chained(times(5, 400), times(30, 100)))));
  EXPECT_TRUE(find_flat_line(grid_of(chained(times(8, 400), times(16, 100)))));
  EXPECT_FALSE(find_flat_line(grid_of(chained(times(8, 400), times(15, 100)))));
}

TEST(FlatLine, one_percent_either_way_is_flat_and_more_is_not) {
  EXPECT_TRUE(find_flat_line(grid_of(chained(times(8, 400), times(16, 99)))));
  EXPECT_TRUE(find_flat_line(grid_of(chained(times(8, 400), times(16, 101)))));
  EXPECT_FALSE(find_flat_line(grid_of(chained(times(8, 400), times(16, 101.01)))));
}

TEST(FlatLine, a_quarter_of_the_later_cells_may_stand_out) {
  const auto with_rest = [](std::size_t flat, std::size_t rest) {
    return grid_of(chained(chained(times(8, 400), times(flat, 100)), times(rest, 300)));
  };
  EXPECT_TRUE(find_flat_line(with_rest(12, 4)));
  EXPECT_FALSE(find_flat_line(with_rest(11, 5)));
}

TEST(FlatLine, missing_cells_do_not_count_and_the_index_is_one_of_the_table) {
  RatioGrid grid = grid_of(chained(times(20, 400), times(30, 100)));
  grid.cells[3].value.reset();
  grid.cells[3].status = CellStatus::kOom;
  grid.cells[20].value.reset();
  grid.cells[20].status = CellStatus::kMissing;
  const auto line = find_flat_line(grid);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->index, 21u);
}

TEST(FlatLine, overhead_is_judged_as_the_performance_it_stands_for) {
  RatioGrid grid = grid_of(chained(times(10, 0.25), times(20, 1.0)));
  grid.metric = GridMetric::kRelativeOverhead;
  const auto line = find_flat_line(grid);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->before_mean, 400, 1e-9);
}

TEST(FlatLine, devices_that_are_equally_fast_are_no_alarm) {
  RatioGrid grid = grid_of(chained(times(20, 400), times(30, 100)));
  grid.metric = GridMetric::kDeviceSpeedup;
  EXPECT_FALSE(find_flat_line(grid));
}

using ::testing::ElementsAre;

RatioGrid table(std::string device, std::string baseline, std::string contender, GridMetric metric,
                double value) {
  return {.version = "v",
          .device = std::move(device),
          .case_id = "softmax",
          .baseline = std::move(baseline),
          .contender = std::move(contender),
          .metric = metric,
          .cells = {{.dim0 = 8, .dim1 = 16, .value = value}}};
}

RatioGrids two_devices(double contender_gain) {
  constexpr auto kRatio = GridMetric::kRelativePerformance;
  constexpr auto kGain = GridMetric::kDeviceSpeedup;
  RatioGrids grids;
  grids.grids = {table("A", "eager", "fused", kRatio, 300),
                 table("B", "eager", "fused", kRatio, 200),
                 table("A-B", "eager@B", "eager@A", kGain, 160),
                 table("A-B", "fused@B", "fused@A", kGain, contender_gain)};
  return grids;
}

TEST(Identities, two_providers_on_two_devices_must_fit_together) {
  const auto checks = check_identities(two_devices(240));
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].law, "G(fused) = G(eager) P(A) / P(B)");
  EXPECT_EQ(checks[0].cells, 1u);
  EXPECT_NEAR(checks[0].worst, 0, 1e-12);
  EXPECT_EQ(checks[0].worst_cell, "softmax 8x16");
  EXPECT_TRUE(checks[0].violations.empty());
}

TEST(Identities, what_rounding_explains_is_no_violation_and_more_is) {
  EXPECT_TRUE(check_identities(two_devices(240.01))[0].violations.empty());
  const auto checks = check_identities(two_devices(241));
  EXPECT_THAT(checks[0].violations, ElementsAre("softmax 8x16: 241.00 % against 240.00 %"));
  EXPECT_NEAR(checks[0].worst, 1.0 / 240, 1e-12);
}

TEST(Identities, three_providers_form_a_ring) {
  constexpr auto kRatio = GridMetric::kRelativePerformance;
  RatioGrids grids;
  grids.grids = {table("A", "eager", "triton", kRatio, 50),
                 table("A", "triton", "flash2", kRatio, 800),
                 table("A", "eager", "flash2", kRatio, 400)};
  auto checks = check_identities(grids);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].law, "flash2/eager = flash2/triton x triton/eager");
  EXPECT_TRUE(checks[0].violations.empty());
  grids.grids[2].cells[0].value = 500;
  EXPECT_THAT(check_identities(grids)[0].violations,
              ElementsAre("A softmax 8x16: 500.00 % against 400.00 %"));
}

TEST(Identities, an_incomplete_cell_is_not_checked) {
  RatioGrids grids = two_devices(500);
  grids.grids[0].cells[0].value.reset();
  grids.grids[0].cells[0].status = CellStatus::kOom;
  const auto checks = check_identities(grids);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].cells, 0u);
}

TEST(Identities, tables_of_different_cases_are_not_mixed) {
  RatioGrids grids = two_devices(500);
  grids.grids[3].case_id = "layernorm";
  EXPECT_TRUE(check_identities(grids).empty());
}

}  // namespace

}  // namespace strobe::bench

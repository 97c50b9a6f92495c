#include "strobe/report/bench/grid_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "tests/unit/report/bench/bench_rows.h"

namespace strobe::report {
namespace {

using bench::CellStatus;
using bench::GridCell;
using bench::GridMetric;
using bench::RatioGrid;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

RatioGrid small_grid() {
  return {.version = "v3",
          .device = "A100",
          .case_id = "pointwise_chain",
          .baseline = "eager",
          .contender = "inductor",
          .metric = GridMetric::kRelativePerformance,
          .cells = {{.dim0 = 256, .dim1 = 128, .value = 400},
                    {.dim0 = 128, .dim1 = 128, .value = 100},
                    {.dim0 = 128, .dim1 = 256, .status = CellStatus::kOom}}};
}

TEST(GridTable, rows_are_dim0_and_columns_dim1_in_order_of_size) {
  const Section table = grid_table(small_grid(), "");
  EXPECT_EQ(table.key, "relative");
  EXPECT_EQ(corner_text(table), "dim0 \\ dim1");
  EXPECT_EQ(table.title, "pointwise_chain, inductor / eager: relative performance (A100, v3)");
  ASSERT_EQ(table.table.columns.size(), 3u);
  EXPECT_EQ(column_at(table, 0).header, "128");
  ASSERT_EQ(table.table.rows.size(), 2u);
  EXPECT_THAT(row_texts(table.table.rows[0]), ElementsAre("128", "100.00%", "OOM"));
  EXPECT_THAT(row_texts(table.table.rows[1]),
              ElementsAre("256", "400.00%", ""));  // this cell was not requested
}

TEST(GridTable, the_mean_is_geometric_and_says_what_entered) {
  RatioGrid grid = small_grid();
  grid.cells.push_back({.dim0 = 512, .dim1 = 128, .value = 100, .ran_same_kernels = true});
  grid.cells.push_back({.dim0 = 1024, .dim1 = 128, .value = 900, .status = CellStatus::kWrong});
  EXPECT_EQ(
      grid_table(grid, "").notes.at(0),
      "geometric mean 200.0 % over 2 of 5 cells; left out: 1 OOM, 1 with the same kernels (=, a "
      "difference is noise), 1 with wrong values (struck out)");
}

TEST(GridTable, a_noisy_cell_is_marked_where_its_number_stands) {
  RatioGrid grid = small_grid();
  grid.cells[0].is_noisy = true;
  const Section table = grid_table(grid, "");
  EXPECT_THAT(row_texts(table.table.rows[0]), ElementsAre("128", "100.00%", "OOM"));
  EXPECT_THAT(row_texts(table.table.rows[1]), ElementsAre("256", "400.00%?", ""));
  EXPECT_THAT(table.notes, ::testing::Contains(HasSubstr("?: noisy, 1 of 3 cells")));
  ASSERT_EQ(table.data.size(), 1u);
  EXPECT_THAT(table.data[0].items.at(0), HasSubstr(R"("status":"ok","noisy":true})"));
  EXPECT_THAT(grid_table(small_grid(), "").data[0].items.at(0), Not(HasSubstr("noisy")));
}

TEST(GridTable, the_overview_marks_an_extreme_that_is_noisy) {
  RatioGrid grid = small_grid();
  grid.cells[0].is_noisy = true;
  const std::vector<RatioGrid> grids = {grid};
  const Section table = overview_table(grids);
  const std::vector<std::string> texts = row_texts(table.table.rows.at(0));
  EXPECT_THAT(texts, ::testing::Contains("400.00%?"));
  EXPECT_THAT(texts, ::testing::Contains("100.00%"));
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("?: noisy, 1 of 3 cells")));
  const std::vector<RatioGrid> quiet = {small_grid()};
  EXPECT_THAT(overview_table(quiet).notes, IsEmpty());
}

TEST(GridTable, without_a_cell_that_counts_there_is_no_mean) {
  RatioGrid grid = small_grid();
  for (GridCell& cell : grid.cells) cell.status = CellStatus::kWrong;
  EXPECT_THAT(grid_table(grid, "").notes.at(0), HasSubstr("no mean: none of 3 cells can be used"));
}

TEST(GridTable, gains_beyond_the_fusion_ceiling_are_said) {
  RatioGrid grid = small_grid();
  EXPECT_EQ(grid_table(grid, "").notes.at(1), "fusion ceiling 550 %: no cell exceeds it");
  grid.cells[0].value = 600;
  EXPECT_EQ(grid_table(grid, "").notes.at(1),
            "fusion ceiling 550 %; 1 cell above it by more than 2 %, where eager was below the "
            "memory roof or limited by its launches");
  grid.baseline = "triton";  // a ceiling is one over the unfused
  EXPECT_EQ(grid_table(grid, "").notes.size(), 1u);
}

TEST(GridTable, a_flat_line_is_a_warning_with_its_cell) {
  RatioGrid grid = small_grid();
  grid.cells.clear();
  for (std::int64_t i = 0; i < 40; ++i) {
    grid.cells.push_back({.dim0 = i + 1, .dim1 = 7, .value = i < 10 ? 300 : 100});
  }
  const Section table = grid_table(grid, "");
  ASSERT_EQ(table.warnings.size(), 1u);
  EXPECT_THAT(table.warnings[0],
              HasSubstr("flat line: from cell 11 (11x7) on, 100 % of the ratios are 100 +- 1 %, "
                        "before it 0 %; geometric mean 300.00 % before, 100.00 % after"));
  EXPECT_THAT(table.data.at(1).items.at(0), HasSubstr("\"index\":10,"));
}

TEST(GridTable, the_corner_says_which_table_it_is) {
  RatioGrid grid = small_grid();
  grid.metric = GridMetric::kRelativeOverhead;
  EXPECT_EQ(corner_text(grid_table(grid, "")), "dim0\\dim1");
  grid.metric = GridMetric::kDeviceSpeedup;
  grid.device = "A100-RTX3090";
  grid.baseline = "eager@RTX3090";
  grid.contender = "eager@A100";
  EXPECT_EQ(corner_text(grid_table(grid, "")), "Relative A100-RTX3090");
  EXPECT_EQ(grid_table(grid, "").title,
            "pointwise_chain, eager: device against device (A100-RTX3090, v3)");
  grid = small_grid();
  grid.case_id = "attention_hd64_nh32";
  EXPECT_EQ(corner_text(grid_table(grid, "")), "batch \\ seqlen");
  EXPECT_EQ(grid_table(grid, "").key, "attention");
}

TEST(GridTable, shapes_without_two_axes_are_a_list) {
  RatioGrid grid = small_grid();
  grid.is_list = true;
  grid.cells = {{.dim0 = 1, .dim1 = 0, .value = 150, .shape = {{32, 56, 56, 64, 64, 3, 1}}}};
  const Section table = grid_table(grid, "");
  EXPECT_EQ(corner_text(table), "shape");
  EXPECT_THAT(row_texts(table.table.rows[0]), ElementsAre("32x56x56x64x64x3x1", "150.00%"));
}

TEST(BandwidthTables, there_is_one_for_each_dim1_and_a_column_for_each_provider) {
  RatioGrid triton = small_grid();
  triton.metric = GridMetric::kBandwidth;
  triton.contender = "triton";
  triton.cells = {{.dim0 = 32, .dim1 = 1024, .value = 102.400003},
                  {.dim0 = 32, .dim1 = 128, .value = 19.230048}};
  RatioGrid mine = triton;
  mine.contender = "cuda-fused";
  mine.cells.pop_back();
  const std::vector<RatioGrid> grids = {triton, mine};
  const auto tables = bandwidth_tables(grids, "");
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(corner_text(tables[0]), "dim_0");
  EXPECT_EQ(column_at(tables[0], 0).header, "Triton");
  EXPECT_EQ(column_at(tables[0], 1).header, "cuda-fused");
  EXPECT_THAT(row_texts(tables[0].table.rows[0]), ElementsAre("32", "102.400003", "102.400003"));
  EXPECT_EQ(tables[1].table.columns.size(), 2u);  // a provider that never ran there has no column
}

TEST(OverviewTable, each_table_is_a_line_with_its_mean_and_extremes) {
  const std::vector<RatioGrid> grids = {small_grid()};
  const Section table = overview_table(grids);
  ASSERT_EQ(table.table.rows.size(), 1u);
  EXPECT_THAT(row_texts(table.table.rows[0]),
              ElementsAre("pointwise_chain", "inductor / eager", "relative", "A100, v3", "2",
                          "200.00%", "100.00%", "400.00%", ""));
  EXPECT_THAT(overview_table({}).table.rows, IsEmpty());
}

TEST(IdentityText, a_violation_is_named_and_its_absence_too) {
  bench::IdentityCheck check;
  check.law = "a = b c";
  check.cells = 779;
  check.worst = 0.00026;
  check.worst_cell = "softmax 256x8192";
  EXPECT_EQ(
      identity_text(check),
      "a = b c: 779 cells checked, worst deviation 0.026 % at softmax 256x8192, within rounding");
  check.violations = {"x: 2.00 % against 1.00 %", "y"};
  EXPECT_THAT(identity_text(check),
              HasSubstr("; 2 larger than rounding explains: x: 2.00 % against 1.00 %, ..."));
}

}  // namespace
}  // namespace strobe::report

#include "strobe/bench/results/ratio_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/bench_sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kHeader =
    "version,device,case,baseline,contender,metric,dim0,dim1,value,status\n";

RatioGrids grids_of(const std::string& rows) {
  auto grids = parse_ratio_grids(std::string(kHeader) + rows, "grids.csv");
  EXPECT_TRUE(grids) << (grids ? "" : grids.error().what);
  return grids ? std::move(grids).value() : RatioGrids{};
}

TEST(RatioGrids, rows_of_one_pair_are_one_table_in_the_order_of_the_file) {
  const RatioGrids grids = grids_of(
      "v3,A100,softmax,eager,inductor,relative_performance_pct,128,256,123.45,ok\n"
      "v3,A100,softmax,eager,inductor,relative_performance_pct,128,128,80,ok\n"
      "v3,A100,softmax,eager,flash2,relative_performance_pct,128,128,1025.1,ok\r\n");
  ASSERT_EQ(grids.grids.size(), 2u);
  EXPECT_EQ(grids.rows, 3u);
  EXPECT_EQ(grids.grids[0].contender, "inductor");
  ASSERT_EQ(grids.grids[0].cells.size(), 2u);
  EXPECT_EQ(grids.grids[0].cells[0].dim1, 256);
  EXPECT_EQ(grids.grids[0].cells[0].value, 123.45);
  EXPECT_EQ(grids.grids[1].cells[0].value, 1025.1);
  EXPECT_TRUE(grids.remarks.empty());
}

TEST(RatioGrids, a_missing_operand_is_a_status_and_no_number) {
  const RatioGrids grids = grids_of(
      "v1,R,softmax,a,b,relative_overhead,1,1,,value_error\n"
      "v1,R,softmax,a,b,relative_overhead,1,2,,oom\n"
      "v1,R,softmax,a,b,relative_overhead,1,3,2.5,same_kernels\n"
      "v1,R,softmax,a,b,relative_overhead,1,4,2.5,wrong\n");
  const auto& cells = grids.grids[0].cells;
  EXPECT_EQ(cells[0].status, CellStatus::kMissing);
  EXPECT_EQ(cells[1].status, CellStatus::kOom);
  EXPECT_FALSE(cells[0].value || cells[1].value);
  EXPECT_TRUE(cells[2].ran_same_kernels);
  EXPECT_EQ(cells[3].status, CellStatus::kWrong);
  EXPECT_EQ(cells[3].value, 2.5);
  for (const GridCell& cell : cells) EXPECT_FALSE(cell.counts());
  EXPECT_FALSE(geometric_mean(grids.grids[0]));
  EXPECT_TRUE(grids.remarks.empty());
}

TEST(RatioGrids, a_row_that_cannot_be_used_is_named_by_line_and_column) {
  const RatioGrids grids = grids_of(
      "v,d,softmax,a,b,relative_overhead,8,8,1.5,ok\n"
      "v,d,softmax,a,b,speed,8,16,1.5,ok\n"
      "v,d,,a,b,relative_overhead,8,16,1.5,ok\n"
      "v,d,softmax,a,b,relative_overhead,x,16,1.5,ok\n"
      "v,d,softmax,a,b,relative_overhead,8,1e3,1.5,ok\n"
      "v,d,softmax,a,b,relative_overhead,8,16,fast,ok\n"
      "v,d,softmax,a,b,relative_overhead,8,32,1.5,fine\n"
      "v,d,softmax,a,b,relative_overhead,8,8,1.7,ok\n"
      "v,d\n");
  EXPECT_THAT(
      grids.remarks,
      ElementsAre(
          "line 3, column 'metric': 'speed' is no metric strobe knows; the row is left out",
          "line 4, column 'case': '' names no case; the row is left out",
          "line 5, column 'dim0': 'x' is no size; the row is left out",
          "line 6, column 'dim1': '1e3' is no size; the row is left out",
          "line 7, column 'value': 'fast' is no positive number; the cell counts as missing",
          "line 8, column 'status': 'fine' is no status; the cell counts as missing",
          "line 9, column 'dim0': '8' stands there a second time with its dim1; the row is "
          "left out",
          "line 10, column 'metric': '' is no metric strobe knows; the row is left out"));
  EXPECT_EQ(grids.rows, 9u);
  EXPECT_EQ(grids.grids[0].cells.size(), 3u);
}

TEST(RatioGrids, endless_trouble_is_counted_instead_of_listed) {
  std::string rows = "v,d,softmax,a,b,relative_overhead,8,8,1.5,ok\n";
  for (int i = 0; i < 1000; ++i) rows += "v,d,softmax,a,b,speed,8,16,1.5,ok\n";
  const RatioGrids grids = grids_of(rows);
  EXPECT_EQ(grids.remarks.size(), 21u);
  EXPECT_EQ(grids.remarks.back(), "980 more like these");
}

TEST(RatioGrids, columns_may_come_in_any_order_and_beside_others) {
  const auto grids = parse_ratio_grids(
      "\xEF\xBB\xBFvalue,\"case\",color,metric,dim1,dim0\n12.5,\"soft,max\",red,gbps,4,2\n", "x");
  ASSERT_TRUE(grids) << grids.error().what;
  EXPECT_EQ(grids->grids[0].case_id, "soft,max");
  EXPECT_EQ(grids->grids[0].cells[0].dim0, 2);
  EXPECT_EQ(grids->grids[0].cells[0].value, 12.5);
}

TEST(RatioGrids, a_table_without_a_needed_column_says_which) {
  const auto grids = parse_ratio_grids("case,metric,dim0,value\n", "x.csv");
  ASSERT_FALSE(grids);
  EXPECT_EQ(grids.error().what, "its first line names no column 'dim1'");
  EXPECT_EQ(grids.error().where, "x.csv");
  EXPECT_FALSE(looks_like_ratio_grids("case,metric,dim0,value\n"));
  EXPECT_TRUE(looks_like_ratio_grids(kHeader));
}

TEST(RatioGrids, a_table_of_nothing_is_too_little) {
  EXPECT_EQ(parse_ratio_grids(kHeader, "x").error().code, ErrorCode::kTooLittleData);
  EXPECT_EQ(parse_ratio_grids(std::string(kHeader) + "a,b\n", "x").error().what,
            "none of its 1 rows can be used: line 2, column 'metric': '' is no metric strobe "
            "knows; the row is left out");
}

BenchRun small_run() {
  BenchRun run;
  run.header.device = "H200";
  run.cells = {sketched_cell("softmax", {{8, 16}}, "unfused", 10),
               sketched_cell("softmax", {{8, 16}}, "fused", 4),
               sketched_cell("softmax", {{8, 8}}, "unfused", 6),
               sketched_gap("softmax", {{8, 8}}, "fused", CellStatus::kOom),
               sketched_cell("layernorm", {{8, 8}}, "unfused", 1),
               sketched_gap("softmax", {{4, 8}}, "unfused", CellStatus::kOomPredicted),
               sketched_cell("softmax", {{4, 8}}, "fused", 1),
               sketched_cell("softmax", {{4, 4}}, "unfused", 1)};
  return run;
}

TEST(RatioGrid, a_run_gives_the_same_table_cell_by_cell_in_run_order) {
  const RatioGrid grid = ratio_grid(small_run(), "softmax", DType::kF32, "unfused", "fused",
                                    GridMetric::kRelativePerformance);
  ASSERT_EQ(grid.cells.size(), 4u);
  EXPECT_EQ(grid.device, "H200");
  EXPECT_EQ(grid.dtype, "f32");
  EXPECT_EQ(grid.cells[0].dim1, 16);
  EXPECT_DOUBLE_EQ(*grid.cells[0].value, 250);
  // Both ends at their worst: 9.98 / 4.008 and 10.02 / 3.992.
  EXPECT_NEAR(grid.cells[0].ci95->at(0), 100 * 9.98 / 4.008, 1e-9);
  EXPECT_NEAR(grid.cells[0].ci95->at(1), 100 * 10.02 / 3.992, 1e-9);
  EXPECT_EQ(grid.cells[1].status, CellStatus::kOom);
  EXPECT_EQ(grid.cells[2].status, CellStatus::kOomPredicted);
  EXPECT_EQ(grid.cells[3].status, CellStatus::kMissing);
  EXPECT_EQ(geometric_mean(grid)->cells, 1u);
}

TEST(RatioGrid, overhead_is_the_inverse_without_percent) {
  const RatioGrid grid = ratio_grid(small_run(), "softmax", DType::kF32, "unfused", "fused",
                                    GridMetric::kRelativeOverhead);
  EXPECT_DOUBLE_EQ(*grid.cells[0].value, 0.4);
}

TEST(RatioGrid, a_wrong_cell_keeps_its_ratio_and_counts_nowhere) {
  BenchRun run = small_run();
  run.cells[0].status = CellStatus::kWrong;
  const RatioGrid grid =
      ratio_grid(run, "softmax", DType::kF32, "unfused", "fused", GridMetric::kRelativePerformance);
  EXPECT_EQ(grid.cells[0].status, CellStatus::kWrong);
  EXPECT_DOUBLE_EQ(*grid.cells[0].value, 250);
  EXPECT_FALSE(geometric_mean(grid));
}

TEST(RatioGrid, cells_of_the_same_kernels_are_marked_and_count_nowhere) {
  BenchRun run = small_run();
  run.cells[0].kernels = run.cells[1].kernels = {{.name = "softmax_kernel"}};
  const RatioGrid grid =
      ratio_grid(run, "softmax", DType::kF32, "unfused", "fused", GridMetric::kRelativePerformance);
  EXPECT_TRUE(grid.cells[0].ran_same_kernels);
  EXPECT_FALSE(geometric_mean(grid));
}

TEST(RatioGrid, another_way_of_timing_may_be_asked_for) {
  BenchRun run = small_run();
  run.cells[0].times[TimeMode::kCall] = sketched_time(30);
  run.cells[1].times[TimeMode::kCall] = sketched_time(20);
  const RatioGrid grid = ratio_grid(run, "softmax", DType::kF32, "unfused", "fused",
                                    GridMetric::kRelativePerformance, TimeMode::kCall);
  EXPECT_DOUBLE_EQ(*grid.cells[0].value, 150);
  EXPECT_EQ(grid.cells[1].status, CellStatus::kOom);
}

TEST(RatioGrid, bandwidth_is_the_least_traffic_over_the_time) {
  BenchRun run = small_run();
  run.cells[1].bytes.min = 8e6;
  const RatioGrid grid =
      ratio_grid(run, "softmax", DType::kF32, "", "fused", GridMetric::kBandwidth);
  EXPECT_DOUBLE_EQ(*grid.cells[0].value, 2000);           // 8 MB in 4 us
  EXPECT_EQ(grid.cells[2].status, CellStatus::kMissing);  // nobody knows its bytes
}

TEST(RatioGrid, attention_is_cut_by_its_heads_and_convolution_is_a_list) {
  BenchRun run;
  for (const Shape& shape : {Shape{{1, 128, 32, 64}}, Shape{{1, 128, 16, 128}},
                             Shape{{2, 128, 32, 64}}, Shape{{32, 56, 56, 64, 64, 3, 1}}}) {
    run.cells.push_back(sketched_cell("x", shape, "a", 2));
    run.cells.push_back(sketched_cell("x", shape, "b", 1));
  }
  const std::vector<RatioGrid> tables =
      tables_of(ratio_grid(run, "x", DType::kF32, "a", "b", GridMetric::kRelativePerformance));
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(tables[0].variant, "hd64_nh32");
  EXPECT_EQ(tables[0].cells.size(), 2u);
  EXPECT_EQ(tables[1].variant, "hd128_nh16");
  EXPECT_TRUE(tables[2].is_list);
  EXPECT_EQ(tables[2].cells[0].dim0, 1);
}

TEST(RatioGrid, two_runs_give_one_provider_on_two_devices) {
  BenchRun other = small_run();
  other.header.device = "A100";
  other.cells[1].times[TimeMode::kDevice] = sketched_time(8);
  const RatioGrid grid = device_grid(small_run(), other, "softmax", DType::kF32, "fused");
  EXPECT_EQ(grid.device, "H200-A100");
  EXPECT_EQ(grid.baseline, "fused@A100");
  EXPECT_EQ(grid.contender, "fused@H200");
  EXPECT_DOUBLE_EQ(*grid.cells[0].value, 200);
  EXPECT_EQ(grid.cells[1].status, CellStatus::kOom);
}

}  // namespace
}  // namespace strobe::bench

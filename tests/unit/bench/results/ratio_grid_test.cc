#include "strobe/bench/results/ratio_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/bench_sketch.h"

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;

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

TEST(RatioGrid, a_cell_is_noisy_if_one_of_its_times_is) {
  BenchRun run = small_run();
  run.cells[0].flags = {CellFlag::kNoisy};  // the baseline
  run.cells[1].bytes.min = 1024;
  const auto noisy = [&](GridMetric metric) {
    return ratio_grid(run, "softmax", DType::kF32, "unfused", "fused", metric).cells[0].is_noisy;
  };
  EXPECT_TRUE(noisy(GridMetric::kRelativePerformance));
  EXPECT_FALSE(noisy(GridMetric::kBandwidth));  // of the contender alone
  run.cells[1].flags = {CellFlag::kNoisy};
  EXPECT_TRUE(noisy(GridMetric::kBandwidth));
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
  EXPECT_EQ(grid.cells[2].status, CellStatus::kMissing);  // its bytes are unknown
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

#include "strobe/bench/judge/pair_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CellRecord timed(std::string provider, Shape shape, double us) {
  CellRecord record;
  record.cell = {"pointwise_chain", std::move(shape), DType::kF32, std::move(provider)};
  record.status = CellStatus::kOk;
  record.times[TimeMode::kDevice] = {.p50 = us, .n = 50, .ci95 = {us * 0.99, us * 1.01}};
  record.bytes = {.min = 8, .unfused = 44, .resident = {}, .peak = {}};
  return record;
}

CellRecord failed(std::string provider, Shape shape, CellStatus status) {
  CellRecord record = timed(std::move(provider), std::move(shape), 1);
  record.status = status;
  record.times.clear();
  return record;
}

PairTable table_of(const BenchRun& run, std::optional<TimeMode> mode = {}) {
  return pair_table(run, {"pointwise_chain", DType::kF32, "eager", "fused", mode});
}

const Shape kSmall = {{128, 128}};
const Shape kLarge = {{4096, 4096}};

TEST(PairTableTest, a_ratio_is_of_medians_and_has_the_interval_of_both) {
  const BenchRun run{{}, {timed("eager", kSmall, 30), timed("fused", kSmall, 10)}};
  const PairTable table = table_of(run);
  ASSERT_EQ(table.cells.size(), 1u);
  const PairCell& cell = table.cells[0];
  EXPECT_EQ(cell.state, PairState::kRatio);
  EXPECT_DOUBLE_EQ(*cell.percent, 300);
  // 30 (1 -+ 1 %) over 10 (1 +- 1 %).
  EXPECT_NEAR((*cell.percent_interval)[0], 300 * 0.99 / 1.01, 1e-9);
  EXPECT_NEAR((*cell.percent_interval)[1], 300 * 1.01 / 0.99, 1e-9);
  EXPECT_DOUBLE_EQ(*cell.ceiling_percent, 550);
  EXPECT_THAT(cell.remarks, IsEmpty());
}

TEST(PairTableTest, medians_without_samples_have_no_interval) {
  BenchRun run{{}, {timed("eager", kSmall, 30), timed("fused", kSmall, 10)}};
  run.cells[1].times[TimeMode::kDevice].n = 0;
  EXPECT_FALSE(table_of(run).cells[0].percent_interval);
  EXPECT_DOUBLE_EQ(*table_of(run).cells[0].percent, 300);
}

TEST(PairTableTest, a_cell_without_one_side_says_why) {
  const std::pair<CellStatus, PairState> states[] = {
      {CellStatus::kOom, PairState::kOom},
      {CellStatus::kOomPredicted, PairState::kOomPredicted},
      {CellStatus::kError, PairState::kError},
      {CellStatus::kTimeout, PairState::kError},
      {CellStatus::kUnsupported, PairState::kNotThere},
      {CellStatus::kMissing, PairState::kNotThere}};
  for (const auto& [status, state] : states) {
    const BenchRun contender{{}, {timed("eager", kSmall, 30), failed("fused", kSmall, status)}};
    EXPECT_EQ(table_of(contender).cells[0].state, state);
    const BenchRun baseline{{}, {failed("eager", kSmall, status), timed("fused", kSmall, 30)}};
    EXPECT_EQ(table_of(baseline).cells[0].state, state);
    EXPECT_FALSE(table_of(baseline).cells[0].percent);
  }
  const BenchRun alone{{}, {timed("eager", kSmall, 30)}};
  EXPECT_EQ(table_of(alone).cells[0].state, PairState::kNotThere);
  EXPECT_EQ(table_of(alone).cells[0].contender, nullptr);
}

TEST(PairTableTest, a_time_that_was_not_taken_is_no_ratio) {
  BenchRun run{{}, {timed("eager", kSmall, 30), timed("fused", kSmall, 10)}};
  EXPECT_EQ(table_of(run, TimeMode::kCall).cells[0].state, PairState::kNotThere);
  run.cells[1].times[TimeMode::kDevice].p50 = 0;
  EXPECT_EQ(table_of(run).cells[0].state, PairState::kNotThere);
}

TEST(PairTableTest, wrong_values_are_shown_and_never_counted) {
  BenchRun run{{},
               {timed("eager", kSmall, 30), timed("fused", kSmall, 10), timed("eager", kLarge, 20),
                timed("fused", kLarge, 10)}};
  run.cells[1].status = CellStatus::kWrong;
  const PairTable table = table_of(run);
  EXPECT_EQ(table.cells[0].state, PairState::kWrong);
  EXPECT_DOUBLE_EQ(*table.cells[0].percent, 300);
  EXPECT_DOUBLE_EQ(geometric_mean(table.grid)->mean, 200);
  EXPECT_EQ(geometric_mean(table.grid)->cells, 1u);
}

TEST(PairTableTest, the_same_kernels_on_both_sides_are_no_ratio_to_count) {
  BenchRun run{{}, {timed("eager", kSmall, 10.1), timed("fused", kSmall, 10)}};
  for (CellRecord& record : run.cells) {
    record.kernels = {{.name = "add_kernel", .grid = {4, 1, 1}, .block = {256, 1, 1}}};
  }
  const PairTable table = table_of(run);
  EXPECT_EQ(table.cells[0].state, PairState::kSameKernels);
  EXPECT_FALSE(geometric_mean(table.grid));
}

TEST(PairTableTest, flags_of_both_sides_come_once_and_those_of_other_pairs_not_at_all) {
  BenchRun run{{}, {timed("eager", kSmall, 30), timed("fused", kSmall, 10)}};
  run.cells[0].flags = {CellFlag::kNoisy, CellFlag::kFellBack, CellFlag::kHostBound};
  run.cells[1].flags = {CellFlag::kNoisy};
  EXPECT_THAT(table_of(run).cells[0].flags, ElementsAre(CellFlag::kNoisy, CellFlag::kHostBound));
}

TEST(PairTableTest, what_was_found_of_the_contender_and_a_third_is_not_of_this_pair) {
  BenchRun run{{}, {timed("library", kSmall, 30), timed("inductor", kSmall, 10)}};
  run.cells[0].kernels = {{.name = "gemm"}};
  run.cells[1].kernels = {{.name = "at::add_kernel"}};
  run.cells[1].flags = {CellFlag::kSameKernels, CellFlag::kNoisy};  // as eager's
  const PairTable table =
      pair_table(run, {run.cells[0].cell.case_id, DType::kF32, "library", "inductor", {}});
  EXPECT_EQ(table.cells[0].state, PairState::kRatio);
  EXPECT_THAT(table.cells[0].flags, ElementsAre(CellFlag::kNoisy));
}

TEST(PairTableTest, without_kernels_to_compare_the_record_is_believed) {
  BenchRun run{{}, {timed("eager", kSmall, 30), timed("fused", kSmall, 10)}};
  run.cells[1].flags = {CellFlag::kSameKernels};
  EXPECT_EQ(table_of(run).cells[0].state, PairState::kSameKernels);
}

TEST(PairTableTest, more_than_the_ceiling_is_explained) {
  const BenchRun run{{}, {timed("eager", kSmall, 60), timed("fused", kSmall, 10)}};
  ASSERT_EQ(table_of(run).cells[0].remarks.size(), 1u);
  EXPECT_THAT(table_of(run).cells[0].remarks[0], HasSubstr("above the fusion ceiling of 550 %"));
}

TEST(PairTableTest, a_case_of_the_matrix_pipe_has_no_ceiling) {
  BenchRun run{{}, {timed("eager", {{8, 8, 8}}, 60), timed("fused", {{8, 8, 8}}, 10)}};
  for (CellRecord& record : run.cells) record.cell.case_id = "matmul_add";
  const PairTable table = pair_table(run, {"matmul_add", DType::kF32, "eager", "fused", {}});
  EXPECT_FALSE(table.cells[0].ceiling_percent);
}

TEST(PairTableTest, shapes_come_in_the_order_in_which_they_ran) {
  const BenchRun run{{},
                     {timed("eager", kLarge, 3), timed("other", kSmall, 3),
                      timed("fused", kSmall, 3), timed("fused", kLarge, 3)}};
  const PairTable table = table_of(run);
  ASSERT_EQ(table.cells.size(), 2u);
  EXPECT_EQ(table.cells[0].shape, kLarge);
  EXPECT_EQ(table.grid.cells[1].dim0, 128);
}

TEST(PairTableTest, gain_means_faster_whatever_the_metric) {
  EXPECT_DOUBLE_EQ(*gain_of(GridMetric::kRelativePerformance, 250), 2.5);
  EXPECT_DOUBLE_EQ(*gain_of(GridMetric::kRelativeOverhead, 4), 0.25);
  EXPECT_DOUBLE_EQ(*gain_of(GridMetric::kDeviceSpeedup, 50), 0.5);
  EXPECT_FALSE(gain_of(GridMetric::kBandwidth, 800));
  EXPECT_FALSE(gain_of(GridMetric::kRelativeOverhead, 0));
}

TEST(PairTableTest, cells_of_imported_tables_have_the_same_states) {
  EXPECT_EQ(state_of({.value = 5}), PairState::kRatio);
  EXPECT_EQ(state_of({}), PairState::kNotThere);
  EXPECT_EQ(state_of({.status = CellStatus::kOom}), PairState::kOom);
  EXPECT_EQ(state_of({.value = 5, .ran_same_kernels = true}), PairState::kSameKernels);
  EXPECT_EQ(state_name(PairState::kOomPredicted), "oom_predicted");
}

}  // namespace
}  // namespace strobe::bench

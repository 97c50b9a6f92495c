#include "strobe/report/bench/cell_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::report {
namespace {

using bench::CellFlag;
using bench::CellStatus;
using bench::GridMetric;

TEST(BenchCellText, flags_have_words_for_people_and_names_for_files) {
  bench::CellRecord record;
  record.status = CellStatus::kWrong;
  record.flags = {CellFlag::kNoisy,       CellFlag::kThrottled,   CellFlag::kSameKernels,
                  CellFlag::kNearFloor,   CellFlag::kHostBound,   CellFlag::kFellBack,
                  CellFlag::kMathDiffers, CellFlag::kUnrepeatable};
  const Measure cell = flags_cell(record);
  EXPECT_EQ(cell.text,
            "wrong, noisy, throttled, same kernels, ≈ floor, host-bound, fell back, math-mode "
            "differs, unrepeatable");
  EXPECT_EQ(cell.word,
            "wrong, noisy, throttled, same_kernels, near_floor, host_bound, fell_back, "
            "math_differs, unrepeatable");
  record.status = CellStatus::kOk;
  record.flags = {};
  EXPECT_EQ(flags_cell(record).text, "");
}

TEST(BenchCellText, the_flags_that_occur_are_explained) {
  std::vector<bench::CellRecord> cells(2);
  EXPECT_THAT(flag_notes(cells), ::testing::IsEmpty());
  cells[0].flags = {CellFlag::kHostBound, CellFlag::kNoisy};
  cells[1].flags = {CellFlag::kNearFloor, CellFlag::kHostBound};
  EXPECT_THAT(
      flag_notes(cells),
      ::testing::ElementsAre(
          "≈ floor: at most 1.5 times the time of an empty kernel, so mostly the cost of a launch",
          "host-bound: a call takes over 20 % longer than its work on the device"));
}

TEST(BenchCellText, a_note_of_a_worker_is_a_sentence_for_people) {
  EXPECT_EQ(note_text("enqueue_us:114.3"), "queueing a call takes 114.3 us");
  EXPECT_EQ(note_text("recompiles:0"), "");
  EXPECT_EQ(note_text("recompiles:1"), "compiled again 1 time");
  EXPECT_EQ(note_text("recompiles:3"), "compiled again 3 times");
  EXPECT_EQ(note_text("recompiles:many"), "recompiles:many");
  EXPECT_EQ(note_text("the cap came first"), "the cap came first");
}

TEST(BenchCellText, each_metric_has_its_own_form) {
  EXPECT_EQ(value_text(GridMetric::kRelativeOverhead, 5.03), "5.03E+00");
  EXPECT_EQ(value_text(GridMetric::kRelativeOverhead, 0.0328), "3.28E-02");
  EXPECT_EQ(value_text(GridMetric::kRelativePerformance, 545.92), "545.92%");
  EXPECT_EQ(value_text(GridMetric::kDeviceSpeedup, 29.4), "29.40%");
  EXPECT_EQ(value_text(GridMetric::kBandwidth, 64), "64.000000");
}

TEST(BenchCellText, each_reason_for_no_number_has_its_word_unless_one_is_asked_for) {
  EXPECT_EQ(status_text(CellStatus::kOom, ""), "OOM");
  EXPECT_EQ(status_text(CellStatus::kOomPredicted, ""), "OOM*");
  EXPECT_EQ(status_text(CellStatus::kError, ""), "ERR");
  EXPECT_EQ(status_text(CellStatus::kTimeout, ""), "ERR");
  EXPECT_EQ(status_text(CellStatus::kUnsupported, ""), "n/a");
  EXPECT_EQ(status_text(CellStatus::kMissing, ""), "n/a");
  EXPECT_EQ(status_text(CellStatus::kOom, "#VALUE!"), "#VALUE!");
}

TEST(BenchCellText, what_an_imported_table_says_itself_is_not_replaced) {
  const bench::RatioGrid grid;
  bench::GridCell cell = {.dim0 = 1, .dim1 = 1, .status = CellStatus::kOom};
  EXPECT_EQ(ratio_measure(grid, cell, "#VALUE!").text, "OOM");
  cell.shape = {{1, 1}};  // one of strobe's own runs
  EXPECT_EQ(ratio_measure(grid, cell, "#VALUE!").text, "#VALUE!");
  cell = {.dim0 = 1, .dim1 = 1, .status = CellStatus::kMissing};
  EXPECT_EQ(ratio_measure(grid, cell, "#VALUE!").text, "#VALUE!");
}

TEST(BenchCellText, same_kernels_and_wrong_values_are_marked) {
  bench::RatioGrid grid;
  bench::GridCell cell = {.dim0 = 1, .dim1 = 1, .value = 100.03, .ran_same_kernels = true};
  EXPECT_EQ(cell_text(ratio_measure(grid, cell, "")), "=100.03%");
  cell.status = CellStatus::kWrong;
  EXPECT_EQ(cell_text(ratio_measure(grid, cell, "")), "~100.03%~");
  EXPECT_EQ(ratio_measure(grid, cell, "").text, "100.03%");
}

TEST(BenchCellText, an_interval_is_said_beside_the_number) {
  const bench::GridCell cell = {
      .dim0 = 1, .dim1 = 1, .value = 250, .ci95 = std::array<double, 2>{249, 251}};
  EXPECT_EQ(ratio_measure({}, cell, "").title, "95 % interval 249.00% to 251.00%");
}

TEST(BenchCellText, a_heat_map_sees_overhead_as_the_performance_it_stands_for) {
  bench::RatioGrid grid;
  grid.metric = GridMetric::kRelativeOverhead;
  EXPECT_EQ(ratio_measure(grid, {.dim0 = 1, .dim1 = 1, .value = 2}, "").percent, 50);
  grid.metric = GridMetric::kBandwidth;
  EXPECT_FALSE(ratio_measure(grid, {.dim0 = 1, .dim1 = 1, .value = 2}, "").percent);
}

TEST(BenchCellText, times_and_amounts_have_three_digits_and_a_unit) {
  EXPECT_EQ(micros_text(4.1), "4.10 us");
  EXPECT_EQ(micros_text(0.71), "710 ns");
  EXPECT_EQ(micros_text(2720), "2.72 ms");
  EXPECT_EQ(amount_text(134217728), "128 MiB");
}

}  // namespace
}  // namespace strobe::report

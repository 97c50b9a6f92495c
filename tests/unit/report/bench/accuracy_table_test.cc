#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/report/bench/run_tables.h"
#include "tests/support/bench_sketch.h"
#include "tests/unit/report/bench/bench_rows.h"

namespace strobe::report {
namespace {

using bench::BenchRun;
using bench::CellStatus;
using bench::sketched_cell;
using ::testing::ElementsAre;

BenchRun checked_run() {
  BenchRun run;
  run.cells = {sketched_cell("softmax", {{128, 128}}, "right", 2),
               sketched_cell("softmax", {{128, 128}}, "off", 2),
               bench::sketched_gap("softmax", {{8, 8}}, "right", CellStatus::kOom, "no 8 GB")};
  run.cells[0].accuracy = {.max_abs = 1.5e-7,
                           .max_rel = 2.5e-6,
                           .norm_rel = 1e-7,
                           .norm = 1,
                           .checked = 16384,
                           .mismatches = 0,
                           .worst_index = 5,
                           .atol = 1e-6,
                           .rtol = 1e-5};
  run.cells[1].accuracy = run.cells[0].accuracy;
  run.cells[1].accuracy->checked = 10'000'000;
  run.cells[1].accuracy->mismatches = 1;
  run.cells[1].status = CellStatus::kWrong;
  return run;
}

TEST(AccuracyTable, a_cell_has_its_errors_and_what_is_allowed) {
  const BenchTable table = accuracy_table(checked_run(), {});
  EXPECT_THAT(row_texts(table.rows[0]),
              ElementsAre("softmax", "128x128", "f32", "right", "100.00%", "0", "16384", "1.5e-07",
                          "2.5e-06", "1e-07", "5", "1e-06", "1e-05", ""));
  ASSERT_EQ(table.columns.size() + 1, row_texts(table.rows[0]).size());
  EXPECT_EQ(table.columns[3].key, "equality_pct");
  EXPECT_EQ(table.notes.at(0), "2 of 3 cells checked");
}

TEST(AccuracyTable, a_single_mismatch_among_millions_stays_visible) {
  const BenchRow row = accuracy_table(checked_run(), {}).rows[1];
  EXPECT_EQ(row.cells[3].text, "99.99%");
  EXPECT_EQ(row.cells[3].mark, BenchMark::kWrong);
  EXPECT_EQ(row.cells[12].text, "wrong");
}

TEST(AccuracyTable, what_was_not_checked_has_dashes_and_its_status) {
  EXPECT_THAT(row_texts(accuracy_table(checked_run(), {}).rows[2]),
              ElementsAre("softmax", "8x8", "f32", "right", "-", "-", "-", "-", "-", "-", "-", "-",
                          "-", "oom"));
}

}  // namespace
}  // namespace strobe::report

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/report/bench/run_tables.h"
#include "tests/support/bench_sketch.h"
#include "tests/unit/report/bench/bench_rows.h"

namespace strobe::report {
namespace {

using bench::BenchRun;
using bench::CellRecord;
using bench::sketched_cell;
using bench::TimeMode;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

CellRecord compiled() {
  CellRecord record = sketched_cell("softmax", {{128, 128}}, "torch-inductor", 2);
  record.times[TimeMode::kCall] = bench::sketched_time(50);
  record.api = {{"cudaStreamIsCapturing", 2, 1.0}, {"cuLaunchKernel", 1, 4.0}};
  return record;
}

TEST(ApiTable, all_calls_of_a_cell_beside_its_times_and_each_below) {
  BenchRun run;
  run.cells = {compiled()};
  const Section table = api_table(run, {});
  ASSERT_EQ(table.table.rows.size(), 3u);
  EXPECT_THAT(row_texts(table.table.rows[0]),
              ElementsAre("softmax", "128x128", "f32", "torch-inductor", "2.00 us", "50.0 us",
                          "all", "3", "5.00 us", "10 %"));
  EXPECT_THAT(row_texts(table.table.rows[1]),
              ElementsAre("softmax", "128x128", "f32", "torch-inductor", "", "",
                          "cudaStreamIsCapturing", "2", "1.00 us", "2 %"));
  EXPECT_THAT(row_texts(table.table.rows[2]),
              ElementsAre("softmax", "128x128", "f32", "torch-inductor", "", "", "cuLaunchKernel",
                          "1", "4.00 us", "8 %"));
  EXPECT_EQ(measure_at(table, 0, 7).value, 5.0);
  for (const Row& row : table.table.rows) EXPECT_EQ(row.cells.size(), table.table.columns.size());
}

TEST(ApiTable, a_time_that_was_not_taken_is_a_dash_and_no_share) {
  BenchRun run;
  run.cells = {compiled()};
  run.cells[0].times.erase(TimeMode::kCall);
  const Section table = api_table(run, {});
  EXPECT_EQ(measure_at(table, 0, 4).text, "-");
  EXPECT_EQ(measure_at(table, 1, 8).text, "-");
}

TEST(ApiTable, who_lists_none_is_named_once) {
  BenchRun run;
  run.cells = {sketched_cell("softmax", {{128, 128}}, "cpu", 9), compiled(),
               sketched_cell("softmax", {{256, 128}}, "cpu", 9)};
  const Section table = api_table(run, {});
  EXPECT_EQ(table.table.rows.size(), 3u);
  EXPECT_THAT(table.notes, Contains("without a recording in some cells: cpu"));
}

TEST(ApiTable, a_run_without_any_says_how_to_get_them) {
  BenchRun run;
  run.cells = {sketched_cell("softmax", {{128, 128}}, "cpu", 9)};
  const Section table = api_table(run, {});
  EXPECT_TRUE(table.table.rows.empty());
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("`strobe bench run --api`")));
}

}  // namespace

}  // namespace strobe::report

#include "strobe/report/bench/short_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::report {
namespace {

using bench::BenchRun;
using bench::CellFlag;
using bench::CellRecord;
using bench::CellStatus;
using bench::TimeMode;
using ::testing::ElementsAre;

CellRecord timed(const char* provider, double us) {
  CellRecord record;
  record.cell = {"softmax", bench::Shape{{128, 128}}, bench::DType::kF32, provider};
  record.status = CellStatus::kOk;
  record.bytes.min = 131072;
  record.times[TimeMode::kDevice].p50 = us;
  record.times[TimeMode::kDevice].ci95 = {us * 0.99, us * 1.01};
  return record;
}

std::vector<std::string> cell_texts(const BenchRow& row) {
  std::vector<std::string> texts;
  for (const BenchCell& cell : row.cells) texts.push_back(cell.text);
  return texts;
}

TEST(ShortTable, a_cell_has_its_time_rate_and_ratio) {
  BenchRun run;
  run.header.roofs.copy_gbps = 100;
  run.cells = {timed("slow", 10), timed("fast", 4)};
  const BenchTable table = short_table(run);
  ASSERT_EQ(table.rows.size(), 2u);
  // 131072 B / 10 us = 13.1 GB/s; / 4 us = 32.8.
  EXPECT_THAT(cell_texts(table.rows[0]),
              ElementsAre("128x128", "f32", "slow", "10.0 us +-1.0 %", "13.1", "13 %", "", ""));
  EXPECT_THAT(cell_texts(table.rows[1]), ElementsAre("128x128", "f32", "fast", "4.00 us +-1.0 %",
                                                     "32.8", "33 %", "2.50x", ""));
}

TEST(ShortTable, a_missing_or_wrong_operand_gives_no_ratio) {
  BenchRun run;
  CellRecord oom = timed("slow", 10);
  oom.times.clear();
  oom.status = CellStatus::kOomPredicted;
  oom.reason = "needs too much";
  CellRecord wrong = timed("wrong", 4);
  wrong.status = CellStatus::kWrong;
  run.cells = {oom, timed("fast", 4), wrong};
  const BenchTable table = short_table(run);
  EXPECT_EQ(table.rows[0].cells[3].text, "OOM*");
  EXPECT_EQ(table.rows[1].cells[6].text, "");
  EXPECT_EQ(table.rows[2].cells[6].text, "");
  EXPECT_EQ(table.rows[2].cells[3].mark, BenchMark::kWrong);
  EXPECT_THAT(table.warnings, ElementsAre("softmax 128x128 f32 slow: needs too much"));
  EXPECT_EQ(outcome_line(run), "1 ok, 1 wrong, 1 oom_predicted");
}

TEST(ShortTable, flags_are_said_as_people_say_them) {
  BenchRun run;
  run.cells = {timed("tiny", 3)};
  run.cells[0].flags = {CellFlag::kNearFloor, CellFlag::kHostBound};
  EXPECT_EQ(short_table(run).rows[0].cells[7].text, "≈ floor, host-bound");
}

TEST(ShortTable, the_same_kernels_are_marked) {
  BenchRun run;
  CellRecord same = timed("compiled", 10);
  same.flags = {CellFlag::kSameKernels};
  run.cells = {timed("eager", 10), same};
  EXPECT_EQ(short_table(run).rows[1].cells[6].mark, BenchMark::kSame);
}

}  // namespace
}  // namespace strobe::report

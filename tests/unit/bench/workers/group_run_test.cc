#include "strobe/bench/workers/group_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/bench_worker.h"

// The cells of one shape, from their preparation to their check.
namespace strobe::bench {
namespace {

using strobe::testing::a_request;
using strobe::testing::cell;
using strobe::testing::ran;
using ::testing::Contains;

TEST(GroupRun, a_time_that_the_provider_cannot_take_is_told) {
  RunRequest request = a_request({{"one", {"modes=device"}}, {"host", {"modes=cpu"}}});
  request.timing.modes = {TimeMode::kDevice, TimeMode::kActivity};
  const BenchOutcome outcome = ran(request);
  EXPECT_EQ(cell(outcome, "one").status, CellStatus::kOk);
  EXPECT_THAT(cell(outcome, "one").notes, Contains("activity: not timed: the provider has device"));
  EXPECT_EQ(cell(outcome, "host").status, CellStatus::kUnsupported);
  EXPECT_EQ(cell(outcome, "host").reason, "it cannot be timed this way; it has cpu");
}

TEST(GroupRun, a_failure_beside_the_headline_keeps_the_headline) {
  RunRequest request = a_request(
      {{"lame", {"modes=device,graph", "at=sample", "do=error", "mode=graph", "tell=pid"}}});
  request.timing.modes = {TimeMode::kDevice, TimeMode::kGraph};
  const BenchOutcome outcome = ran(request);
  const CellRecord& record = cell(outcome, "lame");
  EXPECT_EQ(record.status, CellStatus::kOk) << record.reason;
  EXPECT_NE(record.time(TimeMode::kDevice), nullptr);
  EXPECT_EQ(record.time(TimeMode::kGraph), nullptr);
  EXPECT_THAT(record.notes, Contains("graph: not timed: as the script says"));
  // A failed worker is not used again: the next cell has another process.
  EXPECT_NE(record.notes.back(), cell(outcome, "lame", 1).notes.back());
}

TEST(GroupRun, values_are_checked_after_timing) {
  const BenchOutcome outcome = ran(a_request({{"good", {}}, {"spoiler", {"spoils=yes"}}}));
  EXPECT_EQ(cell(outcome, "good").status, CellStatus::kOk);
  EXPECT_EQ(cell(outcome, "spoiler").status, CellStatus::kWrong);
  EXPECT_NE(cell(outcome, "spoiler").time(TimeMode::kDevice), nullptr);
}

TEST(GroupRun, a_low_clock_beside_the_headline_is_a_note) {
  RunRequest request = a_request({{"cool", {"modes=device,graph", "mhz=1980"}},
                                  {"hot", {"modes=device,graph", "mhz=1980", "graph_mhz=1200"}}});
  request.timing.modes = {TimeMode::kDevice, TimeMode::kGraph};
  const BenchOutcome outcome = ran(request);
  EXPECT_FALSE(cell(outcome, "hot", 1).has(CellFlag::kThrottled));
  EXPECT_THAT(cell(outcome, "hot", 1).notes, Contains("graph: at a lower clock"));
}

}  // namespace
}  // namespace strobe::bench

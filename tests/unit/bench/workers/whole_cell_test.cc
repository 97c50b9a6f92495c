#include "strobe/bench/workers/whole_cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/bench_worker.h"

// Cells of workers that support only "cell".
namespace strobe::bench {
namespace {

using strobe::testing::a_request;
using strobe::testing::cell;
using strobe::testing::ran;
using ::testing::Contains;

// 40 samples of 7 us are less than the 20 ms of the rule, but the median is known exactly.
TEST(WholeCell, is_not_noisy_if_its_median_is_known) {
  RunRequest request = a_request({{"simple", {"only=cell", "us=7"}}});
  request.timing.measure.stop = {};
  const BenchOutcome outcome = ran(request);
  EXPECT_EQ(cell(outcome, "simple").status, CellStatus::kOk);
  EXPECT_FALSE(cell(outcome, "simple").has(CellFlag::kNoisy));
}

TEST(WholeCell, has_the_flags_and_the_clock_of_its_headline) {
  RunRequest request =
      a_request({{"a_cool_one", {"modes=activity", "mhz=1980"}},
                 {"simple", {"only=cell", "modes=graph,activity", "mhz=1980", "graph_mhz=1200"}},
                 {"slow", {"only=cell", "modes=graph,activity", "mhz=1980", "activity_mhz=1200"}}});
  request.timing.modes = {TimeMode::kGraph, TimeMode::kActivity};
  const BenchOutcome outcome = ran(request);
  const CellRecord& simple = cell(outcome, "simple");
  EXPECT_EQ(simple.headline(), simple.time(TimeMode::kActivity));
  EXPECT_FALSE(simple.has(CellFlag::kThrottled));
  EXPECT_EQ(simple.clocks.sm_mhz, 1980);
  EXPECT_THAT(simple.notes, Contains("graph: at a lower clock"));
  EXPECT_TRUE(cell(outcome, "slow").has(CellFlag::kThrottled));
  EXPECT_EQ(cell(outcome, "slow").clocks.sm_mhz, 1200);
}

}  // namespace
}  // namespace strobe::bench

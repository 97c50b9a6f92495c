// Two runs of the same code must not differ, whatever the noise. Thousands of cells are measured
// with scripted times.
#include <gtest/gtest.h>

#include "tests/support/run_diff_sketch.h"

namespace strobe::bench {
namespace {

TEST(TheSameCodeAgain, is_the_same_in_99_of_100_calm_cells) {
  std::size_t same = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const RunDiff diff = diff_of(calm_run(200, seed), calm_run(200, 100 + seed));
    same += diff.count(CellVerdict::kSame);
    EXPECT_EQ(diff.count(CellVerdict::kSlower) + diff.count(CellVerdict::kFaster), 0u);
  }
  EXPECT_GE(same, 396u);  // of 400
}

// The purpose of the default rule's target; with noise of up to 2 %, calls of 3 ms reach it in a
// second.
TEST(TheSameCodeAgain, is_the_same_in_99_of_100_cells_as_the_harness_stops) {
  const auto same = [](const StopRule& stop) {
    std::size_t count = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      count += diff_of(measured_run(100, seed, 4, stop), measured_run(100, 100 + seed, 4, stop))
                   .count(CellVerdict::kSame);
    }
    return count;
  };
  EXPECT_GE(same({}), 297u);  // of 300
  // Half a percent of each median would not have been enough.
  EXPECT_LT(same(*parse_stop_rule("median:0.5%")), 297u);
}

TEST(TheSameCodeAgain, is_the_same_or_honestly_unclear_where_it_is_noisy) {
  std::size_t alarms = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const RunDiff diff = diff_of(measured_run(100, seed), measured_run(100, 100 + seed));
    alarms += diff.count(CellVerdict::kSlower) + diff.count(CellVerdict::kFaster);
    for (const CellDiff& cell : diff.cells) {
      if (cell.verdict != CellVerdict::kUnclear) continue;
      EXPECT_FALSE(cell.reason.empty());
      EXPECT_FALSE(cell.advice.empty());
    }
  }
  EXPECT_EQ(alarms, 0u);
}

}  // namespace
}  // namespace strobe::bench

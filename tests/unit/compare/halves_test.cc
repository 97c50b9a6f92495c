#include "strobe/compare/halves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/rank_sketch.h"

namespace strobe::compare {
namespace {

using testing::ElementsAre;

TEST(HalvesTest, a_part_of_a_measure_keeps_every_column_in_step) {
  const strobe::Run run = ranked_run("run", {{1, 2, 3, 4, 5}}, 10);
  const auto whole = measure(run.ranks[0]);
  ASSERT_TRUE(whole) << whole.error().what;
  const RankMeasure part = cycles_between(*whole, 1, 4);
  ASSERT_EQ(part.cycles.cycles.size(), 3u);
  EXPECT_EQ(part.cycles.cycles[0].name, "ProfilerStep#1");
  for (const FunctionCycles& function : part.functions) {
    ASSERT_EQ(function.calls.size(), 3u);
    if (function.key.name == "gemm") {
      EXPECT_THAT(function.time_ns, ElementsAre(2'000'000, 3'000'000, 4'000'000));
    }
  }
  for (const DeviceCycles& device : part.devices) {
    EXPECT_EQ(device.busy_ns.size(), 3u);
    EXPECT_EQ(device.is_partial.size(), 3u);
  }
}

TEST(HalvesTest, a_run_that_slows_down_on_its_way_differs_from_itself) {
  const strobe::Run run = ranked_run("run", {{2, 2.1, 2, 1.9, 2, 2.1, 4, 4.1, 4, 3.9, 4, 4.1}}, 10);
  const auto comparison = compare_halves(run);
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->normal.label, "run, first half");
  EXPECT_EQ(comparison->cycles[0].ms_normal.size(), 6u);
  EXPECT_EQ(comparison->answer, Answer::kShifted);  // the cycle is as long as before
}

TEST(HalvesTest, a_steady_run_does_not) {
  const strobe::Run run = ranked_run("run", {{2, 2.1, 2, 1.9, 2, 2.1, 2, 2.1, 2, 1.9, 2, 2.1}}, 10);
  const auto comparison = compare_halves(run);
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->answer, Answer::kNoChange);
}

TEST(HalvesTest, four_cycles_are_too_few_for_two_halves) {
  const auto comparison = compare_halves(ranked_run("run", {{2, 2, 4, 4}}, 10));
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->answer, Answer::kCannotTell);
}

}  // namespace
}  // namespace strobe::compare

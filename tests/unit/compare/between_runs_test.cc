#include "strobe/compare/between_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "strobe/stats/p_values.h"

namespace strobe::compare {
namespace {

TEST(BetweenRunsTest, one_run_a_side_differs_as_is_usual) {
  const BetweenRuns noise = between_runs(std::vector{10.0}, std::vector{12.0}, 1);
  EXPECT_DOUBLE_EQ(noise.deviation, 1);
  EXPECT_DOUBLE_EQ(noise.degrees, kPriorRuns);
  EXPECT_DOUBLE_EQ(noise.p_of(2), stats::student_tails(2, kPriorRuns));
}

TEST(BetweenRunsTest, more_runs_make_the_means_more_certain) {
  const std::vector<double> normal(3, 10.0);
  const std::vector<double> abnormal(3, 12.0);
  const BetweenRuns noise = between_runs(normal, abnormal, 1);
  EXPECT_DOUBLE_EQ(noise.degrees, kPriorRuns + 4);
  // They do not differ at all, so the usual noise is too much for them.
  EXPECT_NEAR(noise.deviation, std::sqrt(kPriorRuns * 0.5 / (kPriorRuns + 4) * 2 / 3), 1e-12);
}

// Means 10, 12, 14 have a deviation of 2, far above the usual 0.01: it alone counts.
TEST(BetweenRunsTest, runs_that_differ_by_far_more_than_usual_speak_for_themselves) {
  const std::vector<double> normal{10, 12, 14};
  const BetweenRuns noise = between_runs(normal, std::vector{18.0}, 0.01);
  EXPECT_NEAR(noise.p_of(6), stats::student_tails(6 / (2 * std::sqrt(4.0 / 3)), 2), 1e-3);
}

TEST(BetweenRunsTest, runs_that_differ_as_usual_confirm_it) {
  const std::vector<double> normal{10, 12};  // a deviation of sqrt(2), as that of one usual run
  const BetweenRuns noise = between_runs(normal, std::vector{11.0}, 2);
  EXPECT_DOUBLE_EQ(noise.degrees, kPriorRuns + 1);
  EXPECT_NEAR(noise.deviation, std::sqrt(2 * 1.5), 1e-12);
}

TEST(BetweenRunsTest, what_is_zero_everywhere_has_no_noise) {
  const std::vector<double> none(3, 0.0);
  const BetweenRuns noise = between_runs(none, none, 0);
  EXPECT_EQ(noise.p_of(0), 1);
  EXPECT_EQ(noise.p_of(0.1), 0);
}

}  // namespace
}  // namespace strobe::compare

#include "strobe/compare/between_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "strobe/stats/p_values.h"

namespace strobe::compare {
namespace {

TEST(BetweenRunsTest, one_run_a_side_differs_as_is_usual) {
  const BetweenRuns noise = between_runs({{10}, {12}}, 1);
  EXPECT_DOUBLE_EQ(noise.deviation, 1);
  EXPECT_DOUBLE_EQ(noise.degrees, kPriorRuns);
  EXPECT_DOUBLE_EQ(noise.p_of(2), stats::student_tails(2, kPriorRuns));
}

TEST(BetweenRunsTest, more_runs_make_the_means_more_certain) {
  const std::vector<double> normal(3, 10.0);
  const std::vector<double> abnormal(3, 12.0);
  const BetweenRuns noise = between_runs({normal, abnormal}, 1);
  EXPECT_DOUBLE_EQ(noise.degrees, kPriorRuns + 4);
  // They do not differ at all, so the usual noise is too much for them.
  EXPECT_NEAR(noise.deviation, std::sqrt(kPriorRuns * 0.5 / (kPriorRuns + 4) * 2 / 3), 1e-12);
}

// Means 10, 12, 14 have a deviation of 2, far above the usual 0.01: it alone counts.
TEST(BetweenRunsTest, runs_that_differ_by_far_more_than_usual_speak_for_themselves) {
  const std::vector<double> normal{10, 12, 14};
  const BetweenRuns noise = between_runs({normal, {18}}, 0.01);
  EXPECT_NEAR(noise.p_of(6), stats::student_tails(6 / (2 * std::sqrt(4.0 / 3)), 2), 1e-3);
}

TEST(BetweenRunsTest, runs_that_differ_as_usual_confirm_it) {
  const std::vector<double> normal{10, 12};  // a deviation of sqrt(2), as that of one usual run
  const BetweenRuns noise = between_runs({normal, {11}}, 2);
  EXPECT_DOUBLE_EQ(noise.degrees, kPriorRuns + 1);
  EXPECT_NEAR(noise.deviation, std::sqrt(2 * 1.5), 1e-12);
}

// Of equal sides, how many seem to differ by more than chance.
double false_alarms(std::size_t runs, double deviation_of_run, double prior) {
  constexpr int kTrials = 4000;
  std::mt19937_64 dice(1);
  std::normal_distribution<double> noise(0, deviation_of_run);
  int alarms = 0;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<double> normal(runs);
    std::vector<double> abnormal(runs);
    for (double& value : normal) value = noise(dice);
    for (double& value : abnormal) value = noise(dice);
    const SideValues sides = {normal, abnormal};
    alarms += between_runs(sides, prior).p_of(sides.difference()) < 0.05 ? 1 : 0;
  }
  return static_cast<double>(alarms) / kTrials;
}

// `prior` is of the difference of two runs.
TEST(BetweenRunsTest, equal_sides_seldom_seem_to_differ) {
  const double prior = std::sqrt(2.0);
  for (const std::size_t runs : {2u, 3u, 5u}) {
    EXPECT_LE(false_alarms(runs, 0.5, prior), 0.05) << runs;
    EXPECT_LE(false_alarms(runs, 1, prior), 0.05) << runs;
  }
  // Of programs that are far noisier than usual, two runs a side cannot show all of the noise.
  EXPECT_LE(false_alarms(2, 3, prior), 0.12);
  EXPECT_LE(false_alarms(3, 3, prior), 0.08);
  EXPECT_LE(false_alarms(5, 3, prior), 0.06);
}

TEST(BetweenRunsTest, what_is_zero_everywhere_has_no_noise) {
  const std::vector<double> none(3, 0.0);
  const BetweenRuns noise = between_runs({none, none}, 0);
  EXPECT_EQ(noise.p_of(0), 1);
  EXPECT_EQ(noise.p_of(0.1), 0);
}

}  // namespace
}  // namespace strobe::compare

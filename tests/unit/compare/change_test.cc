#include "strobe/compare/change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "strobe/stats/p_values.h"

namespace strobe::compare {
namespace {

TEST(ChangeTest, all_numbers_look_from_normal_to_abnormal) {
  const std::vector<double> normal{1, 2, 3, 4};
  const std::vector<double> abnormal{11, 12, 13, 14};
  const Change change = change_between(normal, abnormal);
  EXPECT_EQ(change.normal.n, 4u);
  EXPECT_DOUBLE_EQ(change.normal_median, 2.5);
  EXPECT_DOUBLE_EQ(change.difference(), 10);
  EXPECT_DOUBLE_EQ(change.core_ratio(), 5);
  EXPECT_TRUE(change.rises());
  EXPECT_DOUBLE_EQ(change.cliffs_delta, 1);
  EXPECT_DOUBLE_EQ(change.shift.shift, 10);
  EXPECT_LT(change.welch.t, 0) << "first minus second";
  EXPECT_DOUBLE_EQ(change.rank.p, 2.0 / 70) << "2 of C(8, 4) splits";
  EXPECT_FALSE(change.too_few);
  EXPECT_FALSE(change.degenerate);
}

TEST(ChangeTest, the_numbers_for_people_are_medians_unless_they_hide_the_change) {
  const std::vector<double> normal{1, 2, 3, 4, 5};
  const Change::Typical plain =
      change_between(normal, std::vector<double>{11, 12, 13, 14, 25}).typical();
  EXPECT_EQ(plain.normal, 3);
  EXPECT_EQ(plain.abnormal, 13);
  EXPECT_FALSE(plain.is_mean);
  // One long cycle makes the whole difference: the medians are equal.
  const Change::Typical burst =
      change_between(normal, std::vector<double>{1, 2, 3, 4, 90}).typical();
  EXPECT_EQ(burst.abnormal, 20);
  EXPECT_TRUE(burst.is_mean);
  EXPECT_TRUE(change_between(normal, {}).typical().is_mean) << "there is no median";
}

// C(6, 3) = 20 splits: the least p is 0.1.
TEST(ChangeTest, three_against_three_can_never_be_significant) {
  const std::vector<double> normal{1, 2, 3};
  const std::vector<double> abnormal{11, 12, 13};
  EXPECT_TRUE(change_between(normal, abnormal).too_few);
}

TEST(ChangeTest, two_constants_are_degenerate) {
  const std::vector<double> normal(5, 85.7);
  const std::vector<double> abnormal(5, 90.1);
  const Change change = change_between(normal, abnormal);
  EXPECT_TRUE(change.degenerate);
  EXPECT_EQ(change.welch.p, 0);
  EXPECT_EQ(change.drift_p, 0);
  EXPECT_EQ(change.z, 0);
  EXPECT_FALSE(change_between(normal, normal).degenerate);
}

TEST(ChangeTest, an_empty_side_has_no_z_and_no_test) {
  const std::vector<double> normal{1, 2, 3};
  const Change change = change_between(normal, {});
  EXPECT_EQ(change.z, 0);
  EXPECT_EQ(change.z_floored, 0);
  EXPECT_TRUE(change.too_few);
  EXPECT_TRUE(std::isnan(change.welch.p));
  EXPECT_TRUE(std::isnan(change_between({}, normal).core_ratio()));
}

// Residuals -1.5 -0.5 0.5 1.5 in both runs: neighbours 0.75 - 0.25 + 0.75 = 1.25 of squares 5, so
// r = 0.25 and 4 values count as 4 * 0.75 / 1.25 = 2.4. s^2 = 5/3: the error is 2 * (5/3) / 2.4,
// and the degrees stay Welch's 6: all values tell about the spread.
TEST(ChangeTest, a_drifting_run_has_fewer_values_than_cycles) {
  const std::vector<double> normal{1, 2, 3, 4};
  const std::vector<double> abnormal{3, 4, 5, 6};
  const Change change = change_between(normal, abnormal);
  EXPECT_NEAR(change.drift_p, stats::student_tails(2 / std::sqrt(2 * 5.0 / 3 / 2.4), 6), 1e-12);
  EXPECT_GT(change.drift_p, change.welch.p);
}

TEST(ChangeTest, runs_that_alternate_are_taken_as_independent) {
  const std::vector<double> normal{1, 2, 1, 2, 1, 2};
  const std::vector<double> abnormal{2, 3, 2, 3, 2, 3};
  const Change change = change_between(normal, abnormal);
  EXPECT_EQ(change.drift_p, stats::welch_test(change.normal_core, change.abnormal_core).p);
}

TEST(ChangeTest, logarithms_keep_the_order_and_have_sizes_of_their_own) {
  const std::vector<double> normal{0, 1, 3, 7};
  const std::vector<double> abnormal{15, 31, 63, 127};
  const Change plain = change_between(normal, abnormal);
  const Change logs = log_change(plain, normal, abnormal);
  EXPECT_EQ(logs.rank.p, plain.rank.p);
  EXPECT_EQ(logs.cliffs_delta, 1);
  EXPECT_TRUE(std::isnan(logs.shift.shift));
  // log1p of them is 0, 1, 2, 3 and 4, 5, 6, 7 times log 2: means 1.5 and 5.5, s = sqrt(5/3).
  EXPECT_NEAR(logs.difference(), 4 * std::log(2.0), 1e-12);
  EXPECT_NEAR(logs.z, 4 / std::sqrt(5.0 / 3), 1e-12);
}

// As long as `usual` with small differences, and a first cycle that is a hundred times as long.
std::vector<double> cold_run(double usual, std::size_t cycles) {
  std::vector<double> values;
  for (std::size_t i = 0; i < cycles; ++i) {
    values.push_back(usual * (1 + 0.01 * static_cast<double>(i % 3)));
  }
  values.front() *= 100;
  return values;
}

TEST(ChangeTest, one_wild_cycle_beside_a_cold_first_one_changes_no_mean) {
  for (const std::size_t cycles : {40u, 120u, 400u}) {
    const std::vector<double> normal = cold_run(10, cycles);
    std::vector<double> spoilt = normal;
    spoilt[cycles / 2] *= 20;
    const Change same = change_between(normal, spoilt);
    EXPECT_NEAR(same.core_difference(), 0, 0.02) << cycles;
    EXPECT_GT(same.drift_p, kSignificant) << cycles;
    const Change slower = change_between(normal, cold_run(11, cycles));
    EXPECT_NEAR(slower.core_difference(), 1, 0.05) << cycles;
    EXPECT_LT(slower.drift_p, kSurely) << cycles;
  }
}

TEST(ChangeTest, what_strikes_one_cycle_in_fifteen_is_no_wild_cycle) {
  const std::vector<double> normal = cold_run(10, 150);
  std::vector<double> struck = normal;
  for (std::size_t i = 7; i < struck.size(); i += 15) struck[i] *= 4;
  const Change change = change_between(normal, struck);
  EXPECT_NEAR(change.core_difference(), 2, 0.3);  // 30 more in one cycle of fifteen
  EXPECT_LT(change.drift_p, kSurely);
}

TEST(ChangeTest, three_values_do_not_show_a_drift) {
  const std::vector<double> normal{1, 2, 3};
  const std::vector<double> abnormal{2, 3, 4, 5};
  const Change change = change_between(normal, abnormal);
  EXPECT_EQ(change.drift_p, stats::welch_test(change.normal_core, change.abnormal_core).p);
}

// 0.01 * 2/1 and 0.04 * 2/2; the third could never have succeeded and does not count.
TEST(FamilyTest, tests_without_a_chance_take_no_part) {
  Change a;
  a.rank.p = 0.01;
  Change b;
  b.rank.p = 0.04;
  Change c;
  c.rank.p = 0.001;
  c.too_few = true;
  adjust_family({&a, &b, &c});
  EXPECT_DOUBLE_EQ(a.q, 0.02);
  EXPECT_DOUBLE_EQ(b.q, 0.04);
  EXPECT_TRUE(std::isnan(c.q));
}

TEST(ChangeTest, one_wild_cycle_does_not_move_the_mean_of_a_run) {
  std::vector<double> cycles(40, 10);
  EXPECT_DOUBLE_EQ(core_mean_of(cycles), 10);
  cycles[7] = 900;
  EXPECT_DOUBLE_EQ(core_mean_of(cycles), 10);
}

}  // namespace

}  // namespace strobe::compare

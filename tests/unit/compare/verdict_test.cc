#include "strobe/compare/verdict.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strobe::compare {
namespace {

// A row that just passes all conditions for a change: 2 % of 10 points are 0.2.
FunctionRow changed_row() {
  FunctionRow row;
  row.beta.normal.mean = 10;
  row.beta.q = 0.049;
  row.beta.cliffs_delta = -0.474;
  row.beta.shift.shift = -0.2;
  row.calls_normal = row.calls_abnormal = 100;
  row.presence_normal = row.presence_abnormal = 1;
  row.between_runs_p = std::nan("");
  return row;
}

TEST(VerdictTest, a_change_is_beyond_chance_nearly_everywhere_and_worth_mentioning) {
  EXPECT_EQ(verdict_of(changed_row()), Verdict::kChanged);
  FunctionRow row = changed_row();
  row.beta.q = 0.05;
  EXPECT_EQ(verdict_of(row), Verdict::kSame);
  row = changed_row();
  row.beta.cliffs_delta = 0.47;
  EXPECT_EQ(verdict_of(row), Verdict::kSame);
  row = changed_row();
  row.beta.shift.shift = 0.199;
  EXPECT_EQ(verdict_of(row), Verdict::kSame);
  row = changed_row();
  row.beta.normal.mean = 0.01;
  row.beta.shift.shift = 0.049;
  EXPECT_EQ(verdict_of(row), Verdict::kSame) << "below 0.05 points";
}

TEST(VerdictTest, with_several_normal_runs_they_must_not_differ_as_much) {
  FunctionRow row = changed_row();
  row.between_runs_p = 0.04;
  EXPECT_EQ(verdict_of(row), Verdict::kChanged);
  row.between_runs_p = 0.05;
  EXPECT_EQ(verdict_of(row), Verdict::kSame);
}

TEST(VerdictTest, what_one_run_has_and_the_other_never_is_new_or_vanished) {
  FunctionRow row = changed_row();
  row.presence_normal = 0;
  row.presence_abnormal = 0.8;
  EXPECT_EQ(verdict_of(row), Verdict::kNew);
  row.presence_normal = 1;
  row.presence_abnormal = 0;
  EXPECT_EQ(verdict_of(row), Verdict::kVanished);
  row.presence_normal = 0.79;
  EXPECT_EQ(verdict_of(row), Verdict::kChanged);
}

TEST(VerdictTest, calls_change_by_two_percent_and_more_than_half_a_call) {
  FunctionRow row = changed_row();
  row.beta.q = 1;
  row.calls_abnormal = 102;
  EXPECT_EQ(verdict_of(row), Verdict::kCallsChanged);
  row.calls_abnormal = 101;
  EXPECT_EQ(verdict_of(row), Verdict::kSame);
  row.calls_normal = 1;
  row.calls_abnormal = 0.5;
  EXPECT_EQ(verdict_of(row), Verdict::kSame);
}

TEST(VerdictTest, too_few_cycles_silence_everything_else) {
  FunctionRow row = changed_row();
  row.beta.too_few = true;
  row.presence_normal = 0;
  EXPECT_EQ(verdict_of(row), Verdict::kTooFew);
  EXPECT_EQ(word_of(Verdict::kTooFew), "too few cycles");
  EXPECT_EQ(word_of(Verdict::kSame), "~");
}

}  // namespace
}  // namespace strobe::compare

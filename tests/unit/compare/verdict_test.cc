#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "strobe/compare/comparison_parts.h"

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

// All functions and the cycle take 1.5 times as long: no share moves.
FunctionRow scaled_row() {
  const std::vector<double> normal = {2.0, 2.02, 1.98, 2.01, 1.99, 2.0};
  std::vector<double> abnormal;
  for (const double ms : normal) abnormal.push_back(1.5 * ms);
  FunctionRow row = changed_row();
  row.beta.q = 1;
  row.beta.shift.shift = 0;
  row.ms = change_between(normal, abnormal);
  row.ms.q = row.ms.rank.p;
  return row;
}

TEST(VerdictTest, a_time_that_changed_like_the_cycle_changed_too) {
  EXPECT_EQ(verdict_of(scaled_row()), Verdict::kChanged);
  FunctionRow row = scaled_row();
  row.ms.q = 0.05;
  EXPECT_EQ(verdict_of(row), Verdict::kSame);
  row = scaled_row();
  row.ms.shift.shift = 0.039;
  EXPECT_EQ(verdict_of(row), Verdict::kSame) << "below 2 % of its normal time";
}

TEST(VerdictTest, work_is_counted_where_it_is_launched_if_that_is_known) {
  FunctionRow row = changed_row();
  row.beta.q = 1;
  row.calls_normal = 12;
  row.calls_abnormal = 100;
  EXPECT_EQ(verdict_of(row), Verdict::kCallsChanged);
  row.launched = {.is_known = true, .calls_normal = 100, .calls_abnormal = 100};
  EXPECT_EQ(verdict_of(row), Verdict::kSame) << "the host was ahead in one of the runs";
  row.launched.calls_normal = 50;
  EXPECT_EQ(verdict_of(row), Verdict::kCallsChanged);
}

TEST(VerdictTest, work_that_only_runs_late_has_not_vanished) {
  FunctionRow row = changed_row();
  row.beta.q = 1;
  row.presence_abnormal = 0;
  row.calls_abnormal = 0;
  row.launched = {.is_known = true, .calls_normal = 100, .calls_abnormal = 100};
  EXPECT_EQ(verdict_of(row), Verdict::kSame);
}

TEST(VerdictTest, if_the_device_goes_on_after_the_cycles_its_own_time_decides) {
  FunctionRow row = scaled_row();
  row.launched.is_known = row.launched.decides = true;
  row.launched.calls_normal = row.launched.calls_abnormal = 100;
  row.launched.ms.normal.mean = row.launched.ms.abnormal.mean = 20;
  EXPECT_EQ(verdict_of(row), Verdict::kSame);
  row.launched.ms = row.ms;
  EXPECT_EQ(verdict_of(row), Verdict::kChanged);
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

using ::testing::ElementsAre;

FunctionRow row_with(const std::string& name, double difference, double z, double z_floored) {
  FunctionRow row;
  row.key = {name, FunctionKind::kKernel, "GPU 0"};
  row.beta.abnormal.mean = difference;
  row.beta.z = z;
  row.beta.z_floored = z_floored;
  return row;
}

TripletRow triplet_of(std::size_t function, const std::string& metric, double z_log) {
  TripletRow row;
  row.function = function;
  row.metric = metric;
  row.log_mu.z = row.log_mu.z_floored = z_log;
  return row;
}

std::vector<std::string> names_of(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const FunctionRow& row : comparison.functions) names.push_back(row.key.name);
  return names;
}

// |-2| * (|-100| + |-5|) = 210; floored and capped 2 * (30 + 5) = 70.
TEST(RankingTest, a_function_is_as_suspicious_as_its_worst_metric) {
  Comparison comparison;
  comparison.functions = {row_with("a", -2, -100, -40), row_with("b", 1, 3, 2)};
  comparison.triplets = {triplet_of(0, "clock", -5), triplet_of(0, "power", 1)};
  score_rows(comparison);
  EXPECT_DOUBLE_EQ(comparison.triplets[0].suspicion, 210);
  EXPECT_DOUBLE_EQ(comparison.triplets[0].robust, 70);
  EXPECT_DOUBLE_EQ(comparison.functions[0].suspicion, 210);
  EXPECT_DOUBLE_EQ(comparison.functions[0].robust, 70);
  EXPECT_DOUBLE_EQ(comparison.functions[1].suspicion, 3);
}

TEST(RankingTest, each_key_has_its_own_order_and_triplets_follow_their_function) {
  Comparison comparison;
  comparison.functions = {row_with("a", 1, 100, 1), row_with("b", 2, 1, 5), row_with("c", 3, 1, 1)};
  comparison.functions[0].ms.shift.shift = 1;
  comparison.functions[1].ms.shift.shift = 2;
  comparison.functions[2].ms.shift.shift = -3;
  comparison.functions[0].ms.q = std::nan("");
  comparison.functions[1].ms.q = 0.5;
  comparison.functions[2].ms.q = 0.1;
  comparison.functions[1].beta.q = 0.001;  // of the share, which the table does not show
  comparison.triplets = {triplet_of(1, "clock", 0)};
  score_rows(comparison);
  sort_rows(comparison, RankKey::kRobust);
  EXPECT_THAT(names_of(comparison), ElementsAre("b", "c", "a"));
  EXPECT_EQ(comparison.functions[comparison.triplets[0].function].key.name, "b");
  sort_rows(comparison, RankKey::kSuspicion);
  EXPECT_THAT(names_of(comparison), ElementsAre("a", "c", "b"));
  sort_rows(comparison, RankKey::kImpact);
  EXPECT_THAT(names_of(comparison), ElementsAre("c", "b", "a"));
  sort_rows(comparison, RankKey::kQ);
  EXPECT_THAT(names_of(comparison), ElementsAre("c", "b", "a"));
  EXPECT_EQ(comparison.functions[comparison.triplets[0].function].key.name, "b");
}

TEST(RankingTest, impact_is_milliseconds_and_what_is_beyond_chance_comes_first) {
  Comparison comparison;
  comparison.functions = {row_with("small", 1, 1, 1), row_with("unsure", 1, 1, 1),
                          row_with("large", 1, 1, 1), row_with("less", 1, 1, 1)};
  const double shifts[] = {0.11, 90, 35.1, -20};
  for (std::size_t i = 0; i < 4; ++i) {
    comparison.functions[i].ms.shift.shift = shifts[i];
    comparison.functions[i].ms.q = 0.01;
  }
  comparison.functions[1].ms.q = 0.2;
  comparison.functions[0].verdict = Verdict::kChanged;
  sort_rows(comparison, RankKey::kImpact);
  EXPECT_THAT(names_of(comparison), ElementsAre("large", "less", "small", "unsure"));
  EXPECT_EQ(comparison.order, RankKey::kImpact);
}

TEST(RankingTest, ties_go_by_function_then_metric) {
  Comparison comparison;
  comparison.functions = {row_with("b", 1, 1, 1), row_with("a", 1, 1, 1), row_with("B", 1, 1, 1)};
  comparison.triplets = {triplet_of(0, "y", 0), triplet_of(0, "x", 0), triplet_of(1, "y", 0)};
  score_rows(comparison);
  sort_rows(comparison, RankKey::kSuspicion);
  EXPECT_THAT(names_of(comparison), ElementsAre("B", "a", "b")) << "by bytes";
  std::vector<std::string> triplets;
  for (const TripletRow& row : comparison.triplets) {
    triplets.push_back(comparison.functions[row.function].key.name + row.metric);
  }
  EXPECT_THAT(triplets, ElementsAre("ay", "bx", "by"));
}

}  // namespace

}  // namespace strobe::compare

#include "strobe/report/compare/compare_verdict.h"

#include <gmock/gmock.h>

#include <limits>

#include "tests/support/comparison_sketch.h"

namespace strobe::report {
namespace {

using compare::Answer;
using compare::CauseKind;
using compare::ComparisonSketch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

ComparisonSketch slower() {
  return ComparisonSketch({100, 101, 99, 100, 102}, {110, 111, 109, 110, 112})
      .function("gemm", "GPU 0", {20, 21, 19, 20, 22}, {30, 31, 29, 30, 32})
      .function("norm", "GPU 0", {5, 5.1, 4.9, 5, 5.2}, {5.5, 5.6, 5.4, 5.55, 5.7})
      .answer(Answer::kSlower);
}

TEST(CompareVerdictTest, the_first_sentence_has_the_change_its_base_its_interval_and_n) {
  const CompareVerdict verdict = verdict_of(slower().comparison());
  EXPECT_EQ(verdict.answer, "slower");
  EXPECT_EQ(verdict.sentences[0],
            "Slower: the median cycle time rose, 100 ms -> 110 ms, typical difference "
            "(Hodges-Lehmann) +10.0 ms or +10.0 % of normal (95 % interval +8.0 to +12.0 ms; n = 5 "
            "and 5).");
}

TEST(CompareVerdictTest, where_the_shift_has_no_interval_the_means_are_told) {
  compare::Comparison comparison = slower().comparison();
  compare::CycleRow& row = comparison.cycles.front();
  row.ms.shift.low = -std::numeric_limits<double>::infinity();
  row.ms.shift.high = std::numeric_limits<double>::infinity();
  row.ms.core_shift = row.ms.shift;
  EXPECT_EQ(interval_words(row), "no 95 % interval");
  row.ms.core_shift = {10, 7, 13};
  row.ms.normal_core.mean = 100;
  row.ms.abnormal_core.mean = 110;
  EXPECT_EQ(verdict_of(comparison).sentences[0],
            "Slower: the mean cycle time rose, 100 ms -> 110 ms, without the wildest cycles: "
            "+10.0 ms or +10.0 % of normal (95 % interval +7.0 to +13.0 ms; n = 5 and 5).");
}

TEST(CompareVerdictTest, a_difference_that_runs_of_one_program_have_is_unclear) {
  compare::Comparison comparison = slower().comparison();
  comparison.answer = Answer::kUnclear;
  comparison.noise = {.host_share = 0.9, .host_speed = 1.12, .deviation = 0.2};
  const CompareVerdict verdict = verdict_of(comparison);
  EXPECT_EQ(verdict.answer, "unclear");
  EXPECT_THAT(
      verdict.sentences[0],
      ::testing::AllOf(HasSubstr("Unclear: the median cycle time rose, 100 ms -> 110 ms"),
                       HasSubstr("but runs of one program differ as much: the device waits for the "
                                 "host during 90 % of the cycle, and all calls of the host took "
                                 "12 % more time, as they may in another run"),
                       HasSubstr("strobe record --runs 3")));
  EXPECT_EQ(verdict.sentences.back(), "No cause is named for a difference that may be chance.");
  comparison.noise = {.host_share = 0.9, .is_speed_known = true, .rest_deviation = 0.1};
  EXPECT_THAT(verdict_of(comparison).sentences[0],
              HasSubstr("and such cycles differ by up to 22 % from run to run"));
}

TEST(CompareVerdictTest, several_runs_a_side_are_what_is_counted) {
  compare::Comparison comparison = slower().comparison();
  compare::CycleRow& cycle = comparison.cycles.front();
  cycle.run_ms_normal = {10, 11};
  cycle.run_ms_abnormal = {14};
  cycle.run_shift = stats::Shift{3.5, -1, 8};
  cycle.between_runs_p = 0.06;
  EXPECT_THAT(verdict_of(comparison).sentences[0],
              AllOf(HasSubstr("10.5 ms -> 14.0 ms, means of the runs: +3.50 ms or +33.3 % of "
                              "normal"),
                    HasSubstr("n = 2 and 1 runs; p = 0.060 that runs of one program differ as "
                              "much)")));
  comparison.answer = compare::Answer::kUnclear;
  EXPECT_THAT(verdict_of(comparison).sentences[0],
              HasSubstr("The runs are 10.0 ms, 11.0 ms against 14.0 ms; more of them would tell"));
}

TEST(CompareVerdictTest, a_second_sure_cause_is_told_as_well) {
  auto sketch = slower();
  sketch.cause(CauseKind::kOtherTenant, 0.9, "another process uses GPU 0");
  sketch.cause(CauseKind::kClockDrop, 0.8, "the clock of GPU 0 dropped");
  sketch.cause(CauseKind::kPcie, 0.6, "copies are slower");
  EXPECT_EQ(
      verdict_of(sketch.comparison()).sentences[1],
      "Likely cause: another process uses GPU 0 (confident, score 0.90 of 1); also, the clock "
      "of GPU 0 dropped (score 0.80).");
}

TEST(CompareVerdictTest, the_second_sentence_has_the_cause_and_how_sure_it_is) {
  auto sketch = slower();
  EXPECT_THAT(verdict_of(sketch.comparison()).sentences[1], StartsWith("The cause is unknown"));
  EXPECT_EQ(verdict_of(sketch.comparison()).confidence, "none");
  sketch.cause(CauseKind::kClockDrop, 0.9, "the clock of GPU 0 dropped");
  const CompareVerdict sure = verdict_of(sketch.comparison());
  EXPECT_EQ(sure.sentences[1],
            "Likely cause: the clock of GPU 0 dropped (confident, score 0.90 of 1).");
  EXPECT_EQ(sure.cause, "clock");
  EXPECT_EQ(sure.confidence, "high");
}

TEST(CompareVerdictTest, a_weak_cause_is_a_possible_one) {
  auto sketch = slower();
  sketch.cause(CauseKind::kPcie, 0.6, "copies are slower");
  const CompareVerdict verdict = verdict_of(sketch.comparison());
  EXPECT_EQ(verdict.sentences[1], "Possible cause: copies are slower (not sure, score 0.60 of 1).");
  EXPECT_EQ(verdict.confidence, "medium");
}

TEST(CompareVerdictTest, the_measurement_is_no_cause_of_a_change) {
  auto sketch = slower();
  sketch.cause(CauseKind::kMeasurement, 0.9, "two cycles are partial");
  EXPECT_THAT(verdict_of(sketch.comparison()).sentences[1], StartsWith("The cause is unknown"));
  EXPECT_EQ(verdict_of(sketch.comparison()).cause, "");
}

TEST(CompareVerdictTest, functions_may_change_behind_a_cycle_that_does_not) {
  auto sketch = slower();
  sketch.answer(Answer::kShifted);
  const CompareVerdict verdict = verdict_of(sketch.comparison());
  EXPECT_THAT(verdict.sentences[0],
              StartsWith("No significant change of the median cycle time, 100 ms"));
  EXPECT_THAT(verdict.sentences[0], HasSubstr("1 of 2 functions changed"));
}

TEST(CompareVerdictTest, where_nothing_changed_nothing_needs_a_cause) {
  const ComparisonSketch same = ComparisonSketch({100, 101, 99, 102}, {100, 101, 99, 102})
                                    .function("gemm", "GPU 0", {20, 21, 19, 20}, {20, 21, 19, 20})
                                    .answer(Answer::kNoChange);
  EXPECT_THAT(verdict_of(same.comparison()).sentences,
              ElementsAre(HasSubstr("none of 1 function changed"), "There is nothing to explain."));
}

TEST(CompareVerdictTest, too_few_cycles_are_no_answer) {
  const ComparisonSketch one = ComparisonSketch({100}, {150}).answer(Answer::kCannotTell);
  EXPECT_EQ(
      verdict_of(one.comparison()).sentences[0],
      "From 1 and 1 cycles it is unclear whether the median cycle time changed: 100 ms -> 150 "
      "ms (+50.0 % of normal, not tested).");
  EXPECT_EQ(direction_of(one.comparison().cycles[0], Answer::kCannotTell), "too few");
}

TEST(CompareVerdictTest, a_device_that_goes_on_after_the_cycles_is_compared_by_its_own_time) {
  compare::Comparison comparison = slower().answer(Answer::kShifted).comparison();
  compare::DeviceRow& device = comparison.devices.emplace_back();
  device.device = "GPU 0";
  device.overhang_normal_ms = 71;
  device.overhang_abnormal_ms = 591;
  device.launched_ms = compare::change_between(std::vector<double>{15, 15, 15, 15, 15},
                                               std::vector<double>{120, 120, 120, 120, 120});
  EXPECT_EQ(verdict_of(comparison).sentences.size(), 2u);
  comparison.devices.back().outlasts_cycles = true;
  const CompareVerdict verdict = verdict_of(comparison);
  ASSERT_EQ(verdict.sentences.size(), 3u);
  EXPECT_THAT(verdict.sentences[0], HasSubstr("median cycle time of the host"));
  EXPECT_THAT(verdict.sentences[1],
              StartsWith("GPU 0 goes on long after the cycles (71.0 ms in the normal run, 591 ms "
                         "in the abnormal one): the cycle time is the host's time; the device "
                         "needs 15.0 ms -> 120 ms (+105 ms,"));
}

TEST(CompareVerdictTest, the_answer_the_row_and_the_interval_agree) {
  const compare::CycleRow row = slower().comparison().cycles.front();
  EXPECT_TRUE(row.is_slower());
  EXPECT_EQ(direction_of(row, Answer::kSlower), "slower");
  compare::CycleRow open = row;
  open.ms.shift.low = -1;
  open.ms.core_shift = {1.5, -1, 4};
  open.ms.drift_p = 0.2;
  EXPECT_FALSE(open.is_changed()) << "an interval with 0 in it is no change";
  EXPECT_EQ(direction_of(open, Answer::kSlower), "~");
}

// A share may fall beyond doubt while the time, which the row shows, rises by little.
TEST(CompareVerdictTest, the_q_of_a_row_is_that_of_the_time_that_it_shows) {
  compare::FunctionRow row = slower().comparison().functions.front();
  row.beta.q = 0.0001;
  row.ms.q = 0.03;
  EXPECT_EQ(shown_q(row), 0.03);
  row.launched.decides = true;
  row.launched.ms.q = 0.2;
  EXPECT_EQ(shown_q(row), 0.2);
}

TEST(CompareVerdictTest, a_metric_is_tested_with_one_value_per_sample) {
  compare::MetricRow row;
  const std::vector<double> sixteen(16, 1980.0);
  const std::vector<double> lower(16, 990.0);
  row.all = row.busy = compare::change_between(sixteen, lower);
  row.busy.q = 0.001;
  EXPECT_EQ(time_of(row), compare::MetricTime::kBusy);
  EXPECT_TRUE(is_changed(change_of(row)));
  EXPECT_FALSE(is_untested(change_of(row)));
  row.busy_by_sample =
      compare::change_between(std::vector<double>{1980, 1980}, std::vector<double>{990, 985, 990});
  EXPECT_FALSE(is_changed(change_of(row)));
  EXPECT_TRUE(is_untested(change_of(row)));
}

}  // namespace
}  // namespace strobe::report

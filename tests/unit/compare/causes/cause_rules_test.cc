#include "strobe/compare/causes/cause_rules.h"

#include <gtest/gtest.h>

#include <set>

#include "strobe/compare/comparison.h"
#include "tests/support/cause_sketch.h"
#include "tests/support/rank_sketch.h"

namespace strobe::compare {
namespace {

TEST(CauseWords, every_kind_has_a_word_of_its_own_that_a_flag_can_take) {
  std::set<std::string_view> words;
  for (int kind = 0; kind <= static_cast<int>(CauseKind::kUnattributed); ++kind) {
    const std::string_view word = word_of(static_cast<CauseKind>(kind));
    EXPECT_TRUE(words.insert(word).second) << word;
    EXPECT_EQ(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos)
        << word;
    EXPECT_FALSE(sentence_of(static_cast<CauseKind>(kind)).empty());
  }
}

TEST(CauseWords, words_stand_beside_their_own_kinds) {
  EXPECT_EQ(word_of(CauseKind::kClockDrop), "clock");
  EXPECT_EQ(word_of(CauseKind::kPcie), "pcie");
  EXPECT_EQ(word_of(CauseKind::kMeasurement), "measurement");
  EXPECT_EQ(word_of(CauseKind::kUnattributed), "unattributed");
  EXPECT_EQ(sentence_of(CauseKind::kStraggler), "one rank keeps the others waiting");
}

TEST(CauseScores, what_is_confident_is_also_listed) {
  EXPECT_LT(kListedScore, kConfidentScore);
  EXPECT_LT(kConfidentScore, 1);
}

TEST(CauseText, numbers_have_as_many_digits_as_matter) {
  EXPECT_EQ(number_text(0), "0.00");
  EXPECT_EQ(number_text(0.01234), "0.0123");
  EXPECT_EQ(number_text(1.234), "1.23");
  EXPECT_EQ(number_text(12.34), "12.3");
  EXPECT_EQ(number_text(1980.4), "1980");
  EXPECT_EQ(number_text(61e6), "61 M");
  EXPECT_EQ(number_text(1.128e9), "1.13 G");
  EXPECT_EQ(number_text(-12.34), "-12.3");
}

TEST(CauseText, a_metric_is_told_with_both_values_its_unit_and_the_factor) {
  const auto sketch = CauseSketch(10, 10).metric("GPU 0", "gpu_sm_frequency", 1980, 990);
  const MetricRow& row = sketch.comparison().metrics.front();
  const Evidence clock = evidence("core clock", row, MetricTime::kBusy);
  EXPECT_EQ(clock.text, "core clock: 1980 -> 990 MHz (x 0.50)");
  EXPECT_EQ(clock.metric, "gpu_sm_frequency");
}

TEST(CauseText, a_metric_of_a_slow_sampler_says_how_many_samples_it_is_known_from) {
  auto sketch = CauseSketch(10, 10).metric("GPU 0", "gpu_usage", 40, 90);
  MetricRow& row = sketch.edit().metrics.front();
  row.all_by_sample = change_between(std::vector<double>{40, 42}, std::vector<double>{90, 91, 92});
  EXPECT_EQ(evidence("use", row, MetricTime::kCycle).text,
            "use: 41.0 -> 91.0 % (x 2.22; 2 and 3 samples)");
  EXPECT_EQ(evidence("use", row, MetricTime::kBusy).text, "use: 40.0 -> 90.0 % (x 2.25)");
}

TEST(CauseText, numbers_are_the_medians_of_the_tables_unless_these_hide_the_change) {
  auto sketch = CauseSketch(10, 10).metric("GPU 0", "gpu_sm_frequency", 1980, 990);
  MetricRow& row = sketch.edit().metrics.front();
  row.busy = change_between(std::vector<double>{1980, 1980, 1980, 1980},
                            std::vector<double>{1470, 1475, 1475, 1600});
  EXPECT_EQ(evidence("core clock", row, MetricTime::kBusy).text,
            "core clock: 1980 -> 1475 MHz (x 0.74)");
  const Change burst =
      change_between(std::vector<double>{1, 1, 1, 1, 1}, std::vector<double>{1, 1, 1, 1, 11});
  EXPECT_EQ(evidence("loading", burst).text,
            "loading: 1.00 -> 3.00 ms per cycle (x 3.00; on average)");
}

TEST(CauseText, time_in_a_second_is_a_share) {
  const auto sketch = CauseSketch(10, 10).metric("Host", "schedstat_oncpu_ns", 900, 300);
  EXPECT_EQ(evidence("on a core", sketch.comparison().metrics.front(), MetricTime::kCycle).text,
            "on a core: 90.0 -> 30.0 % (x 0.33)");
}

TEST(CauseText, a_time_is_told_per_cycle) {
  const auto sketch = CauseSketch(10, 10).kernel("gemm", 2, 5);
  EXPECT_EQ(evidence("kernels", sketch.comparison().functions.front().ms).text,
            "kernels: 2.00 -> 5.00 ms per cycle (x 2.50)");
}

TEST(CauseText, there_is_no_factor_of_nothing) {
  const auto sketch = CauseSketch(10, 10).kernel("gemm", 0, 5);
  EXPECT_EQ(evidence("kernels", sketch.comparison().functions.front().ms).text,
            "kernels: 0.00 -> 5.00 ms per cycle");
}

TEST(CauseText, a_sentence_is_told_as_it_is) {
  const Evidence kernels = evidence("own kernels did not change");
  EXPECT_EQ(kernels.text, "own kernels did not change");
  EXPECT_TRUE(kernels.function.empty());
  EXPECT_TRUE(kernels.metric.empty());
}

TEST(FindCauses, equal_runs_have_none) {
  EXPECT_TRUE(find_causes(CauseSketch(10, 10).kernel("gemm", 4, 4).comparison()).empty());
}

TEST(FindCauses, a_comparison_without_cycles_has_none) {
  EXPECT_TRUE(find_causes(Comparison{}).empty());
}

TEST(FindCauses, one_cycle_a_side_proves_nothing_whatever_the_kernels_are_called) {
  const auto comparison =
      compare_runs(ranked_run("normal", {{6}}, 10), ranked_run("other", {{9}}, 20));
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_TRUE(comparison->causes.empty());
  EXPECT_EQ(comparison->answer, Answer::kCannotTell);
}

TEST(FindCauses, a_changed_cycle_that_no_rule_explains_is_unattributed) {
  const auto causes =
      find_causes(CauseSketch(10, 8).device("GPU 0", 5, 3).kernel("gemm", 4, 4).comparison());
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes.front().kind, CauseKind::kUnattributed);
  EXPECT_EQ(causes.front().score, kListedScore);
  EXPECT_EQ(causes.front().headline, "the cycle became faster, and no recorded data explains why");
  EXPECT_TRUE(mentions(causes.front().evidence, "cycle: 10.0 -> 8.00 ms"));
}

CauseSketch late_input() {
  return CauseSketch(10, 20)
      .device("GPU 0", 5, 5)
      .device("Host", 9, 9)
      .kernel("gemm", 4, 4)
      .op("linear", 3, 3)
      .op("add", 1, 1)
      .op("enumerate(DataLoader)#next", 0.5, 10);
}

TEST(FindCauses, the_most_likely_comes_first_and_all_are_listed_ones) {
  const auto causes = find_causes(late_input().comparison());
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.front().kind, CauseKind::kInputPipeline);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    EXPECT_GE(causes[i].score, kListedScore);
    EXPECT_LE(causes[i].score, i == 0 ? 1 : causes[i - 1].score);
  }
}

TEST(FindCauses, what_a_sure_cause_brings_with_it_is_weakened_and_says_so) {
  const auto alone = late_input().said_by(host_cause_rules());
  const auto together = find_causes(late_input().comparison());
  ASSERT_GT(score_of(alone, CauseKind::kLaunchBound), kListedScore);
  const Cause* weakened = find(together, CauseKind::kLaunchBound);
  ASSERT_NE(weakened, nullptr);
  EXPECT_NEAR(weakened->score, 0.6 * score_of(alone, CauseKind::kLaunchBound), 1e-9);
  EXPECT_TRUE(mentions(weakened->against, "the input has the same effect"));
}

IdleCauseRow idle_in(const std::string& call, double normal_ms, double abnormal_ms) {
  IdleCauseRow row;
  row.cause = {analysis::IdleKind::kRuntimeCall, call, "aten::copy_"};
  row.ms_per_cycle_normal = CauseSketch::around(normal_ms);
  row.ms_per_cycle_abnormal = CauseSketch::around(abnormal_ms);
  row.ms = change_between(row.ms_per_cycle_normal, row.ms_per_cycle_abnormal);
  return row;
}

TEST(FindCauses, a_place_where_the_host_waits_never_comes_before_a_reason) {
  CauseSketch alone = CauseSketch(10, 20).device("GPU 0", 5, 5).kernel("gemm", 4, 4);
  alone.edit().idle = {idle_in("cudaMemcpyAsync", 1, 10)};
  auto causes = find_causes(alone.comparison());
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.front().kind, CauseKind::kHostBlocks);

  CauseSketch unsure = CauseSketch(10, 20)
                           .device("GPU 0", 5, 5)
                           .op("linear", 3, 4.8)
                           .op("add", 1, 1.6)
                           .op("norm", 1, 1.6);
  unsure.edit().idle = {idle_in("cudaMemcpyAsync", 1, 10)};
  causes = find_causes(unsure.comparison());
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].kind, CauseKind::kHostSlow);
  EXPECT_EQ(causes[1].kind, CauseKind::kHostBlocks);
  EXPECT_EQ(causes[1].score, kListedScore);
}

TEST(FindCauses, a_faster_run_has_causes_too) {
  const auto causes = find_causes(CauseSketch(35, 12)
                                      .device("GPU 0", 5, 5)
                                      .kernel("gemm", 4, 4)
                                      .op("linear", 3, 3)
                                      .op("add", 1, 1)
                                      .op("enumerate(DataLoader)#next", 25, 1)
                                      .comparison());
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.front().kind, CauseKind::kInputPipeline);
  EXPECT_TRUE(causes.front().improves);
}

TEST(IdleText, says_where_the_host_is) {
  using enum analysis::IdleKind;
  EXPECT_EQ(idle_text({kRuntimeCall, "cudaMalloc", "aten::cat"}),
            "while the host is in cudaMalloc, inside aten::cat");
  EXPECT_EQ(idle_text({kOperator, "aten::mm", ""}), "while the host is in aten::mm");
  EXPECT_EQ(idle_text({kNothing, "", ""}), "while nothing is recorded on the host");
}

TEST(FindCauses, an_unsure_cause_weakens_nothing) {
  // Slower operators alone are worth a line; that they wait for a core is not known.
  const auto sketch = CauseSketch(10, 15)
                          .device("GPU 0", 5, 5)
                          .op("linear", 3, 4.8)
                          .op("add", 1, 1.6)
                          .op("norm", 1, 1.6);
  const auto causes = find_causes(sketch.comparison());
  EXPECT_NEAR(score_of(causes, CauseKind::kHostSlow),
              score_of(sketch.said_by(host_cause_rules()), CauseKind::kHostSlow), 1e-9);
}

TEST(FindCauses, the_profilers_own_work_explains_the_time_between_operators) {
  const auto causes = find_causes(CauseSketch(10, 20)
                                      .device("GPU 0", 5, 5)
                                      .device("Host", 9, 9)
                                      .kernel("gemm", 4, 4)
                                      .op("linear", 3, 3)
                                      .function("Buffer Request", FunctionKind::kOverhead, 0.1, 10)
                                      .comparison());
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.front().kind, CauseKind::kMeasurement);
}

TEST(FindCauses, every_rank_is_asked) {
  auto sketch = CauseSketch(10, 10)
                    .rank(1)
                    .device("GPU 0", 5, 5)
                    .kernel("gemm", 4, 8)
                    .metric("GPU 0", "gpu_sm_frequency", 1980, 990);
  const auto causes = find_causes(sketch.comparison());
  ASSERT_NE(find(causes, CauseKind::kClockDrop), nullptr);
  EXPECT_NE(causes.front().headline.find("on rank 1"), std::string::npos);
}

TEST(AnswerOf, says_slower_and_faster_beyond_noise) {
  EXPECT_EQ(answer_of(CauseSketch(10, 12).comparison()), Answer::kSlower);
  EXPECT_EQ(answer_of(CauseSketch(10, 8).comparison()), Answer::kFaster);
  EXPECT_EQ(answer_of(CauseSketch(10, 10).comparison()), Answer::kNoChange);
}

TEST(AnswerOf, a_difference_of_one_percent_is_no_change) {
  EXPECT_EQ(answer_of(CauseSketch(10, 10.1).comparison()), Answer::kNoChange);
}

TEST(AnswerOf, what_normal_runs_differ_by_anyway_is_unclear) {
  auto sketch = CauseSketch(10, 12);
  CycleRow& cycle = sketch.edit().cycles.front();
  cycle.run_ms_normal = {10, 8};
  cycle.run_ms_abnormal = {12};
  cycle.run_shift = stats::Shift{2, -3, 7};
  cycle.between_runs_p = 0.4;
  EXPECT_EQ(answer_of(sketch.comparison()), Answer::kUnclear);
}

TEST(AnswerOf, what_runs_of_one_program_usually_differ_by_is_unclear_without_a_recorded_reason) {
  auto sketch = CauseSketch(10, 12);
  sketch.edit().noise = {.host_share = 0.9, .deviation = 0.3, .rest_deviation = 0.1};
  EXPECT_EQ(answer_of(sketch.comparison()), Answer::kUnclear);
  Cause cause;
  cause.kind = CauseKind::kHostContention;
  cause.score = 0.9;
  cause.is_fact = true;
  sketch.edit().causes = {cause};
  EXPECT_EQ(answer_of(sketch.comparison()), Answer::kSlower);
  sketch.edit().causes.front().score = 0.6;
  EXPECT_EQ(answer_of(sketch.comparison()), Answer::kUnclear);
  sketch.edit().causes = {cause};
  sketch.edit().causes.front().is_fact = false;
  EXPECT_EQ(answer_of(sketch.comparison()), Answer::kUnclear) << "known by times alone";
}

TEST(AnswerOf, what_a_fact_adds_is_added_even_if_it_explains_a_small_part_of_the_change) {
  const auto with = [](double score, double explains_ms, bool is_fact = true) {
    auto sketch = CauseSketch(10, 16);
    sketch.edit().noise = {.host_share = 0.9, .deviation = 0.6, .rest_deviation = 0.3};
    Cause cause;
    cause.kind = CauseKind::kPcie;
    cause.score = score;
    cause.explains_ms = explains_ms;
    cause.is_fact = is_fact;
    sketch.edit().causes = {cause};
    return answer_of(sketch.comparison());
  };
  EXPECT_EQ(with(0.65, 0.6), Answer::kSlower);
  EXPECT_EQ(with(0.65, 0.4), Answer::kUnclear) << "less than a twentieth of a cycle";
  EXPECT_EQ(with(0.5, 0.6), Answer::kUnclear) << "hardly likely";
  EXPECT_EQ(with(0.65, -0.6), Answer::kUnclear) << "it would make the cycle shorter";
  EXPECT_EQ(with(0.9, 0.6, false), Answer::kUnclear) << "known by times alone";
}

TEST(AnswerOf, an_equal_cycle_with_other_kernel_times_is_shifted) {
  EXPECT_EQ(answer_of(CauseSketch(10, 10).kernel("gemm", 4, 8).comparison()), Answer::kShifted);
}

TEST(AnswerOf, an_equal_cycle_with_a_sure_cause_is_shifted_unless_the_cause_is_the_measurement) {
  const auto with = [](CauseKind kind, double score, bool is_fact = true) {
    auto sketch = CauseSketch(10, 10);
    Cause cause;
    cause.kind = kind;
    cause.score = score;
    cause.is_fact = is_fact;
    sketch.edit().causes.push_back(cause);
    return answer_of(sketch.comparison());
  };
  EXPECT_EQ(with(CauseKind::kOtherTenant, 0.9), Answer::kShifted);
  EXPECT_EQ(with(CauseKind::kOtherTenant, 0.6), Answer::kNoChange);
  EXPECT_EQ(with(CauseKind::kMeasurement, 0.9), Answer::kNoChange);
  EXPECT_EQ(with(CauseKind::kHostSlow, 0.9, false), Answer::kNoChange) << "times alone";
}

TEST(AnswerOf, too_few_cycles_cannot_tell) {
  EXPECT_EQ(answer_of(Comparison{}), Answer::kCannotTell);
  auto sketch = CauseSketch(10, 20);
  sketch.edit().cycles.front().ms =
      change_between(std::vector<double>{10, 10}, std::vector<double>{20, 20});
  EXPECT_EQ(answer_of(sketch.comparison()), Answer::kCannotTell);
}

TEST(Unattributed, idle_time_that_makes_the_change_is_told_even_if_its_reason_is_not_known) {
  const auto causes = find_causes(CauseSketch(10, 20).device("GPU 0", 5, 5).comparison());
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes.front().kind, CauseKind::kUnattributed);
  EXPECT_EQ(causes.front().headline, "GPU 0 is idle for longer, and no recorded data explains why");
  EXPECT_TRUE(mentions(causes.front().evidence, "it explains +10.0 of +10.0 ms per cycle, 100 %"));
}

TEST(AnswerTest, a_device_that_goes_on_after_the_cycles_has_a_time_of_its_own) {
  CauseSketch sketch(1.3, 1.3);
  DeviceRow& device = sketch.edit().devices.back();
  device.launched_ms = change_between(CauseSketch::around(15), CauseSketch::around(120));
  EXPECT_EQ(answer_of(sketch.comparison()), Answer::kNoChange);
  device.outlasts_cycles = true;
  EXPECT_EQ(answer_of(sketch.comparison()), Answer::kShifted);
}

}  // namespace

}  // namespace strobe::compare

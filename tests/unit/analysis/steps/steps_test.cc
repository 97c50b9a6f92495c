#include "strobe/analysis/steps/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::max();

NumberRange range_of(std::string_view typed) {
  const Result<NumberRange> result = number_range("--steps", typed);
  EXPECT_TRUE(result.has_value()) << typed;
  return result ? *result : NumberRange{-1, -1};
}

Error refused_range(std::string_view typed) {
  const Result<NumberRange> result = number_range("--steps", typed);
  EXPECT_FALSE(result.has_value()) << typed;
  return result ? Error{} : result.error();
}

TEST(NumberRangeTest, a_range_has_four_spellings) {
  EXPECT_EQ(range_of("3:7"), (NumberRange{3, 7}));
  EXPECT_EQ(range_of("3:"), (NumberRange{3, kOpen}));
  EXPECT_EQ(range_of(":7"), (NumberRange{0, 7}));
  EXPECT_EQ(range_of("5"), (NumberRange{5, 5}));
  EXPECT_EQ(range_of("5:5"), (NumberRange{5, 5}));
}

TEST(NumberRangeTest, a_range_that_is_none_says_why) {
  EXPECT_EQ(refused_range("7:3").what, "'7:3' is empty: 7 comes after 3");
  EXPECT_EQ(refused_range("7:3").hint, "did you mean 3:7?");
  EXPECT_EQ(refused_range(":").what, "':' names no step");
  EXPECT_EQ(refused_range("-2").what, "'-2' is not a step number");
  EXPECT_EQ(refused_range("2-5").what, "'2-5' is not a step number");
  EXPECT_EQ(refused_range("1:2:3").what, "'2:3' is not a step number");
  EXPECT_EQ(refused_range("99999999999999999999").code, ErrorCode::kInvalidArgument);
}

using namespace strobe::literals;
constexpr auto kStepKind = SliceKind::kStep;

Trace steps_7_to_9() {
  return Sketch()
      .slice("Step#7", kStepKind, 0_us, 10_us)
      .slice("Step#8", kStepKind, 10_us, 10_us)
      .slice("Step#9", kStepKind, 20_us, 10_us)
      .trace();
}

TEST(StepsTest, steps_come_by_start_with_their_numbers) {
  const Trace trace = Sketch()
                          .slice("Step#8", kStepKind, 10_us, 5_us)
                          .slice("Step#7", kStepKind, 0_us, 10_us)
                          .trace();
  const auto steps = list_steps(trace);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].number, 7);
  EXPECT_EQ(steps[1].number, 8);
  EXPECT_EQ(steps[1].interval, (Interval{10_us, 15_us}));
}

TEST(StepsTest, a_number_may_follow_a_word) {
  const Trace trace = Sketch()
                          .slice("step 12", kStepKind, 0_us, 5_us)
                          .slice("last step", kStepKind, 10_us, 5_us)
                          .trace();
  const auto steps = list_steps(trace);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].number, 12);
  EXPECT_EQ(steps[1].number, std::nullopt);
}

TEST(StepsTest, a_step_repeated_by_another_thread_is_one_step) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("Step#1", kStepKind, 0_us, 10_us)
                          .thread(2)
                          .slice("Step#1", kStepKind, 1_us, 12_us)
                          .trace();
  const auto steps = list_steps(trace);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].interval, (Interval{0_us, 13_us}));
  EXPECT_EQ(steps[0].slices.size(), 2u);
}

TEST(StepsTest, steps_of_one_name_that_do_not_overlap_are_several) {
  const Trace trace =
      Sketch().slice("step", kStepKind, 0_us, 10_us).slice("step", kStepKind, 10_us, 10_us).trace();
  const auto steps = list_steps(trace);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_FALSE(steps[0].number.has_value());
}

TEST(StepsTest, processes_have_steps_of_their_own) {
  const Trace trace = Sketch()
                          .thread(1, 1)
                          .slice("Step#1", kStepKind, 0_us, 10_us)
                          .thread(1, 2)
                          .slice("Step#1", kStepKind, 1_us, 10_us)
                          .trace();
  EXPECT_EQ(list_steps(trace).size(), 2u);
}

TEST(StepsTest, numbers_mean_those_in_the_names) {
  const auto found = choose_steps(list_steps(steps_7_to_9()), {8, 9});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, 1u);
  EXPECT_EQ(found->last, 2u);
}

TEST(StepsTest, a_range_that_reaches_beyond_the_trace_is_cut) {
  const auto found = choose_steps(list_steps(steps_7_to_9()), {0, 7});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, 0u);
  EXPECT_EQ(found->last, 0u);
}

TEST(StepsTest, unnumbered_steps_go_by_position) {
  const Trace trace =
      Sketch().slice("step", kStepKind, 0_us, 10_us).slice("step", kStepKind, 10_us, 10_us).trace();
  const auto found = choose_steps(list_steps(trace), {1, 1});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, 1u);
}

TEST(StepsTest, an_unknown_step_is_refused_with_those_there_are) {
  const auto found = choose_steps(list_steps(steps_7_to_9()), {1, 3});
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(found.error().what, "the trace has no steps 1 to 3");
  EXPECT_EQ(found.error().hint, "the trace has steps 7 to 9");
}

TEST(StepsTest, a_trace_without_steps_has_none_to_choose_from) {
  const auto found = choose_steps(list_steps(Sketch().trace()), {0, 0});
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().what, "the trace has no steps to choose from");
}

TEST(StepsTest, an_open_range_is_refused_in_words) {
  const auto found =
      choose_steps(list_steps(steps_7_to_9()), {12, std::numeric_limits<std::int64_t>::max()});
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().what, "the trace has no step 12 or later");
}

TEST(StepsTest, a_cycle_without_a_range_is_named_by_its_number) {
  const Trace trace = steps_7_to_9();
  EXPECT_EQ(name_of(trace, list_steps(trace)[0]), "Step#7");
  Step cycle;
  EXPECT_EQ(name_of(trace, cycle), "");
  cycle.number = 3;
  EXPECT_EQ(name_of(trace, cycle), "cycle 3");
}

TEST(StepFinderTest, every_process_takes_part_in_a_step_without_one) {
  Sketch sketch;
  sketch.thread(1, 10).slice("op", SliceKind::kOperator, 0, 100);
  const Trace trace = sketch.trace();
  Step cycle;
  cycle.interval = {0, 100};
  const std::vector<Step> steps = {cycle};
  EXPECT_EQ(StepFinder(steps).at(50, trace.tracks()[0].process), &steps[0]);
}

TEST(StepFinderTest, a_moment_belongs_to_the_step_that_is_open) {
  Sketch sketch;
  sketch.thread(1, 10).slice("Step#1", SliceKind::kStep, 0, 100);
  sketch.slice("Step#2", SliceKind::kStep, 100, 50);
  const Trace trace = sketch.trace();
  const auto steps = list_steps(trace);
  const StepFinder finder(steps);
  EXPECT_EQ(finder.at(-1), nullptr);
  EXPECT_EQ(finder.at(0), &steps[0]);
  EXPECT_EQ(finder.at(99), &steps[0]);
  EXPECT_EQ(finder.at(100), &steps[1]);
  EXPECT_EQ(finder.at(150), nullptr);
}

TEST(StepFinderTest, steps_of_other_processes_do_not_count_and_earlier_ones_may_still_be_open) {
  Sketch sketch;
  sketch.thread(1, 10).slice("Step#1", SliceKind::kStep, 0, 100);
  sketch.thread(1, 20).slice("Step#1", SliceKind::kStep, 10, 20);
  const Trace trace = sketch.trace();
  const auto steps = list_steps(trace);
  const StepFinder finder(steps);
  EXPECT_EQ(finder.at(15, steps[0].process), &steps[0]);
  EXPECT_EQ(finder.at(15, steps[1].process), &steps[1]);
  EXPECT_EQ(finder.at(15), &steps[1]) << "the latest to start";
  EXPECT_EQ(finder.at(50), &steps[0]);
  EXPECT_EQ(finder.at(50, steps[1].process), nullptr);
}

}  // namespace

}  // namespace strobe::analysis

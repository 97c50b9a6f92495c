#include "strobe/analysis/cycles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::HasSubstr;
using namespace strobe::literals;

Trace two_steps() {
  return Sketch()
      .thread(1)
      .slice("loop", SliceKind::kAnnotation, 0, 100_us)
      .slice("ProfilerStep#1", SliceKind::kStep, 10_us, 40_us)
      .slice("ProfilerStep#2", SliceKind::kStep, 50_us, 40_us)
      .trace();
}

TEST(CyclesTest, step_annotations_are_taken_before_anything_is_guessed) {
  const Result<CycleList> list = find_cycles(two_steps());
  ASSERT_TRUE(list);
  EXPECT_EQ(list->method, CycleMethod::kSteps);
  EXPECT_EQ(list->cycles.size(), 2u);
}

TEST(CyclesTest, a_marker_is_taken_instead_if_the_user_names_one) {
  const Result<CycleList> list =
      find_cycles(two_steps(), {.method = CycleMethod::kMarker, .marker = "loop"});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->method, CycleMethod::kMarker);
  EXPECT_EQ(list->cycles.size(), 1u);
}

TEST(CyclesTest, the_whole_trace_can_be_the_only_cycle) {
  const Result<CycleList> list =
      find_cycles(two_steps(), {.method = CycleMethod::kWholeTrace, .marker = ""});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->method, CycleMethod::kWholeTrace);
  EXPECT_EQ(list->confidence, CycleConfidence::kLow);
  ASSERT_EQ(list->cycles.size(), 1u);
  EXPECT_EQ(list->cycles[0].interval, (Interval{0, 100_us}));
  EXPECT_FALSE(find_cycles(Trace(), {.method = CycleMethod::kWholeTrace, .marker = ""}));
}

TEST(CyclesTest, cycles_of_two_sizes_get_types) {
  Sketch sketch;
  sketch.thread(1);
  std::int64_t at_ns = 0;
  for (int i = 0; i < 8; ++i) {
    const std::int64_t duration_ns = i % 4 == 0 ? 400_us : 50_us;
    sketch.slice("ProfilerStep#" + std::to_string(i), SliceKind::kStep, at_ns, duration_ns);
    at_ns += duration_ns;
  }
  const Result<CycleList> list = find_cycles(sketch.trace());
  ASSERT_TRUE(list);
  EXPECT_EQ(list->cycles[0].type, CycleType::kLong);
  EXPECT_EQ(list->cycles[1].type, CycleType::kShort);
}

TEST(CyclesTest, where_nothing_repeats_the_error_says_what_was_tried_and_how_to_help) {
  const Result<CycleList> list =
      find_cycles(Sketch().thread(1).slice("once", SliceKind::kOperator, 0, 10_us).trace());
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(list.error().what, HasSubstr("no step annotations"));
  EXPECT_THAT(list.error().hint, HasSubstr("--cycle marker=REGEX"));
  EXPECT_THAT(list.error().hint, HasSubstr("--cycle none"));
  const Result<CycleList> only_steps =
      find_cycles(Trace(), {.method = CycleMethod::kSteps, .marker = ""});
  ASSERT_FALSE(only_steps);
  EXPECT_EQ(only_steps.error().what, "no step annotations");
  EXPECT_THAT(only_steps.error().hint, HasSubstr("--cycle none"));
}

TEST(CyclesTest, every_method_and_type_has_its_word) {
  EXPECT_EQ(word_of(CycleMethod::kMarker), "marker");
  EXPECT_EQ(word_of(CycleMethod::kSteps), "step annotations");
  EXPECT_EQ(word_of(CycleMethod::kHostFrame), "recurring host range");
  EXPECT_EQ(word_of(CycleMethod::kKernelSequence), "kernel sequence");
  EXPECT_EQ(word_of(CycleMethod::kBusySignal), "rhythm of the device");
  EXPECT_EQ(word_of(CycleMethod::kWholeTrace), "whole trace");
  EXPECT_EQ(word_of(CycleType::kStep), "step");
  EXPECT_EQ(word_of(CycleType::kShort), "short (decode)");
  EXPECT_EQ(word_of(CycleType::kLong), "long (prefill)");
}

}  // namespace
}  // namespace strobe::analysis

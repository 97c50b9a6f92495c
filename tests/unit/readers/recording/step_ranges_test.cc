#include "strobe/readers/recording/step_ranges.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(StepWordTest, a_step_is_a_word_and_a_number) {
  for (const char* name : {"step 12", "Step_0", "STEP#7", "step: 3", "step3", "step # 4"}) {
    EXPECT_EQ(step_word(name), "step") << name;
  }
  EXPECT_EQ(step_word("iteration 5"), "iteration");
  EXPECT_EQ(step_word("iter_5"), "iter");
  for (const char* name : {"step", "12", "", "step 12 done", "optimizer.step 1", "stepper 1",
                           "batch 1", "step -", "layer 3", "time step 4"}) {
    EXPECT_EQ(step_word(name), "") << name;
  }
}

struct MarkedRange {
  const char* name;
  std::int64_t start_ns;
  SliceKind kind = SliceKind::kAnnotation;
};

std::vector<std::string> steps_of(const std::vector<MarkedRange>& ranges, std::size_t first = 0) {
  TraceBuilder builder;
  for (const MarkedRange& range : ranges) {
    TraceBuilder::SliceRow row = {};
    row.start_ns = range.start_ns;
    row.duration_ns = 10;
    row.name = builder.intern(range.name);
    row.kind = range.kind;
    builder.add_slice(row);
  }
  mark_steps(builder, first);
  std::vector<std::string> steps;
  for (std::size_t row = 0; row < ranges.size(); ++row) {
    if (builder.slices().kinds[row] == SliceKind::kStep) steps.push_back(ranges[row].name);
  }
  return steps;
}

TEST(MarkStepsTest, ranges_that_count_are_steps) {
  EXPECT_THAT(steps_of({{"step 0", 0}, {"forward", 1}, {"step 1", 20}}),
              ElementsAre("step 0", "step 1"));
  EXPECT_THAT(steps_of({{"forward", 0}, {"layer 1", 1}}), IsEmpty());
}

TEST(MarkStepsTest, the_word_that_comes_first_counts) {
  EXPECT_THAT(steps_of({{"step 0", 5}, {"step 1", 15}, {"iteration 0", 0}, {"iteration 1", 30}}),
              ElementsAre("iteration 0", "iteration 1"));
}

TEST(MarkStepsTest, steps_of_a_profiler_stay_alone) {
  EXPECT_THAT(steps_of({{"step 0", 0}, {"ProfilerStep#1", 1, SliceKind::kStep}, {"step 1", 20}}),
              ElementsAre("ProfilerStep#1"));
}

TEST(MarkStepsTest, only_ranges_become_steps_and_none_before_the_first) {
  EXPECT_THAT(steps_of({{"step 0", 0, SliceKind::kKernel}, {"step 1", 1}}), ElementsAre("step 1"));
  EXPECT_THAT(steps_of({{"step 0", 0}, {"step 1", 20}}, 1), ElementsAre("step 1"));
}

}  // namespace
}  // namespace strobe::readers

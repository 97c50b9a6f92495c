#include "strobe/analysis/steps/step_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

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

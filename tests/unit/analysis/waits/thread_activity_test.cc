#include "strobe/analysis/waits/thread_activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;

// "operator gemm 3" for each stretch of the first thread, in microseconds.
std::vector<std::string> stretches_of(Sketch& sketch, const std::vector<Interval>& parts) {
  const Trace trace = sketch.trace();
  const AttributedTrace input = attribute_trace(trace);
  CauseList causes(trace.strings());
  ThreadActivity activity(input, 0, causes);
  std::vector<std::string> texts;
  for (const Interval& part : parts) {
    std::int64_t time_ns = part.start_ns;
    activity.list(part, [&](const IdleStretch& stretch) {
      EXPECT_EQ(stretch.interval.start_ns, time_ns);
      time_ns = stretch.interval.end_ns;
      const Cause& cause = causes[stretch.cause];
      EXPECT_EQ(stretch.kind, cause.kind);
      std::string text(word_of(cause.kind));
      if (cause.name.valid()) text += " " + std::string(trace.strings()[cause.name]);
      if (cause.inside.valid()) text += " in " + std::string(trace.strings()[cause.inside]);
      texts.push_back(text + " " + std::to_string(stretch.interval.length_ns() / 1_us));
    });
    EXPECT_EQ(time_ns, part.end_ns);
  }
  return texts;
}

TEST(ThreadActivityTest, a_call_comes_before_the_operator_and_that_before_a_range) {
  Sketch sketch;
  sketch.thread(1)
      .slice("Step#1", SliceKind::kStep, 0_us, 100_us)
      .slice("outer", SliceKind::kAnnotation, 10_us, 80_us)
      .slice("op", kOp, 20_us, 40_us)
      .slice("inner", SliceKind::kUserRange, 30_us, 10_us)
      .slice("launch", kCall, 45_us, 5_us);
  EXPECT_THAT(
      stretches_of(sketch, {{0_us, 110_us}}),
      ElementsAre("nothing 10", "range outer 10", "operator op 25", "runtime_call launch in op 5",
                  "operator op 10", "range outer 30", "nothing 20"));
}

TEST(ThreadActivityTest, the_innermost_operator_is_named) {
  Sketch sketch;
  sketch.thread(1).slice("outer", kOp, 0_us, 10_us).slice("inner", kOp, 3_us, 4_us);
  EXPECT_THAT(stretches_of(sketch, {{0_us, 10_us}}),
              ElementsAre("operator outer 3", "operator inner 4", "operator outer 3"));
}

TEST(ThreadActivityTest, data_loading_comes_before_the_operators_inside_and_around_it) {
  Sketch sketch;
  sketch.thread(1)
      .slice("op", kOp, 0_us, 20_us)
      .slice("load", SliceKind::kDataLoader, 5_us, 10_us)
      .slice("copy", kOp, 7_us, 2_us);
  EXPECT_THAT(stretches_of(sketch, {{0_us, 20_us}}),
              ElementsAre("operator op 5", "data_loading load 10", "operator op 5"));
}

TEST(ThreadActivityTest, the_outermost_of_nested_calls_is_named) {
  Sketch sketch;
  sketch.thread(1)
      .slice("inner", kCall, 0_us, 2_us)  // starts together with the outer one
      .slice("outer", kCall, 0_us, 10_us)
      .slice("driver", kCall, 4_us, 3_us)
      .slice("outer", kCall, 8_us, 1_us);
  EXPECT_THAT(stretches_of(sketch, {{0_us, 12_us}}),
              ElementsAre("runtime_call outer 10", "nothing 2"));
}

TEST(ThreadActivityTest, crossing_calls_share_the_time) {
  Sketch sketch;
  sketch.thread(1).slice("a", kCall, 0_us, 10_us).slice("b", kCall, 5_us, 10_us);
  EXPECT_THAT(stretches_of(sketch, {{0_us, 15_us}}),
              ElementsAre("runtime_call a 10", "runtime_call b 5"));
}

TEST(ThreadActivityTest, of_crossing_ranges_the_one_that_started_last_is_named) {
  Sketch sketch;
  sketch.thread(1)
      .slice("a", kOp, 0_us, 10_us)
      .slice("b", kOp, 5_us, 10_us)
      .slice("c", SliceKind::kAnnotation, 8_us, 12_us);
  EXPECT_THAT(stretches_of(sketch, {{0_us, 22_us}}),
              ElementsAre("operator a 5", "operator b 10", "range c 5", "nothing 2"));
}

TEST(ThreadActivityTest, an_operator_that_ends_below_a_crossing_range_is_forgotten) {
  Sketch sketch;
  sketch.thread(1)
      .slice("op", kOp, 0_us, 10_us)
      .slice("range", SliceKind::kAnnotation, 5_us, 10_us);
  EXPECT_THAT(stretches_of(sketch, {{0_us, 15_us}}),
              ElementsAre("operator op 10", "range range 5"));
}

TEST(ThreadActivityTest, time_between_the_parts_is_skipped) {
  Sketch sketch;
  sketch.thread(1)
      .slice("a", kOp, 0_us, 10_us)
      .slice("b", kOp, 2_us, 3_us)
      .slice("call", kCall, 6_us, 1_us)
      .slice("c", kOp, 20_us, 10_us)
      .slice("d", kOp, 40_us, 10_us);
  EXPECT_THAT(
      stretches_of(sketch, {{1_us, 3_us}, {8_us, 9_us}, {35_us, 45_us}}),
      ElementsAre("operator a 1", "operator b 1", "operator a 1", "nothing 5", "operator d 5"));
}

TEST(OperatorOrRangeTest, skips_steps_and_prefers_operators) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("Step#1", SliceKind::kStep, 0_us, 100_us)
                          .slice("range", SliceKind::kAnnotation, 10_us, 80_us)
                          .slice("op", kOp, 20_us, 40_us)
                          .slice("phase", kPhase, 30_us, 10_us)
                          .trace();
  const AttributedTrace input = attribute_trace(trace);
  const auto name_at = [&](std::size_t node) {
    const NodeId found = operator_or_range(input.tree, NodeId(node));
    return found.valid() ? std::string(trace.strings()[input.name(found)]) : std::string("none");
  };
  EXPECT_EQ(name_at(0), "none");  // the thread
  EXPECT_EQ(name_at(1), "none");  // the step
  EXPECT_EQ(name_at(2), "range");
  EXPECT_EQ(name_at(3), "op");
  EXPECT_EQ(name_at(4), "op");
  EXPECT_FALSE(operator_or_range(input.tree, NodeId()).valid());
}

}  // namespace
}  // namespace strobe::analysis

#include "strobe/compare/side_by_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

using analysis::StepLabel;

struct Prepared {
  Trace trace;
  analysis::AttributedTrace input = analysis::attribute_trace(trace);
  std::vector<analysis::Step> steps = analysis::list_steps(trace);
  ComparedTrace compared{input, steps};
};

// Steps of 100 ns, each with an operator of the given length that launches a kernel of 10 ns.
Trace steps_with(const char* name, const std::vector<std::int64_t>& lengths_ns) {
  Sketch sketch;
  std::int64_t start_ns = 0;
  std::uint32_t id = 0;
  for (const std::int64_t length_ns : lengths_ns) {
    sketch.thread(1).slice("Step#" + std::to_string(++id), SliceKind::kStep, start_ns, 100);
    sketch.slice(name, kOp, start_ns + 10, length_ns);
    sketch.slice("call", SliceKind::kRuntimeCall, start_ns + 12, 2).correlation(id);
    sketch.stream(0, 7).slice("kernel", kKernel, start_ns + 90, 10).correlation(id);
    start_ns += 100;
  }
  return sketch.trace();
}

TEST(SideBySideTest, sums_are_averages_per_step_with_the_smallest_and_largest) {
  const Prepared base{steps_with("mm", {10, 20, 30})};
  const Prepared other{steps_with("mm", {31, 41})};
  const SideBySide both = put_side_by_side(base.compared, other.compared);
  EXPECT_TRUE(both.per_step);
  EXPECT_EQ(both.base.steps, 3u);
  EXPECT_DOUBLE_EQ(both.base.step.average_ns, 100);
  ASSERT_EQ(both.operators.size(), 1u);
  const NameRow& mm = both.operators[0];
  EXPECT_DOUBLE_EQ(mm.base->time.average_ns, 20);
  EXPECT_EQ(mm.base->time.low_ns, 10);
  EXPECT_EQ(mm.base->time.high_ns, 30);
  EXPECT_DOUBLE_EQ(mm.base->calls, 1);
  EXPECT_DOUBLE_EQ(mm.other->time.average_ns, 36);
  EXPECT_TRUE(mm.beyond_spread) << "30 and 31 do not meet";
  EXPECT_FALSE(both.kernels[0].beyond_spread);
}

TEST(SideBySideTest, ranges_that_touch_are_within_the_spread) {
  const Prepared base{steps_with("mm", {10, 30})};
  const Prepared other{steps_with("mm", {30, 50})};
  EXPECT_FALSE(put_side_by_side(base.compared, other.compared).operators[0].beyond_spread);
}

TEST(SideBySideTest, a_name_of_one_side_only_has_no_other) {
  const Prepared base{steps_with("mm", {10})};
  const Prepared other{steps_with("bmm", {30})};
  const SideBySide both = put_side_by_side(base.compared, other.compared);
  ASSERT_EQ(both.operators.size(), 2u);
  EXPECT_EQ(both.operators[0].name, "bmm") << "the larger change";
  EXPECT_FALSE(both.operators[0].base);
  EXPECT_TRUE(both.operators[0].beyond_spread);
  EXPECT_FALSE(both.operators[1].other);
}

// The first step loads code: it is 900 ns long, and its operator 800.
Trace steps_after_a_long_one(int steps) {
  Sketch sketch;
  sketch.thread(1).slice("Step#0", SliceKind::kStep, 0, 900).slice("mm", kOp, 0, 800);
  sketch.slice("load", kOp, 800, 50);
  for (int i = 1; i <= steps; ++i) {
    const std::int64_t start_ns = 800 + 100 * i;
    sketch.slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 100);
    sketch.slice("mm", kOp, start_ns, 20);
  }
  return sketch.trace();
}

TEST(SideBySideTest, warm_up_is_in_no_average_and_no_spread) {
  const Prepared base{steps_after_a_long_one(5)};
  const Prepared other{steps_with("mm", {41, 41, 41, 41, 41})};
  const SideBySide both = put_side_by_side(base.compared, other.compared);
  EXPECT_EQ(both.base.steps, 6u);
  EXPECT_EQ(both.base.warm_up_steps, 1u);
  EXPECT_EQ(both.other.warm_up_steps, 0u);
  EXPECT_DOUBLE_EQ(both.base.step.average_ns, 100);
  EXPECT_EQ(both.base.step.high_ns, 100);
  ASSERT_EQ(both.operators.size(), 1u) << "load is only in the warm-up";
  EXPECT_DOUBLE_EQ(both.operators[0].base->time.average_ns, 20);
  EXPECT_DOUBLE_EQ(both.operators[0].base->calls, 1);
  EXPECT_TRUE(both.operators[0].beyond_spread);
}

TEST(SideBySideTest, labels_of_a_step_add_up_to_it) {
  const Prepared base{steps_with("mm", {10, 20})};
  const SideBySide both = put_side_by_side(base.compared, base.compared);
  double sum_ns = 0;
  for (const double label_ns : both.base.label_ns) sum_ns += label_ns;
  EXPECT_DOUBLE_EQ(sum_ns, 100);
  EXPECT_DOUBLE_EQ(both.base.label_ns[static_cast<std::size_t>(StepLabel::kKernel)], 10);
}

TEST(SideBySideTest, without_steps_on_both_sides_whole_traces_are_compared) {
  const Prepared base{steps_with("mm", {10, 20})};
  const Prepared other{Sketch().slice("mm", kOp, 0, 500).trace()};
  const SideBySide both = put_side_by_side(base.compared, other.compared);
  EXPECT_FALSE(both.per_step);
  EXPECT_DOUBLE_EQ(both.base.step.average_ns, 200);
  EXPECT_DOUBLE_EQ(both.operators[0].base->time.average_ns, 30);
  EXPECT_DOUBLE_EQ(both.operators[0].base->calls, 2);
  EXPECT_DOUBLE_EQ(both.operators[0].other->time.average_ns, 500);
}

TEST(SideBySideTest, a_kernel_belongs_to_the_step_that_launched_it) {
  Sketch sketch;
  sketch.slice("Step#1", SliceKind::kStep, 0, 100).slice("Step#2", SliceKind::kStep, 100, 100);
  sketch.slice("call", SliceKind::kRuntimeCall, 90, 2).correlation(1);
  sketch.stream(0, 7).slice("late", kKernel, 150, 20).correlation(1);
  sketch.slice("outside", kKernel, 900, 20);
  const Prepared base{sketch.trace()};
  const SideBySide both = put_side_by_side(base.compared, base.compared);
  ASSERT_EQ(both.kernels.size(), 1u) << "what no step launched is not per step";
  EXPECT_EQ(both.kernels[0].base->time.high_ns, 20);
  EXPECT_EQ(both.kernels[0].base->time.low_ns, 0);
}

TEST(SideBySideTest, empty_traces_have_nothing_to_compare) {
  const Prepared nothing{Sketch().trace()};
  const SideBySide both = put_side_by_side(nothing.compared, nothing.compared);
  EXPECT_TRUE(both.operators.empty());
  EXPECT_DOUBLE_EQ(both.base.step.average_ns, 0);
}

}  // namespace
}  // namespace strobe::compare

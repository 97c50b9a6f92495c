#include "strobe/analysis/findings/host_moments.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

// Thread 1: a step of 100 us with an optimizer in its second half, and operators in operators.
Trace nested_ranges() {
  return Sketch()
      .thread(1)
      .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
      .slice("loop", SliceKind::kAnnotation, 0_us, 99_us)
      .slice("aten::linear", kOp, 0_us, 40_us)
      .slice("aten::mm", kOp, 10_us, 20_us)
      .slice("optimizer", SliceKind::kOptimizer, 50_us, 40_us)
      .thread(2)
      .slice("aten::other", kOp, 0_us, 100_us)
      .trace();
}

TEST(HostMomentsTest, the_innermost_operator_on_the_same_thread_counts) {
  const Trace trace = nested_ranges();
  const TrackId thread = trace.slices().tracks[0];
  const HeldMoments found =
      operator_around(trace, {{thread, 15_us, 3}, {thread, 5_us, 1}, {thread, 60_us, 1}});
  EXPECT_EQ(found.name, "aten::mm");
  EXPECT_EQ(found.weight_ns, 3);
  EXPECT_EQ(found.of_ns, 5);
  EXPECT_EQ(operator_around(trace, {{thread, 15_us, 1}, {thread, 60_us, 2}}).name, "")
      << "most are outside of operators";
}

TEST(HostMomentsTest, the_range_around_most_moments_is_found) {
  const Trace trace = nested_ranges();
  const TrackId thread = trace.slices().tracks[0];
  const HeldMoments found =
      range_around(trace, {{thread, 60_us, 9}, {thread, 5_us, 1}, {thread, 70_us, 0}}, 100_us);
  EXPECT_EQ(found.name, "optimizer");
  EXPECT_EQ(found.weight_ns, 9);
  EXPECT_EQ(found.of_ns, 10);
}

TEST(HostMomentsTest, a_range_around_everything_says_nothing) {
  const Trace trace = nested_ranges();
  const TrackId thread = trace.slices().tracks[0];
  EXPECT_EQ(range_around(trace, {{thread, 60_us, 1}, {thread, 5_us, 1}}, 100_us).name, "");
  EXPECT_EQ(range_around(trace, {{thread, 60_us, 1}, {thread, 5_us, 1}}, 1000_us).name, "loop");
}

}  // namespace

}  // namespace strobe::analysis

#include "strobe/analysis/findings/host_gaps.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

TEST(HostGapTest, the_longest_time_without_anything_has_its_outermost_neighbours) {
  Sketch sketch;
  sketch.thread(1)
      .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
      .slice("outer", kOp, 0_us, 20_us)
      .slice("inner", kOp, 10_us, 10_us)
      .slice("next inner", kOp, 70_us, 5_us)
      .slice("next", kOp, 70_us, 20_us)
      .thread(2)
      .slice("elsewhere", kCall, 30_us, 5_us);
  const SliceId elsewhere = sketch.find("elsewhere");
  const SliceId next = sketch.find("next");
  const Trace trace = sketch.trace();
  const HostGap gap = find_longest_host_gap(trace, {0_us, 100_us});
  EXPECT_EQ(gap.interval, (Interval{35_us, 70_us}));
  EXPECT_EQ(gap.before, elsewhere);
  EXPECT_EQ(gap.after, next);
  EXPECT_EQ(find_longest_host_gap(trace, {0_us, 60_us}).before, elsewhere);
  EXPECT_EQ(trace.name(find_longest_host_gap(trace, {0_us, 32_us}).before), "outer");
}

TEST(HostGapTest, the_start_and_the_end_may_be_empty) {
  Sketch sketch;
  sketch.thread(1).slice("op", kOp, 40_us, 10_us);
  const SliceId op = sketch.last();
  const Trace trace = sketch.trace();
  const HostGap start = find_longest_host_gap(trace, {0_us, 60_us});
  EXPECT_EQ(start.interval, (Interval{0_us, 40_us}));
  EXPECT_FALSE(start.before.valid());
  EXPECT_EQ(start.after, op);
  const HostGap end = find_longest_host_gap(trace, {30_us, 90_us});
  EXPECT_EQ(end.interval, (Interval{50_us, 90_us}));
  EXPECT_EQ(end.before, op);
  EXPECT_FALSE(end.after.valid());
}

TEST(HostGapTest, frames_show_something_and_waiting_does_not) {
  Sketch sketch;
  sketch.thread(1)
      .slice("train.py(3): main", SliceKind::kPythonCall, 0_us, 30_us)
      .slice("op", kOp, 90_us, 10_us)
      .track("request", TrackKind::kAsync)
      .slice("request", SliceKind::kAnnotation, 0_us, 100_us)
      .thread(1)
      .slice("profiler", SliceKind::kProfiler, 0_us, 100_us);
  const Trace trace = sketch.trace();
  EXPECT_EQ(find_longest_host_gap(trace, {0_us, 100_us}).interval, (Interval{30_us, 90_us}));
}

}  // namespace
}  // namespace strobe::analysis

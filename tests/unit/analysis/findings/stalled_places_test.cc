#include "strobe/analysis/findings/stalled_places.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

// aten::add normally takes 20 us, aten::sort always 5 ms.
Trace quick_and_slow_operators() {
  Sketch sketch;
  for (int i = 0; i < 9; ++i) {
    sketch.thread(1).slice("aten::add", kOp, 10_ms * i, i == 4 ? 3_ms : 20_us);
    sketch.slice("aten::sort", kOp, 10_ms * i + 4_ms, 5_ms);
  }
  return sketch.trace();
}

TEST(StalledPlacesTest, operators_that_are_short_otherwise_are_told_apart) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", {3_ms}));
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::sort", 2, 5_ms));
  add_idle(summary, idle_row(IdleKind::kNothing, "", {2_ms}));
  const Trace trace = quick_and_slow_operators();
  const StalledPlaces found = find_stalled_places(trace, summary);
  EXPECT_EQ(found.places, 3u);
  EXPECT_EQ(found.inside_ns, 15_ms);
  EXPECT_EQ(found.largest_ns, 10_ms);
  EXPECT_EQ(found.short_places, 1u);
  EXPECT_EQ(found.short_inside_ns, 3_ms);
}

TEST(StalledPlacesTest, short_stretches_waits_and_loading_are_no_stalls) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", {900_us}));
  add_idle(summary, idle_row(IdleKind::kRuntimeCall, "xStreamSynchronize", {9_ms}));
  add_idle(summary, idle_row(IdleKind::kDataLoading, "next", {9_ms}));
  add_idle(summary, idle_row(IdleKind::kOverhead, "Buffer Flush", {9_ms}));
  add_idle(summary, idle_row(IdleKind::kLaunched, "", {9_ms}));
  const Trace trace = quick_and_slow_operators();
  EXPECT_EQ(find_stalled_places(trace, summary).places, 0u);
}

}  // namespace

}  // namespace strobe::analysis

#include "strobe/analysis/launches/flow_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FlowIndexTest, an_arrow_ties_the_innermost_slices_at_its_ends) {
  Sketch sketch;
  sketch.thread(1).slice("outer", kOp, 0, 100).slice("inner", kOp, 10, 20);
  sketch.flow(5, FlowPhase::kStart, 15);
  sketch.thread(2).slice("target", kOp, 50, 20).flow(5, FlowPhase::kEnd, 50);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  const FlowIndex flows(timeline);
  EXPECT_THAT(flows.arrows_of(SliceId(1)).to, ElementsAre(SliceId(2)));
  EXPECT_THAT(flows.arrows_of(SliceId(2)).from, ElementsAre(SliceId(1)));
  EXPECT_THAT(flows.arrows_of(SliceId(0)).to, IsEmpty());
}

TEST(FlowIndexTest, an_arrow_with_a_step_between_has_two_parts) {
  Sketch sketch;
  sketch.thread(1).slice("a", kOp, 0, 10).flow(5, FlowPhase::kStart, 1);
  sketch.thread(2).slice("b", kOp, 20, 10).flow(5, FlowPhase::kStep, 21);
  sketch.thread(3).slice("c", kOp, 40, 10).flow(5, FlowPhase::kEnd, 41);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  const FlowIndex flows(timeline);
  EXPECT_THAT(flows.arrows_of(SliceId(1)).from, ElementsAre(SliceId(0)));
  EXPECT_THAT(flows.arrows_of(SliceId(1)).to, ElementsAre(SliceId(2)));
}

TEST(FlowIndexTest, an_id_may_serve_again_and_categories_have_ids_of_their_own) {
  Sketch sketch;
  sketch.thread(1).slice("a", kOp, 0, 10).flow(5, FlowPhase::kStart, 1);
  sketch.slice("b", kOp, 20, 10).flow(5, FlowPhase::kEnd, 21);
  sketch.slice("c", kOp, 40, 10).flow(5, FlowPhase::kStart, 41);
  sketch.slice("d", kOp, 60, 10).flow(5, FlowPhase::kEnd, 61);
  sketch.slice("e", kOp, 80, 10).flow(5, FlowPhase::kEnd, 81, "another category");
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  const FlowIndex flows(timeline);
  EXPECT_THAT(flows.arrows_of(SliceId(1)).to, IsEmpty());
  EXPECT_THAT(flows.arrows_of(SliceId(2)).from, IsEmpty());
  EXPECT_THAT(flows.arrows_of(SliceId(2)).to, ElementsAre(SliceId(3)));
  EXPECT_THAT(flows.arrows_of(SliceId(4)).from, IsEmpty());
}

TEST(FlowIndexTest, ends_outside_every_slice_lead_nowhere) {
  Sketch sketch;
  sketch.thread(1).slice("a", kOp, 0, 10).flow(5, FlowPhase::kStart, 5);
  sketch.flow(5, FlowPhase::kEnd, 500);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  EXPECT_THAT(FlowIndex(timeline).arrows_of(SliceId(0)).to, IsEmpty());
}

}  // namespace
}  // namespace strobe::analysis

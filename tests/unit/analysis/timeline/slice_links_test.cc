#include "strobe/analysis/timeline/slice_links.h"

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

using namespace strobe::literals;

TEST(BackwardLinksTest, a_backward_operator_finds_the_last_forward_of_its_number) {
  Sketch sketch;
  sketch.thread(1).slice("view", kOp, 0_us, 1_us).sequence(5);
  sketch.slice("mm", kOp, 2_us, 1_us).sequence(5);
  const SliceId mm = sketch.last();
  sketch.slice("add", kOp, 4_us, 1_us).sequence(6);
  sketch.thread(2).slice("mm backward", kOp, 10_us, 1_us).sequence(5, 1);
  const SliceId backward = sketch.last();
  const auto links = link_backward(sketch.trace());
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].backward, backward);
  EXPECT_EQ(links[0].forward, mm);
}

TEST(BackwardLinksTest, a_forward_that_starts_later_is_not_meant) {
  // Numbers restart with every capture; the second use is a later forward.
  Sketch sketch;
  sketch.thread(1).slice("first", kOp, 0_us, 1_us).sequence(5);
  const SliceId first = sketch.last();
  sketch.slice("second", kOp, 20_us, 1_us).sequence(5);
  sketch.thread(2).slice("backward", kOp, 10_us, 1_us).sequence(5, 1);
  const auto links = link_backward(sketch.trace());
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].forward, first);
}

TEST(BackwardLinksTest, a_number_without_a_forward_and_another_process_give_no_link) {
  Sketch sketch;
  sketch.thread(1, 1).slice("forward", kOp, 0_us, 1_us).sequence(5);
  sketch.thread(2, 1).slice("backward of nothing", kOp, 10_us, 1_us).sequence(8, 1);
  sketch.thread(2, 2).slice("backward elsewhere", kOp, 10_us, 1_us).sequence(5, 1);
  EXPECT_TRUE(link_backward(sketch.trace()).empty());
}

std::vector<std::string> link_texts(const Trace& trace, SliceId slice) {
  const Timeline timeline(trace);
  const AttributedTrace input = attribute_trace(trace);
  std::vector<std::string> texts;
  for (const SliceLink& link : SliceLinks(timeline, input).of(slice)) {
    texts.push_back(std::string(word_of(link.kind)) + " " + std::string(trace.name(link.slice)));
  }
  return texts;
}

// frame > op > phase > call -> kernel, and a second kernel of the same call.
Sketch launching() {
  Sketch sketch;
  sketch.metadata().traits.nested_operators_are_phases = true;
  sketch.thread(1)
      .slice("frame", SliceKind::kPythonCall, 0, 100)
      .slice("op", kOp, 0, 90)
      .slice("phase", kOp, 10, 50)
      .slice("call", kCall, 20, 10)
      .correlation(7);
  sketch.flow(1, FlowPhase::kStart, 20);
  sketch.stream(0, 7).slice("second", kKernel, 60, 10).correlation(7);
  sketch.slice("first", kKernel, 40, 10).correlation(7);
  sketch.flow(1, FlowPhase::kEnd, 40);
  return sketch;
}

TEST(SliceLinksTest, work_is_launched_by_its_call_the_range_around_it_and_the_operator) {
  Sketch sketch = launching();
  const SliceId first = sketch.find("first");
  EXPECT_THAT(link_texts(sketch.trace(), first),
              ElementsAre("launched_by call", "launched_by phase", "launched_by op"));
}

TEST(SliceLinksTest, of_many_operators_around_a_launch_the_innermost_and_the_outermost_are_listed) {
  Sketch sketch;
  sketch.thread(1)
      .slice("outer", kOp, 0, 100)
      .slice("middle", kOp, 5, 80)
      .slice("inner", kOp, 10, 60);
  sketch.slice("range", SliceKind::kUserRange, 15, 40);
  sketch.slice("call", kCall, 20, 10).correlation(7);
  sketch.stream(0, 7).slice("k", kKernel, 60, 10).correlation(7);
  const SliceId kernel = sketch.last();
  EXPECT_THAT(link_texts(sketch.trace(), kernel),
              ElementsAre("launched_by call", "launched_by range", "launched_by inner",
                          "launched_by outer"));
}

TEST(SliceLinksTest, a_call_knows_both_sides) {
  Sketch sketch = launching();
  const SliceId call = sketch.find("call");
  EXPECT_THAT(link_texts(sketch.trace(), call), ElementsAre("launched_by phase", "launched_by op",
                                                            "launches first", "launches second"));
}

TEST(SliceLinksTest, operators_and_interpreter_frames_launch_what_was_started_inside) {
  Sketch sketch = launching();
  const SliceId op = sketch.find("op");
  const SliceId frame = sketch.find("frame");
  const Trace trace = sketch.trace();
  EXPECT_THAT(link_texts(trace, op), ElementsAre("launches first", "launches second"));
  EXPECT_THAT(link_texts(trace, frame), ElementsAre("launches first", "launches second"));
}

TEST(SliceLinksTest, gradients_are_tied_both_ways) {
  Sketch sketch;
  sketch.thread(1).slice("forward op", kOp, 0, 10).sequence(3);
  sketch.thread(2).slice("backward op", kOp, 50, 10).sequence(3, 1);
  const Trace trace = sketch.trace();
  EXPECT_THAT(link_texts(trace, SliceId(0)), ElementsAre("backward backward op"));
  EXPECT_THAT(link_texts(trace, SliceId(1)), ElementsAre("forward forward op"));
}

TEST(SliceLinksTest, only_arrows_that_say_something_new_are_listed) {
  Sketch sketch = launching();
  sketch.thread(1).slice("sends", kOp, 200, 10).flow(9, FlowPhase::kStart, 201, "queue");
  sketch.thread(2).slice("receives", kOp, 300, 10).flow(9, FlowPhase::kEnd, 301, "queue");
  const SliceId sends = sketch.find("sends");
  const SliceId receives = sketch.find("receives");
  const Trace trace = sketch.trace();
  EXPECT_THAT(link_texts(trace, sends), ElementsAre("flow_out receives"));
  EXPECT_THAT(link_texts(trace, receives), ElementsAre("flow_in sends"));
}

TEST(SliceLinksTest, a_lonely_slice_has_no_links) {
  EXPECT_THAT(link_texts(Sketch().slice("alone", kOp, 0, 1).trace(), SliceId(0)), IsEmpty());
}

}  // namespace

}  // namespace strobe::analysis

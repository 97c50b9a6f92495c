#include "strobe/analysis/launches/slice_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

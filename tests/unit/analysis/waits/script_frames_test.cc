#include "strobe/analysis/waits/script_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;

constexpr auto kFrame = SliceKind::kPythonCall;

TEST(FramePlaceTest, tells_the_script_from_libraries_and_frames_without_a_line) {
  EXPECT_EQ(frame_place("train.py(31): step"), FramePlace::kScript);
  EXPECT_EQ(frame_place("my/models(old)/net.py(7): forward"), FramePlace::kScript);
  EXPECT_EQ(frame_place("torch/nn/modules/module.py(1501): _call_impl"), FramePlace::kLibrary);
  EXPECT_EQ(frame_place("/opt/env/site-packages/numpy/core.py(3): f"), FramePlace::kLibrary);
  EXPECT_EQ(frame_place("threading.py(937): _bootstrap"), FramePlace::kLibrary);
  EXPECT_EQ(frame_place("<built-in method item of Tensor object at 0x7f>"), FramePlace::kNone);
  EXPECT_EQ(frame_place("<string>(1): <module>"), FramePlace::kNone);
  EXPECT_EQ(frame_place("nn.Module: Linear_0"), FramePlace::kNone);
  EXPECT_EQ(frame_place("f(x): g"), FramePlace::kNone);
  EXPECT_EQ(frame_place("): "), FramePlace::kNone);
  EXPECT_EQ(frame_place(""), FramePlace::kNone);
}

TEST(ThreadFramesTest, the_innermost_frame_answers_until_something_changes) {
  ThreadFrames frames;
  frames.add({10, 14}, StringId(2));  // inside the next one
  frames.add({0, 20}, StringId(1));
  frames.add({30, 40}, StringId(3));
  frames.sort();
  EXPECT_EQ(frames.at(0).name, StringId(1));
  EXPECT_EQ(frames.at(5).until_ns, 10);
  EXPECT_EQ(frames.at(10).name, StringId(2));
  EXPECT_EQ(frames.at(12).until_ns, 14);
  EXPECT_EQ(frames.at(14).name, StringId(1));
  EXPECT_EQ(frames.at(14).until_ns, 20);
  EXPECT_FALSE(frames.at(20).name.valid());
  EXPECT_EQ(frames.at(20).until_ns, 30);
  EXPECT_EQ(frames.at(35).name, StringId(3));
  EXPECT_FALSE(frames.at(40).name.valid());
}

TEST(ThreadFramesTest, in_a_range_the_innermost_frame_of_the_script_answers) {
  const StringId script(1);
  const StringId library(2);
  const auto is_of_script = [&](StringId name) { return name == script; };
  ThreadFrames frames;
  frames.add({0, 100}, script);
  frames.add({20, 60}, script);
  frames.add({30, 40}, library);
  frames.add_range({10, 90});
  frames.add_range({45, 50});
  frames.sort();
  const auto at = [&](std::int64_t time_ns) { return frames.script_at(time_ns, is_of_script); };
  EXPECT_FALSE(at(10).name.valid());  // the outer frame is not inside
  EXPECT_EQ(at(10).until_ns, 20);
  EXPECT_EQ(at(20).name, script);
  EXPECT_EQ(at(20).until_ns, 30);
  EXPECT_EQ(at(35).name, script);
  EXPECT_EQ(at(35).until_ns, 40);
  EXPECT_FALSE(at(45).name.valid());
  EXPECT_EQ(at(50).name, script);
  EXPECT_EQ(at(50).until_ns, 60);
  EXPECT_FALSE(at(60).name.valid());
  EXPECT_EQ(at(60).until_ns, 90);
}

TEST(ThreadFramesTest, a_frame_that_has_ended_does_not_answer_though_a_later_one_is_open) {
  const StringId script(1);
  const StringId library(2);
  ThreadFrames frames;
  frames.add_range({0, 100});
  frames.add({10, 40}, script);
  frames.add({20, 60}, library);
  frames.sort();
  const auto is_of_script = [&](StringId name) { return name == script; };
  EXPECT_EQ(frames.script_at(30, is_of_script).name, script);
  EXPECT_EQ(frames.script_at(30, is_of_script).until_ns, 40);
  EXPECT_FALSE(frames.script_at(50, is_of_script).name.valid());
}

TEST(FindFramesTest, keeps_the_frames_of_watched_threads_that_meet_the_times) {
  Sketch sketch;
  for (const std::int64_t thread : {1, 2}) {
    sketch.thread(thread)
        .slice("op", kOp, 0_us, 1_us)
        .slice("late", kFrame, 50_us, 5_us)
        .slice("early", kFrame, 2_us, 5_us)
        .slice("unknown", SliceKind::kOther, 20_us, 15_us)
        .slice("between", kFrame, 12_us, 6_us);
  }
  const Trace trace = sketch.trace();
  const AttributedTrace input = attribute_trace(trace);
  auto frames = find_frames(input, {1, 0}, {{0_us, 10_us}, {30_us, 40_us}});
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(trace.strings()[frames[0].at(3_us).name], "early");
  EXPECT_FALSE(frames[0].at(15_us).name.valid());
  EXPECT_EQ(trace.strings()[frames[0].at(31_us).name], "unknown");
  EXPECT_FALSE(frames[0].at(52_us).name.valid());
  EXPECT_FALSE(frames[1].at(3_us).name.valid());
}

TEST(FindSourcesTest, the_innermost_line_of_the_script_wins) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("op", kOp, 0_us, 1_us)
                          .slice("main.py(90): main", kFrame, 0_us, 100_us)
                          .slice("train.py(31): step", kFrame, 10_us, 50_us)
                          .slice("torch/optim/adam.py(20): step", kFrame, 12_us, 40_us)
                          .slice("<built-in item>", kFrame, 20_us, 20_us)
                          .slice("train.py(60): other", kFrame, 70_us, 10_us)
                          .thread(2)
                          .slice("op", kOp, 0_us, 1_us)
                          .slice("torch/loader.py(5): run", kFrame, 0_us, 100_us)
                          .slice("torch/loader.py(9): inner", kFrame, 10_us, 50_us)
                          .trace();
  const AttributedTrace input = attribute_trace(trace);
  EXPECT_THAT(find_sources(input, {{0, {72_us, 75_us}},
                                   {0, {25_us, 30_us}},
                                   {0, {50_us, 65_us}},   // leaves the frame of step
                                   {1, {25_us, 30_us}},   // libraries only
                                   {1, {90_us, 110_us}},  // no frame contains it
                                   {OpTree::kNoThread, {25_us, 30_us}}}),
              ElementsAre("train.py(60): other", "train.py(31): step", "main.py(90): main",
                          "torch/loader.py(9): inner", "", ""));
}

}  // namespace
}  // namespace strobe::analysis

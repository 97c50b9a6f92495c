#include "strobe/analysis/waits/idle_stretches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;

// "thread 1: operator gemm 3" for each stretch of all gaps, in microseconds.
std::vector<std::string> causes_of(Sketch& sketch) {
  const Trace trace = sketch.trace();
  const AttributedTrace input = attribute_trace(trace);
  const IdleGaps gaps = find_idle_gaps(input, trace.extent());
  IdleExplainer explainer(input, gaps.intervals);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const Interval gap = gaps.intervals[i];
    std::int64_t time_ns = gap.start_ns;
    explainer.explain(find_launch_end(input, gaps, i), gap, [&](const IdleStretch& stretch) {
      EXPECT_EQ(stretch.interval.start_ns, time_ns);
      time_ns = stretch.interval.end_ns;
      std::string text;
      if (stretch.thread != OpTree::kNoThread) {
        text = std::string(trace.strings()[input.tree.threads[stretch.thread].thread]) + ": ";
      }
      const Cause& cause = explainer.causes()[stretch.cause];
      EXPECT_EQ(stretch.kind, cause.kind);
      text += word_of(cause.kind);
      if (cause.name.valid()) text += " " + std::string(trace.strings()[cause.name]);
      texts.push_back(text + " " + std::to_string(stretch.interval.length_ns() / 1_us));
    });
    EXPECT_EQ(time_ns, gap.end_ns);
  }
  return texts;
}

TEST(IdleExplainerTest, after_the_end_of_its_launch_the_next_work_is_launched) {
  Sketch sketch;
  sketch.thread(1)
      .slice("op", kOp, 0_us, 20_us)
      .slice("launch", kCall, 10_us, 5_us)
      .correlation(1)
      .stream(0, 7)
      .slice("k", kKernel, 30_us, 5_us)
      .correlation(1);
  EXPECT_THAT(causes_of(sketch),
              ElementsAre("1: operator op 10", "1: runtime_call launch 5", "1: launched 15"));
}

TEST(IdleExplainerTest, a_gap_before_work_that_was_launched_before_it_is_all_launched) {
  Sketch sketch;
  sketch.thread(1)
      .slice("launch", kCall, 0_us, 1_us)
      .correlation(1)
      .slice("launch", kCall, 1_us, 1_us)
      .correlation(2)
      .slice("op", kOp, 2_us, 28_us)
      .stream(0, 7)
      .slice("k", kKernel, 0_us, 10_us)
      .correlation(1)
      .slice("k", kKernel, 20_us, 10_us)
      .correlation(2);
  EXPECT_THAT(causes_of(sketch), ElementsAre("1: launched 10"));
}

TEST(IdleExplainerTest, work_that_starts_during_its_call_was_waited_for_to_the_end) {
  Sketch sketch;
  sketch.thread(1)
      .slice("launch", kCall, 0_us, 20_us)
      .correlation(1)
      .stream(0, 7)
      .slice("k", kKernel, 10_us, 10_us)
      .correlation(1);
  EXPECT_THAT(causes_of(sketch), ElementsAre("1: runtime_call launch 10"));
}

TEST(IdleExplainerTest, the_thread_is_the_one_that_launches_the_next_work) {
  Sketch sketch;
  sketch.thread(1)
      .slice("forward", kOp, 0_us, 10_us)
      .slice("launch", kCall, 8_us, 2_us)
      .correlation(1)
      .thread(2)
      .slice("backward", kOp, 0_us, 40_us)
      .slice("launch", kCall, 38_us, 2_us)
      .correlation(2)
      .stream(0, 7)
      .slice("k", kKernel, 10_us, 10_us)
      .correlation(1)
      .slice("k", kKernel, 40_us, 10_us)
      .correlation(2);
  EXPECT_THAT(causes_of(sketch),
              ElementsAre("1: operator forward 8", "1: runtime_call launch 2",
                          "2: operator backward 18", "2: runtime_call launch 2"));
}

// The second thread begins at 30 us: until then the script's thread is the reason.
TEST(IdleExplainerTest, before_a_thread_shows_anything_the_script_is_the_reason) {
  Sketch sketch;
  sketch.thread(1)
      .slice("Step#1", SliceKind::kStep, 0_us, 60_us)
      .slice("forward", kOp, 0_us, 10_us)
      .slice("launch", kCall, 8_us, 2_us)
      .correlation(1)
      .slice("train.py(3): step", SliceKind::kPythonCall, 15_us, 40_us)
      .slice("loss", kOp, 22_us, 4_us)
      .thread(2)
      .slice("backward", kOp, 30_us, 10_us)
      .slice("launch", kCall, 38_us, 2_us)
      .correlation(2)
      .stream(0, 7)
      .slice("k", kKernel, 10_us, 2_us)
      .correlation(1)
      .slice("k", kKernel, 40_us, 20_us)
      .correlation(2);
  EXPECT_THAT(causes_of(sketch), ElementsAre("1: operator forward 8", "1: runtime_call launch 2",
                                             "1: nothing 3", "1: script train.py(3): step 7",
                                             "1: operator loss 4", "1: script train.py(3): step 4",
                                             "2: operator backward 8", "2: runtime_call launch 2"));
}

TEST(IdleExplainerTest, frames_of_the_launching_thread_come_before_the_script_thread) {
  Sketch sketch;
  sketch.thread(1)
      .slice("Step#1", SliceKind::kStep, 0_us, 40_us)
      .slice("wait", kOp, 0_us, 40_us)
      .thread(2)
      .slice("worker.py(8): run", SliceKind::kPythonCall, 0_us, 20_us)
      .slice("something", SliceKind::kOther, 5_us, 5_us)
      .slice("launch", kCall, 28_us, 2_us)
      .correlation(1)
      .stream(0, 7)
      .slice("k", kKernel, 30_us, 10_us)
      .correlation(1);
  EXPECT_THAT(causes_of(sketch),
              ElementsAre("2: script worker.py(8): run 5", "2: script something 5",
                          "2: script worker.py(8): run 10", "1: operator wait 8",
                          "2: runtime_call launch 2"));
}

TEST(IdleExplainerTest, orphans_and_the_end_are_explained_by_the_thread_that_launches_most) {
  Sketch sketch;
  sketch.thread(1)
      .slice("rare", kOp, 0_us, 60_us)
      .thread(2)
      .slice("launch", kCall, 0_us, 10_us)
      .correlation(1)
      .slice("busy", kOp, 12_us, 48_us)
      .stream(0, 7)
      .slice("k", kKernel, 10_us, 10_us)
      .correlation(1)
      .slice("orphan", kKernel, 30_us, 10_us);
  EXPECT_THAT(causes_of(sketch), ElementsAre("2: runtime_call launch 10", "2: operator busy 10",
                                             "2: operator busy 20"));
}

TEST(IdleExplainerTest, work_known_by_its_operator_waits_until_that_has_ended) {
  Sketch sketch;
  sketch.thread(1)
      .slice("op", kOp, 0_us, 10_us)
      .external(4)
      .stream(0, 7)
      .slice("k", kKernel, 15_us, 10_us)
      .external(4);
  EXPECT_THAT(causes_of(sketch), ElementsAre("1: operator op 10", "1: launched 5"));
}

TEST(IdleExplainerTest, without_launches_the_thread_with_most_ranges_explains) {
  Sketch sketch;
  sketch.thread(1)
      .slice("op", kOp, 0_us, 10_us)
      .slice("range", SliceKind::kAnnotation, 10_us, 5_us)
      .thread(2)
      .slice("other", kOp, 0_us, 20_us)
      .stream(0, 7)
      .slice("k", kKernel, 20_us, 10_us);
  EXPECT_THAT(causes_of(sketch),
              ElementsAre("1: operator op 10", "1: range range 5", "1: nothing 5"));
}

TEST(IdleExplainerTest, while_the_profiler_works_nothing_else_is_the_reason) {
  Sketch sketch;
  sketch.thread(1)
      .slice("op", kOp, 0_us, 30_us)
      .slice("launch", kCall, 25_us, 3_us)
      .correlation(1)
      .stream(0, 7)
      .slice("k", kKernel, 40_us, 10_us)
      .correlation(1)
      .thread(0, -1)
      .slice("Buffer Flush", SliceKind::kOverhead, 5_us, 10_us)
      .slice("Activity Buffer Request", SliceKind::kOverhead, 30_us, 5_us)
      .slice("Buffer Flush", SliceKind::kOverhead, 42_us, 5_us);
  EXPECT_THAT(causes_of(sketch),
              ElementsAre("1: operator op 5", "overhead Buffer Flush 10", "1: operator op 10",
                          "1: runtime_call launch 3", "1: launched 2",
                          "overhead Activity Buffer Request 5", "1: launched 5"));
}

TEST(IdleExplainerTest, an_overhead_of_the_driver_belongs_to_the_call_around_it) {
  Sketch sketch;
  sketch.thread(1)
      .slice("launch", kCall, 0_us, 20_us)
      .correlation(1)
      .stream(0, 7)
      .slice("k", kKernel, 20_us, 10_us)
      .correlation(1)
      .thread(0, -1)
      .slice("Lazy Function Loading", SliceKind::kOverhead, 5_us, 10_us);
  EXPECT_THAT(causes_of(sketch), ElementsAre("1: runtime_call launch 20"));
}

constexpr auto kModuleRange = SliceKind::kForward;

// Modules are ranges; what the script itself does in them is slow.
TEST(IdleExplainerTest, a_frame_of_the_script_says_more_than_the_range_it_was_opened_in) {
  Sketch sketch;
  sketch.thread(1)
      .slice("train.py(31): step", SliceKind::kPythonCall, 0_us, 110_us)
      .slice("nn.Module: Net_0", kModuleRange, 10_us, 80_us)
      .slice("net.py(12): forward", SliceKind::kPythonCall, 20_us, 40_us)
      .slice("nn.Module: Linear_0", kModuleRange, 40_us, 10_us)
      .slice("torch/nn/modules/linear.py(114): forward", SliceKind::kPythonCall, 42_us, 6_us)
      .slice("<built-in function sleep>", SliceKind::kPythonCall, 52_us, 6_us)
      .slice("aten::relu", kOp, 70_us, 10_us)
      .slice("launch", kCall, 95_us, 5_us)
      .correlation(1)
      .stream(0, 7)
      .slice("k", kKernel, 100_us, 10_us)
      .correlation(1);
  EXPECT_THAT(causes_of(sketch),
              ElementsAre("1: script train.py(31): step 10", "1: range nn.Module: Net_0 10",
                          "1: script net.py(12): forward 20", "1: range nn.Module: Linear_0 10",
                          "1: script net.py(12): forward 10", "1: range nn.Module: Net_0 10",
                          "1: operator aten::relu 10", "1: range nn.Module: Net_0 10",
                          "1: script train.py(31): step 5", "1: runtime_call launch 5"));
}

TEST(IdleExplainerTest, frames_in_ranges_of_the_script_thread_count_for_the_other_thread) {
  Sketch sketch;
  sketch.thread(1)
      .slice("Step#1", SliceKind::kStep, 0_us, 60_us)
      .slice("loss", SliceKind::kAnnotation, 0_us, 30_us)
      .slice("loss.py(5): smooth", SliceKind::kPythonCall, 10_us, 15_us)
      .thread(2)
      .slice("backward", kOp, 30_us, 10_us)
      .slice("launch", kCall, 38_us, 2_us)
      .correlation(1)
      .stream(0, 7)
      .slice("k", kKernel, 40_us, 20_us)
      .correlation(1);
  EXPECT_THAT(causes_of(sketch),
              ElementsAre("1: range loss 10", "1: script loss.py(5): smooth 15", "1: range loss 5",
                          "2: operator backward 8", "2: runtime_call launch 2"));
}

TEST(IdleExplainerTest, without_host_threads_nothing_is_known) {
  Sketch sketch;
  sketch.stream(0, 7).slice("k", kKernel, 0_us, 10_us).slice("k", kKernel, 20_us, 10_us);
  EXPECT_THAT(causes_of(sketch), ElementsAre("nothing 10"));
}

}  // namespace
}  // namespace strobe::analysis

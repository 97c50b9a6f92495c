#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace strobe::literals;

std::vector<Interval> intervals_of(const CycleList& list) {
  std::vector<Interval> intervals;
  for (const Cycle& cycle : list.cycles) intervals.push_back(cycle.interval);
  return intervals;
}

CycleList steps_of(Sketch& sketch) {
  Result<CycleList> list = cycles_by_steps(sketch.trace());
  EXPECT_TRUE(list) << (list ? "" : list.error().what);
  return list ? std::move(list).value() : CycleList{};
}

CycleList marked_by(Sketch& sketch, const std::string& pattern) {
  Result<CycleList> list = cycles_by_marker(sketch.trace(), pattern, "--cycle");
  EXPECT_TRUE(list) << (list ? "" : list.error().what);
  return list ? std::move(list).value() : CycleList{};
}

TEST(CycleMarkersTest, steps_are_cycles_in_time_order) {
  Sketch sketch;
  sketch.thread(5, 944615)
      .slice("ProfilerStep#8", SliceKind::kStep, 20_us, 10_us)
      .slice("ProfilerStep#7", SliceKind::kStep, 5_us, 12_us);
  const CycleList list = steps_of(sketch);
  EXPECT_EQ(list.method, CycleMethod::kSteps);
  EXPECT_EQ(list.confidence, CycleConfidence::kHigh);
  EXPECT_EQ(list.marker, "ProfilerStep#N");
  EXPECT_EQ(list.process, "944615");
  EXPECT_THAT(intervals_of(list), ElementsAre(Interval{5_us, 17_us}, Interval{20_us, 30_us}));
  EXPECT_EQ(list.cycles[0].name, "ProfilerStep#7");
  EXPECT_FALSE(list.cycles[0].has_inferred_border);
  EXPECT_THAT(list.marker_slices, ElementsAre(SliceId(std::size_t{0}), SliceId(std::size_t{1})));
}

TEST(CycleMarkersTest, the_projection_of_a_step_onto_the_device_is_no_cycle) {
  Sketch sketch;
  sketch.thread(1)
      .slice("ProfilerStep#1", SliceKind::kStep, 0, 10_us)
      .stream(0, 7)
      .slice("ProfilerStep#1", SliceKind::kDeviceAnnotation, 4_us, 30_us);
  EXPECT_THAT(intervals_of(steps_of(sketch)), ElementsAre(Interval{0, 10_us}));
  Sketch again;
  again.thread(1)
      .slice("ProfilerStep#1", SliceKind::kStep, 0, 10_us)
      .stream(0, 7)
      .slice("ProfilerStep#1", SliceKind::kDeviceAnnotation, 4_us, 30_us);
  EXPECT_THAT(intervals_of(marked_by(again, "Step")), ElementsAre(Interval{0, 10_us}));
}

TEST(CycleMarkersTest, threads_that_repeat_a_step_make_one_cycle) {
  Sketch sketch;
  sketch.thread(1)
      .slice("ProfilerStep#1", SliceKind::kStep, 0, 10_us)
      .slice("ProfilerStep#2", SliceKind::kStep, 10_us, 10_us)
      .thread(2)
      .slice("ProfilerStep#1", SliceKind::kStep, 1_us, 10_us)
      .slice("ProfilerStep#2", SliceKind::kStep, 11_us, 10_us);
  const CycleList list = steps_of(sketch);
  EXPECT_THAT(intervals_of(list), ElementsAre(Interval{0, 10_us}, Interval{10_us, 21_us}));
  EXPECT_EQ(list.marker_slices.size(), 4u);
}

TEST(CycleMarkersTest, rounded_times_that_overlap_by_a_little_do_not_join_cycles) {
  Sketch sketch;
  sketch.thread(1);
  for (std::int64_t i = 0; i < 5; ++i) {
    sketch.slice("turn", SliceKind::kAnnotation, i * 100_us, 101_us);
  }
  const CycleList list = marked_by(sketch, "^turn$");
  ASSERT_EQ(list.cycles.size(), 5u);
  EXPECT_EQ(list.cycles[0].interval, (Interval{0, 100_us}));
  EXPECT_EQ(list.cycles[4].interval, (Interval{400_us, 501_us}));
}

TEST(CycleMarkersTest, of_nested_matches_the_outermost_count) {
  Sketch sketch;
  sketch.thread(1)
      .slice("decode_cycle", SliceKind::kAnnotation, 0, 50_us)
      .slice("decode_cycle.inner", SliceKind::kOperator, 5_us, 10_us)
      .slice("decode_cycle.inner", SliceKind::kOperator, 20_us, 30_us)
      .slice("decode_cycle", SliceKind::kAnnotation, 60_us, 40_us);
  const CycleList list = marked_by(sketch, "decode");
  EXPECT_EQ(list.method, CycleMethod::kMarker);
  EXPECT_EQ(list.marker, "decode_cycle");
  EXPECT_THAT(intervals_of(list), ElementsAre(Interval{0, 50_us}, Interval{60_us, 100_us}));
  EXPECT_EQ(list.marker_slices.size(), 4u);
}

TEST(CycleMarkersTest, operators_and_frames_match_but_calls_and_kernels_do_not) {
  Sketch sketch;
  sketch.thread(1)
      .slice("loop", SliceKind::kPythonCall, 0, 5_us)
      .slice("loop", SliceKind::kOperator, 10_us, 5_us)
      .slice("loop", SliceKind::kRuntimeCall, 20_us, 5_us)
      .stream(0, 1)
      .slice("loop", SliceKind::kKernel, 30_us, 5_us);
  EXPECT_EQ(marked_by(sketch, "loop").cycles.size(), 2u);
}

TEST(CycleMarkersTest, the_process_whose_markers_last_longest_decides) {
  Sketch sketch;
  sketch.thread(1, 10)
      .slice("step", SliceKind::kAnnotation, 0, 1_us)
      .slice("step", SliceKind::kAnnotation, 2_us, 1_us)
      .slice("step", SliceKind::kAnnotation, 4_us, 1_us)
      .thread(1, 20)
      .slice("step", SliceKind::kAnnotation, 1_us, 50_us)
      .slice("step", SliceKind::kAnnotation, 60_us, 50_us);
  const CycleList list = marked_by(sketch, "step");
  EXPECT_EQ(list.process, "20");
  EXPECT_EQ(list.cycles.size(), 2u);
  EXPECT_EQ(list.marker_slices.size(), 5u);
}

TEST(CycleMarkersTest, a_pattern_that_fits_different_names_is_the_marker_itself) {
  Sketch sketch;
  sketch.thread(1)
      .slice("prefill", SliceKind::kAnnotation, 0, 10_us)
      .slice("decode", SliceKind::kAnnotation, 10_us, 10_us);
  EXPECT_EQ(marked_by(sketch, "prefill|decode").marker, "prefill|decode");
}

TEST(CycleMarkersTest, a_pattern_without_a_match_is_answered_with_the_names_there_are) {
  const Result<CycleList> list = cycles_by_marker(
      Sketch().thread(1).slice("decode_3", SliceKind::kAnnotation, 0, 1_us).trace(), "prefill",
      "cycle");
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().where, "cycle");
  EXPECT_EQ(list.error().code, ErrorCode::kTooLittleData);
  EXPECT_EQ(list.error().what, "no host range matches 'prefill'");
  EXPECT_THAT(list.error().hint, HasSubstr("'decode_N'"));
}

TEST(CycleMarkersTest, a_pattern_that_is_none_is_a_mistake_on_the_command_line) {
  const Result<CycleList> list = cycles_by_marker(Sketch().trace(), "(", "--cycle");
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(list.error().where, "--cycle");
}

TEST(CycleMarkersTest, markers_without_duration_cut_nothing) {
  EXPECT_FALSE(cycles_by_steps(Sketch().thread(1).slice("s#1", SliceKind::kStep, 5_us, 0).trace()));
}

TEST(CycleMarkersTest, numbers_at_the_end_of_a_name_are_taken_for_counting) {
  EXPECT_EQ(without_number("ProfilerStep#12"), "ProfilerStep#N");
  EXPECT_EQ(without_number("step 3"), "step N");
  EXPECT_EQ(without_number("decode"), "decode");
  EXPECT_EQ(without_number("77"), "77");
  EXPECT_EQ(without_number(""), "");
}

CycleList find(const Trace& trace) {
  Result<CycleList> list = cycles_by_host_frame(trace);
  EXPECT_TRUE(list) << (list ? "" : list.error().what);
  return list ? std::move(list).value() : CycleList{};
}

// A loop of five turns, 100 us each with 10 us between, that launches something in each.
Sketch& add_loop(Sketch& sketch, const std::string& name, SliceKind kind) {
  for (std::int64_t i = 0; i < 5; ++i) {
    sketch.slice(name, kind, i * 110_us, 100_us)
        .slice("launch", SliceKind::kRuntimeCall, i * 110_us + 50_us, 5_us);
  }
  return sketch;
}

TEST(CycleFramesTest, a_range_that_fills_the_trace_again_and_again_is_the_loop) {
  Sketch sketch;
  add_loop(sketch.thread(3, 77), "run_batch", SliceKind::kUserRange);
  const CycleList list = find(sketch.trace());
  EXPECT_EQ(list.method, CycleMethod::kHostFrame);
  EXPECT_EQ(list.confidence, CycleConfidence::kMedium);
  EXPECT_EQ(list.marker, "run_batch");
  EXPECT_EQ(list.process, "77");
  ASSERT_EQ(list.cycles.size(), 5u);
  // Time between two turns belongs to the first.
  EXPECT_EQ(list.cycles[1].interval, (Interval{110_us, 220_us}));
  EXPECT_EQ(list.cycles[4].interval, (Interval{440_us, 540_us}));
  EXPECT_TRUE(list.cycles[0].has_inferred_border);
  EXPECT_FALSE(list.cycles[1].has_inferred_border);
  EXPECT_TRUE(list.cycles[4].has_inferred_border);
  EXPECT_EQ(list.marker_slices.size(), 5u);
}

TEST(CycleFramesTest, the_shallowest_loop_is_the_one_even_if_an_inner_one_is_steadier) {
  Sketch sketch;
  sketch.thread(1).slice("main", SliceKind::kPythonCall, 0, 1000_us);
  std::int64_t at_ns = 0;
  for (const std::int64_t duration_ns : {180_us, 220_us, 200_us, 190_us, 210_us}) {
    sketch.slice("step", SliceKind::kPythonCall, at_ns, duration_ns);
    for (std::int64_t i = 0; i < 10; ++i) {
      const std::int64_t part_ns = duration_ns / 10;
      sketch.slice("layer", SliceKind::kPythonCall, at_ns + i * part_ns, part_ns);
    }
    at_ns += duration_ns;
  }
  const CycleList list = find(sketch.trace());
  EXPECT_EQ(list.marker, "step");
  EXPECT_EQ(list.cycles.size(), 5u);
}

TEST(CycleFramesTest, numbered_names_are_turns_of_one_loop) {
  Sketch sketch;
  sketch.thread(1);
  for (std::int64_t i = 0; i < 4; ++i) {
    sketch.slice("iteration " + std::to_string(i), SliceKind::kAnnotation, i * 10_us, 10_us);
  }
  const CycleList list = find(sketch.trace());
  EXPECT_EQ(list.marker, "iteration N");
  EXPECT_EQ(list.cycles[2].name, "iteration 2");
}

TEST(CycleFramesTest, a_thread_that_waits_in_a_rhythm_is_not_the_loop) {
  Sketch sketch;
  sketch.thread(2);
  for (std::int64_t i = 0; i < 54; ++i) {
    sketch.slice("wait", SliceKind::kPythonCall, i * 10_us, 10_us);
  }
  add_loop(sketch.thread(1), "forward_loop", SliceKind::kPythonCall);
  EXPECT_EQ(find(sketch.trace()).marker, "forward_loop");
}

TEST(CycleFramesTest, a_range_inside_its_own_kind_is_counted_once) {
  Sketch sketch;
  sketch.thread(1);
  for (std::int64_t i = 0; i < 4; ++i) {
    sketch.slice("call", SliceKind::kOperator, i * 100_us, 95_us)
        .slice("call", SliceKind::kOperator, i * 100_us + 10_us, 5_us);
  }
  EXPECT_EQ(find(sketch.trace()).cycles.size(), 4u);
}

TEST(CycleFramesTest, too_few_too_short_or_too_uneven_ranges_are_no_loop) {
  const auto has_loop = [](const std::vector<std::int64_t>& durations_ns, std::int64_t gap_ns) {
    Sketch sketch;
    sketch.thread(1);
    std::int64_t at_ns = 0;
    for (const std::int64_t duration_ns : durations_ns) {
      sketch.slice("turn", SliceKind::kOperator, at_ns, duration_ns);
      at_ns += duration_ns + gap_ns;
    }
    return cycles_by_host_frame(sketch.trace()).has_value();
  };
  EXPECT_TRUE(has_loop({100_us, 100_us, 100_us, 100_us}, 10_us));
  EXPECT_FALSE(has_loop({100_us, 100_us, 100_us}, 10_us));
  EXPECT_FALSE(has_loop({100_us, 100_us, 100_us, 100_us}, 50_us));
  EXPECT_FALSE(has_loop({10_us, 10_us, 10_us, 300_us}, 1_us));
}

TEST(CycleFramesTest, an_empty_trace_has_no_loop) {
  const Result<CycleList> list = cycles_by_host_frame(Trace());
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().what, "no host range recurs throughout the trace");
}

}  // namespace

}  // namespace strobe::analysis

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

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
  // What lies between two turns belongs to the first.
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
  EXPECT_EQ(list.error().what, "no range of the host recurs through the trace");
}

}  // namespace
}  // namespace strobe::analysis

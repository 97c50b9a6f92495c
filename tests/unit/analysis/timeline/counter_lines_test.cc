#include "strobe/analysis/timeline/counter_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

std::vector<CounterLine> lines_of(const Trace& trace) {
  return list_counter_lines(attribute_trace(trace));
}

std::vector<std::string> point_texts(const CounterLine& line, Interval window,
                                     std::uint32_t columns) {
  std::vector<std::string> texts;
  for (const CounterPoint& point : sample(line, window, columns)) {
    char text[64];
    std::snprintf(text, sizeof text, "%d %g..%g", static_cast<int>(point.time_ns), point.low,
                  point.high);
    texts.emplace_back(text);
  }
  return texts;
}

TEST(CounterLinesTest, devices_come_first_then_memory_then_the_traces_own) {
  Sketch sketch;
  sketch.counter("power", "W", 0, 700);
  sketch.memory(MemoryAction::kAllocate, "Place(gpu:0)", 0, 10).totals(10, 64);
  sketch.memory(MemoryAction::kAllocate, "Place(cpu)", 0, 10).totals(10, 0);
  sketch.stream(1, 7).slice("k", SliceKind::kKernel, 0, 1);
  std::vector<std::string> names;
  for (const CounterLine& line : lines_of(sketch.trace())) names.push_back(line.name);
  EXPECT_THAT(names, ElementsAre("GPU 1 busy", "GPU 0 allocated", "GPU 0 reserved", "CPU allocated",
                                 "power"));
}

TEST(CounterLinesTest, several_series_and_processes_are_told_apart) {
  Sketch sketch;
  sketch.thread(1, 10).counter("c", "x", 0, 1).counter("c", "y", 0, 2);
  sketch.thread(1, 20).counter("d", "x", 0, 1);
  sketch.thread(1, 30).counter("d", "x", 0, 1);
  std::vector<std::string> names;
  for (const CounterLine& line : lines_of(sketch.trace())) names.push_back(line.name);
  EXPECT_THAT(names, ElementsAre("c x", "c y", "d (20)", "d (30)"));
}

TEST(CounterLinesTest, a_value_holds_until_the_next_and_columns_keep_lows_and_highs) {
  Sketch sketch;
  sketch.counter("c", "v", 12, 5).counter("c", "v", 15, 9).counter("c", "v", 30, 1);
  const CounterLine line = lines_of(sketch.trace())[0];
  EXPECT_EQ(line.max, 9);
  EXPECT_THAT(point_texts(line, {0, 50}, 5),
              ElementsAre("10 5..9", "20 9..9", "30 1..1", "40 1..1"));
  EXPECT_THAT(point_texts(line, {100, 110}, 1), ElementsAre("100 1..1"));
  EXPECT_TRUE(point_texts(line, {0, 12}, 3).empty()) << "not known yet";
}

TEST(CounterLinesTest, events_out_of_order_and_values_below_zero_are_kept) {
  Sketch sketch;
  sketch.counter("c", "v", 20, -3).counter("c", "v", 10, -8);
  const CounterLine line = lines_of(sketch.trace())[0];
  EXPECT_EQ(line.max, -3);
  EXPECT_THAT(point_texts(line, {0, 30}, 3), ElementsAre("10 -8..-8", "20 -3..-3"));
}

TEST(CounterLinesTest, the_busy_share_is_that_of_all_streams_of_a_device_together) {
  Sketch sketch;
  sketch.stream(0, 7).slice("k", SliceKind::kKernel, 5, 10).slice("k", SliceKind::kKernel, 30, 10);
  sketch.stream(0, 8).slice("m", SliceKind::kMemcpy, 10, 8);
  sketch.slice("annotation", SliceKind::kDeviceAnnotation, 0, 40);
  const CounterLine line = lines_of(sketch.trace())[0];
  EXPECT_EQ(line.max, 1);
  EXPECT_THAT(point_texts(line, {0, 40}, 4),
              ElementsAre("0 0.5..0.5", "10 0.8..0.8", "20 0..0", "30 1..1"));
  EXPECT_THAT(point_texts(line, {12, 14}, 1), ElementsAre("12 1..1"));
}

TEST(CounterLinesTest, work_that_was_launched_and_has_not_started_waits_in_the_queue) {
  Sketch sketch;
  sketch.thread(1).slice("call", SliceKind::kRuntimeCall, 0, 10).correlation(1);
  sketch.slice("call", SliceKind::kRuntimeCall, 10, 10).correlation(2);
  sketch.stream(2, 7).slice("a", SliceKind::kKernel, 30, 10).correlation(1);
  sketch.slice("b", SliceKind::kKernel, 40, 10).correlation(2);
  const std::vector<CounterLine> lines = lines_of(sketch.trace());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].name, "GPU 2 queue");
  EXPECT_EQ(lines[1].max, 2);
  EXPECT_THAT(point_texts(lines[1], {10, 50}, 4),
              ElementsAre("10 1..1", "20 2..2", "30 1..1", "40 0..0"));
}

TEST(CounterLinesTest, a_device_whose_launches_are_unknown_has_no_queue) {
  Sketch sketch;
  sketch.stream(0, 7).slice("k", SliceKind::kKernel, 5, 10);
  EXPECT_EQ(lines_of(sketch.trace()).size(), 1u);
}

TEST(CounterLinesTest, more_columns_than_nanoseconds_give_a_point_per_nanosecond) {
  Sketch sketch;
  sketch.counter("c", "v", 0, 1);
  EXPECT_EQ(sample(lines_of(sketch.trace())[0], {0, 3}, 1000).size(), 3u);
}

}  // namespace
}  // namespace strobe::analysis

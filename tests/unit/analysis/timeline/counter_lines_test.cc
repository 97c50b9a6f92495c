#include "strobe/analysis/timeline/counter_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"
#include "tests/unit/analysis/timeline/recorded_sketch.h"

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

// "power/limit W of GPU 0".
std::vector<std::string> label_texts(const Trace& trace) {
  std::vector<std::string> texts;
  for (const CounterLine& line : lines_of(trace)) {
    std::string text = line.label + (line.key.empty() ? "" : "/" + line.key) + " " + line.unit;
    switch (line.owner.what) {
      case CounterOwner::What::kMachine:
        text += " of the machine";
        break;
      case CounterOwner::What::kDevice:
        text += " of device " + std::to_string(line.owner.device);
        break;
      case CounterOwner::What::kProcess:
        text += " of process " + std::string(trace.strings()[line.owner.process]);
        break;
      case CounterOwner::What::kThread:
        text += " of thread " +
                std::string(trace.strings()[trace.tracks()[line.owner.thread.index()].thread]);
        break;
    }
    texts.push_back(text + (line.is_main ? "!" : ""));
  }
  return texts;
}

TEST(CounterLinesTest, metrics_of_a_run_have_labels_units_and_owners_in_a_fixed_order) {
  RecordedSketch sketch;
  sketch.thread("9", "11").slice("a", kOp, 0, 1);
  sketch.sample("waiting_for_core_pct", 0, 30).sample("waiting_for_core_pct", 10, 40);
  sketch.of_process("9").sample("process_rss_bytes", 0, 4096).sample("process_cpu_usage", 0, 90);
  sketch.of_machine().sample("host_cpu_usage", 0, 50);
  sketch.of_device(1).sample("gpu_temperature_c", 0, 50).sample("gpu_power_limit_mw", 0, 700'000);
  sketch.sample("gpu_power_mw", 0, 400'000).sample("gpu_sm_frequency", 0, 1980);
  EXPECT_THAT(label_texts(sketch.trace()),
              ElementsAre("SM clock MHz of device 1!", "power/draw W of device 1!",
                          "power/limit W of device 1!", "temperature °C of device 1",
                          "CPU, all cores % of the machine!", "CPU % of process 9!",
                          "memory bytes of process 9", "core time/waits for one % of thread 11!"));
}

TEST(CounterLinesTest, values_are_in_the_unit_of_their_metric) {
  RecordedSketch sketch;
  sketch.of_device(0).sample("gpu_power_mw", 0, 400'000).sample("gpu_power_mw", 10, 650'000);
  const CounterLine line = lines_of(sketch.trace())[0];
  EXPECT_EQ(line.min, 400);
  EXPECT_EQ(line.max, 650);
}

// 20 ms of 1 s, then 500 ms of 1 s.
TEST(CounterLinesTest, a_value_that_grows_is_shown_as_its_rate) {
  RecordedSketch sketch;
  sketch.of_process("9").sample("schedstat_runq_ns", 0, 0);
  sketch.sample("schedstat_runq_ns", 1'000'000'000, 20e6);
  sketch.sample("schedstat_runq_ns", 2'000'000'000, 520e6);
  const CounterLine line = lines_of(sketch.trace())[0];
  EXPECT_EQ(line.unit, "ms/s");
  EXPECT_THAT(point_texts(line, {0, 3'000'000'000}, 3),
              ElementsAre("0 20..20", "1000000000 500..500"))
      << "nothing is known after the last sample";
}

TEST(CounterLinesTest, foreign_processes_are_lines_of_one_track_and_may_go_away) {
  RecordedSketch sketch;
  sketch.of_machine();
  for (const std::int64_t time_ns : {0, 10, 20}) {
    sketch.sample("foreign_process_cpu_usage", time_ns, 80, "node (7)");
  }
  sketch.sample("foreign_process_cpu_usage", 10, 5, "sshd (8)");
  const Trace trace = sketch.trace();
  EXPECT_THAT(label_texts(trace), ElementsAre("other processes/node (7) % of the machine!",
                                              "other processes/sshd (8) % of the machine!"));
  EXPECT_THAT(point_texts(lines_of(trace)[0], {0, 50}, 5), ElementsAre("0 80..80", "10 80..80"));
}

TEST(CounterLinesTest, what_is_always_zero_is_a_click_away) {
  RecordedSketch sketch;
  sketch.of_machine().sample("host_cpu_usage", 0, 0).sample("host_cpu_usage", 10, 0);
  EXPECT_FALSE(lines_of(sketch.trace())[0].is_main);
}

TEST(CounterLinesTest, another_tools_counter_that_falls_is_not_a_growing_one_whatever_its_name) {
  RecordedSketch sketch;
  sketch.thread("1", "1").sample("disk_read", 0, 9).sample("disk_read", 10, 4);
  const CounterLine line = lines_of(sketch.trace())[0];
  EXPECT_EQ(line.unit, kNumberUnit);
  EXPECT_EQ(line.max, 9);
}

TEST(CounterLinesTest, counters_of_other_tools_keep_their_names_and_hold) {
  Sketch sketch;
  sketch.thread(3, 9).slice("a", kOp, 0, 1).counter("requests", "value", 5, 2);
  const Trace trace = sketch.trace();
  EXPECT_THAT(label_texts(trace), ElementsAre("requests number of process 9"));
  EXPECT_THAT(point_texts(lines_of(trace)[0], {0, 100}, 2), ElementsAre("0 2..2", "50 2..2"));
}

TEST(CounterLinesTest, memory_belongs_to_its_device_or_to_the_process_that_allocates) {
  Sketch sketch;
  sketch.stream(0, 7).slice("k", SliceKind::kKernel, 0, 1);
  sketch.thread(3, 9).memory(MemoryAction::kAllocate, "Place(gpu:0)", 0, 10).totals(10, 64);
  sketch.memory(MemoryAction::kAllocate, "Place(cpu)", 0, 10).totals(10, 0);
  EXPECT_THAT(
      label_texts(sketch.trace()),
      ElementsAre("busy share of device 0!", "memory/allocated bytes of device 0",
                  "memory/reserved bytes of device 0", "host memory/allocated bytes of process 9"));
}

TEST(CounterLinesTest, a_line_of_which_nothing_is_known_is_left_out) {
  RecordedSketch sketch;
  sketch.of_process("9").sample("major_faults", 0, 3);
  EXPECT_TRUE(lines_of(sketch.trace()).empty()) << "one sample of a counter has no rate";
}

TEST(CounterLinesTest, more_columns_than_nanoseconds_give_a_point_per_nanosecond) {
  Sketch sketch;
  sketch.counter("c", "v", 0, 1);
  EXPECT_EQ(sample(lines_of(sketch.trace())[0], {0, 3}, 1000).size(), 3u);
}

}  // namespace
}  // namespace strobe::analysis

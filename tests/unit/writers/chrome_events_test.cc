#include "strobe/writers/chrome_events.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/sketch.h"
#include "tests/unit/writers/text_sink.h"

namespace strobe::writers {
namespace {

using namespace literals;

// The events of a trace without the names of its tracks.
std::string events_written(const Trace& trace, EventSource source = {}) {
  const Lanes lanes(trace);
  ProcessNames names;
  const TrackPlaces places(trace, lanes, source.in_file.label, names);
  source.trace = &trace;
  source.lanes = &lanes;
  source.places = &places;
  TextSink::Seen seen;
  TextSink sink(seen);
  TextBuffer buffer(sink);
  write_events(source, buffer);
  EXPECT_TRUE(buffer.flush());
  return seen.text.substr(0, seen.text.find(",\n{\"ph\":\"M\""));
}

Sketch kineto_sketch() {
  TraceTraits traits;
  traits.dialect = "kineto";
  Sketch sketch;
  sketch.traits(traits);
  return sketch;
}

TEST(ChromeEventsTest, a_slice_of_a_file_keeps_its_category_and_arguments) {
  const Trace trace = kineto_sketch()
                          .thread(500)
                          .slice("aten::\"mm\"", kOp, 1'234'500, 2_us)
                          .category("cpu_op")
                          .external(7)
                          .args("{ \"External id\": 7, \"Input Dims\": [ [ 1, 2 ] ] }")
                          .slice("plain", kOp, 2_ms, 0)
                          .category("")
                          .trace();
  EXPECT_EQ(
      events_written(trace),
      R"({"ph":"X","cat":"cpu_op","name":"aten::\"mm\"","pid":1,"tid":500,"ts":1234.500,"dur":2,)"
      R"("args":{"External id":7,"Input Dims":[[1,2]]}},)"
      "\n"
      R"({"ph":"X","name":"plain","pid":1,"tid":500,"ts":2000,"dur":0})");
}

TEST(ChromeEventsTest, what_only_the_columns_know_is_added) {
  const Trace trace = Sketch()
                          .thread(5)
                          .slice("launch", kCall, 1_us, 1_us)
                          .category("cuda_runtime")
                          .correlation(9)
                          .sequence(4, 6)
                          .stream(2, 7)
                          .slice("gemm", kKernel, 5_us, 1_us)
                          .correlation(9)
                          .external(3)
                          .args(R"({"device":2,"grid":[1,1,1]})")
                          .trace();
  EXPECT_EQ(events_written(trace),
            R"({"ph":"X","cat":"cuda_runtime","name":"launch","pid":1,"tid":5,"ts":1,"dur":1,)"
            R"("args":{"correlation":9,"Sequence number":4,"Fwd thread id":6}},)"
            "\n"
            R"({"ph":"X","cat":"kernel","name":"gemm","pid":2,"tid":7,"ts":5,"dur":1,)"
            R"("args":{"device":2,"grid":[1,1,1],"External id":3,"stream":7,"correlation":9}},)"
            "\n"
            R"({"ph":"s","id":9,"cat":"ac2g","name":"ac2g","pid":1,"tid":5,"ts":1},)"
            "\n"
            R"({"ph":"f","id":9,"cat":"ac2g","name":"ac2g","pid":2,"tid":7,"ts":5,"bp":"e"})");
}

TEST(ChromeEventsTest, arguments_that_are_no_json_are_repaired) {
  const Trace trace = kineto_sketch()
                          .slice("a", kOp, 0, 1_us)
                          .category("cpu_op")
                          .correlation(1)
                          .args(R"({"correlation":1,"bandwidth":nan,"n":007})")
                          .trace();
  EXPECT_EQ(events_written(trace),
            R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":1,)"
            R"("args":{"correlation":1,"bandwidth":null,"n":7}})");
}

TEST(ChromeEventsTest, arrows_are_kept_and_follow_a_moved_slice) {
  const Trace trace = kineto_sketch()
                          .thread(1)
                          .slice("a", kOp, 0_us, 10_us)
                          .category("")
                          .slice("b", kOp, 5_us, 10_us)
                          .category("")
                          .flow(40, FlowPhase::kStart, 0_us, "fwdbwd")
                          .flow(40, FlowPhase::kStep, 1_us, "fwdbwd")
                          .flow(40, FlowPhase::kEnd, 5_us, "fwdbwd")
                          .trace();
  EXPECT_EQ(events_written(trace),
            R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","name":"b","pid":1,"tid":2,"ts":5,"dur":10},
{"ph":"s","id":40,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":1,"ts":0},
{"ph":"t","id":40,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":1,"ts":1},
{"ph":"f","id":40,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":2,"ts":5,"bp":"e"})");
}

TEST(ChromeEventsTest, ids_differ_between_the_traces_of_a_file_and_times_are_shifted) {
  const Trace trace = kineto_sketch()
                          .slice("a", kOp, 0_us, 10_us)
                          .category("")
                          .flow(1, FlowPhase::kStart, 0_us, "x")
                          .trace();
  EventSource source;
  source.in_file = {.label = "rank 2", .position = 2};
  source.shift_ns = 500;
  source.is_first = false;
  EXPECT_EQ(events_written(trace, source),
            ",\n"
            R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":0.500,"dur":10},)"
            "\n"
            R"({"ph":"s","id":8589934593,"cat":"x","name":"x","pid":1,"tid":1,"ts":0.500})");
}

TEST(ChromeEventsTest, an_unfinished_slice_has_a_beginning_only) {
  const Trace trace = kineto_sketch()
                          .slice("open", kOp, 1_us, 10_us)
                          .category("user_annotation")
                          .flags(kUnfinished)
                          .args(R"({"a":1})")
                          .trace();
  EXPECT_EQ(events_written(trace),
            R"({"ph":"B","cat":"user_annotation","name":"open","pid":1,"tid":1,"ts":1,)"
            R"("args":{"a":1}})");
}

TEST(ChromeEventsTest, asynchronous_slices_have_two_ends_and_an_id) {
  const Trace trace = kineto_sketch()
                          .thread(4)
                          .slice("x", kOp, 0_us, 1_us)
                          .category("")
                          .track("requests", TrackKind::kAsync)
                          .slice("GET", kOp, 1_us, 10_us)
                          .category("requests")
                          .args(R"({"a":1})")
                          .slice("open", kOp, 2_us, 9_us)
                          .category("requests")
                          .flags(kUnfinished)
                          .trace();
  EXPECT_EQ(events_written(trace),
            R"({"ph":"X","name":"x","pid":1,"tid":4,"ts":0,"dur":1},
{"ph":"b","cat":"requests","name":"GET","pid":1,"tid":4,"ts":1,"id":1,"args":{"a":1}},
{"ph":"e","cat":"requests","name":"GET","pid":1,"tid":4,"ts":11,"id":1},
{"ph":"b","cat":"requests","name":"open","pid":1,"tid":4,"ts":2,"id":2})");
}

TEST(ChromeEventsTest, open_and_asynchronous_slices_keep_what_only_the_columns_know) {
  const Trace trace = kineto_sketch()
                          .thread(4)
                          .slice("open", kCall, 0_us, 1_us)
                          .category("cuda_runtime")
                          .flags(kUnfinished)
                          .correlation(9)
                          .sequence(4, 6)
                          .track("requests", TrackKind::kAsync)
                          .slice("GET", kOp, 1_us, 10_us)
                          .category("requests")
                          .external(3)
                          .args(R"({"a":1})")
                          .trace();
  EXPECT_EQ(events_written(trace),
            R"({"ph":"B","cat":"cuda_runtime","name":"open","pid":1,"tid":4,"ts":0,)"
            R"("args":{"correlation":9,"Sequence number":4,"Fwd thread id":6}},)"
            "\n"
            R"({"ph":"b","cat":"requests","name":"GET","pid":1,"tid":4,"ts":1,"id":1,)"
            R"("args":{"a":1,"External id":3}},)"
            "\n"
            R"({"ph":"e","cat":"requests","name":"GET","pid":1,"tid":4,"ts":11,"id":1})");
}

// A search through all series for each value would take minutes.
TEST(ChromeEventsTest, a_counter_with_very_many_series_is_still_one_event) {
  constexpr int kSeries = 100'000;
  Sketch sketch = kineto_sketch();
  sketch.thread(1);
  for (int i = 0; i < kSeries; ++i) sketch.counter("load", "core " + std::to_string(i), 1_us, i);
  sketch.counter("load", "core 17", 1_us, 0.5);
  const std::string text = events_written(sketch.trace());
  std::string expected = R"({"ph":"C","name":"load","pid":1,"tid":1,"ts":1,"args":{)";
  for (int i = 0; i < kSeries; ++i) {
    expected += (i == 0 ? "\"core " : ",\"core ") + std::to_string(i) + "\":" + std::to_string(i);
  }
  expected += "}},\n";
  expected += R"({"ph":"C","name":"load","pid":1,"tid":1,"ts":1,"args":{"core 17":0.5}})";
  EXPECT_TRUE(text == expected) << text.substr(0, 200);
}

TEST(ChromeEventsTest, counters_of_one_time_are_one_event_and_threads_are_told_apart) {
  Sketch sketch = kineto_sketch();
  sketch.thread(1)
      .counter("power", "watts", 1_us, 1.5)
      .counter("power", "limit", 1_us, 700)
      .counter("power", "limit", 1_us, 701)
      .counter("load", "load", 2_us, 0.1);
  sketch.thread(2).counter("load", "load", 2_us, 3);
  EXPECT_EQ(events_written(sketch.trace()),
            R"({"ph":"C","name":"power","pid":1,"tid":1,"ts":1,"args":{"watts":1.5,"limit":700}},
{"ph":"C","name":"power","pid":1,"tid":1,"ts":1,"args":{"limit":701}},
{"ph":"C","name":"load","pid":1,"tid":1,"ts":2,"id":"1","args":{"load":0.1}},
{"ph":"C","name":"load","pid":1,"tid":2,"ts":2,"id":"2","args":{"load":3}})");
  const Trace recorded = Sketch().thread(1).counter("load", "load", 2_us, 3).trace();
  EXPECT_EQ(events_written(recorded),
            R"({"ph":"C","name":"load","pid":1,"tid":1,"ts":2,"args":{"value":3}})");
}

TEST(ChromeEventsTest, allocations_of_a_recording_are_written_as_kineto_does) {
  const Trace trace = Sketch().thread(1).memory(kAllocated, "Place(gpu:0)", 5_us, 64).trace();
  EXPECT_EQ(events_written(trace),
            R"({"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,)"
            R"("ts":5,"args":{"Device Type":1,"Device Id":0,"Bytes":64}})");
}

}  // namespace
}  // namespace strobe::writers

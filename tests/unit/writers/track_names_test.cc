#include "strobe/writers/track_names.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

#include "tests/support/sketch.h"
#include "tests/unit/writers/text_sink.h"

namespace strobe::writers {
namespace {

using namespace literals;

std::string names_written(const Trace& trace, const TraceInFile& in_file = {}) {
  const Lanes lanes(trace);
  ProcessNames names;
  const TrackPlaces places(trace, lanes, in_file.label, names);
  TextSink::Seen seen;
  TextSink sink(seen);
  TextBuffer buffer(sink);
  EventLines lines(buffer, true);
  write_track_names(trace, lanes, places, in_file, lines);
  EXPECT_TRUE(buffer.flush());
  return seen.text;
}

// A process with a named thread, a device, and a line of text.
Trace named_trace(std::string_view dialect) {
  TraceBuilder builder;
  builder.metadata().traits.dialect = dialect;
  Track thread;
  thread.kind = TrackKind::kHostThread;
  thread.process = thread.thread = builder.intern("5");
  thread.process_number = thread.thread_number = 5;
  thread.process_name = builder.intern("python3");
  thread.thread_name = builder.intern("main \"thread\"");
  thread.sort_index = -2;
  builder.add_track(thread);
  Track stream;
  stream.kind = TrackKind::kDeviceStream;
  stream.process = builder.intern("0");
  stream.thread = builder.intern("7");
  stream.process_number = 0;
  stream.thread_number = 7;
  stream.device = 0;
  builder.add_track(stream);
  builder.add_track(stream);  // names are written once
  Track line;
  line.kind = TrackKind::kOther;
  line.process = builder.intern("Host");
  line.thread = builder.intern("metrics");
  builder.add_track(line);
  return std::move(builder).build();
}

TEST(TrackNamesTest, a_kineto_trace_has_its_names_labels_and_order) {
  EXPECT_EQ(names_written(named_trace("kineto")),
            R"({"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"python3"}},
{"ph":"M","name":"process_labels","pid":5,"tid":0,"args":{"labels":"CPU"}},
{"ph":"M","name":"process_sort_index","pid":5,"tid":0,"args":{"sort_index":5}},
{"ph":"M","name":"thread_name","pid":5,"tid":5,"args":{"name":"main \"thread\""}},
{"ph":"M","name":"thread_sort_index","pid":5,"tid":5,"args":{"sort_index":-2}},
{"ph":"M","name":"process_labels","pid":0,"tid":0,"args":{"labels":"GPU 0"}},
{"ph":"M","name":"process_sort_index","pid":0,"tid":0,"args":{"sort_index":5000000}})");
}

TEST(TrackNamesTest, another_file_of_events_gets_no_names_that_it_did_not_have) {
  EXPECT_EQ(names_written(named_trace("chrome")),
            R"({"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"python3"}},
{"ph":"M","name":"thread_name","pid":5,"tid":5,"args":{"name":"main \"thread\""}},
{"ph":"M","name":"thread_sort_index","pid":5,"tid":5,"args":{"sort_index":-2}})");
}

TEST(TrackNamesTest, texts_that_became_numbers_are_names) {
  const std::string text = names_written(named_trace("strobe record"));
  EXPECT_NE(text.find(R"("process_name","pid":6,"tid":0,"args":{"name":"Host"})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("thread_name","pid":6,"tid":1,"args":{"name":"metrics"})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("process_name","pid":0,"tid":0,"args":{"name":"GPU 0"})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("thread_name","pid":0,"tid":7,"args":{"name":"stream 7"})"),
            std::string::npos)
      << text;
}

TEST(TrackNamesTest, in_a_file_of_several_the_label_comes_first) {
  const std::string text = names_written(named_trace("kineto"), {.label = "rank 3", .position = 3});
  for (const std::string_view part :
       {R"("args":{"name":"rank 3: python3"})", R"("args":{"name":"rank 3: GPU 0"})",
        R"("args":{"name":"rank 3: Host"})", R"("pid":5,"tid":0,"args":{"sort_index":3000})",
        R"("pid":0,"tid":0,"args":{"sort_index":3001})"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST(TrackNamesTest, the_highest_device_comes_last_in_its_trace) {
  TraceBuilder builder;
  Track stream;
  stream.kind = TrackKind::kDeviceStream;
  stream.process = stream.thread = builder.intern("7");
  stream.device = std::numeric_limits<std::int32_t>::max();
  builder.add_track(stream);
  const std::string text =
      names_written(std::move(builder).build(), {.label = "rank 3", .position = 3});
  EXPECT_NE(text.find(R"("sort_index":3999)"), std::string::npos) << text;
}

TEST(TrackNamesTest, a_lane_says_whose_it_is) {
  const Trace trace = Sketch()
                          .track("loader 12", TrackKind::kHostThread)
                          .slice("a", kOp, 0_us, 10_us)
                          .slice("b", kOp, 5_us, 10_us)
                          .trace();
  EXPECT_NE(names_written(trace).find(R"({"ph":"M","name":"thread_name","pid":1,"tid":13,)"
                                      R"("args":{"name":"loader 12, lane 1","lane_of":12}})"),
            std::string::npos)
      << names_written(trace);
}

}  // namespace
}  // namespace strobe::writers

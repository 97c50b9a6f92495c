#include "strobe/writers/chrome_json.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/sketch.h"
#include "tests/unit/writers/text_sink.h"

namespace strobe::writers {
namespace {

using namespace literals;

Trace small_trace(std::string_view dialect, std::int64_t base_time_ns = 0) {
  Sketch sketch;
  sketch.metadata().traits.dialect = dialect;
  sketch.metadata().base_time_ns = base_time_ns;
  sketch.metadata().members = {{"traceName", "\"x\""}};
  return sketch.thread(5, 3).slice("a", kOp, 1_us, 2_us).category("cpu_op").trace();
}

TEST(ChromeJsonTest, a_file_of_one_trace) {
  TextSink::Seen seen;
  TextSink sink(seen);
  ChromeJsonFile file(sink);
  ASSERT_TRUE(file.add_only(small_trace("kineto")));
  const auto counts = file.finish();
  ASSERT_TRUE(counts);
  EXPECT_TRUE(seen.is_finished);
  EXPECT_EQ(counts->events, 3u);
  EXPECT_EQ(counts->moved_slices, 0u);
  EXPECT_EQ(seen.text, R"({
  "schemaVersion": 1,
  "traceName": "x",
  "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"a","pid":3,"tid":5,"ts":1,"dur":2},
{"ph":"M","name":"process_labels","pid":3,"tid":0,"args":{"labels":"CPU"}},
{"ph":"M","name":"process_sort_index","pid":3,"tid":0,"args":{"sort_index":3}}
  ]
}
)");
}

TEST(ChromeJsonTest, members_may_follow_the_events) {
  TextSink::Seen seen;
  TextSink sink(seen);
  ChromeJsonFile file(sink);
  ASSERT_TRUE(file.add_only(small_trace("chrome")));
  ASSERT_TRUE(file.finish());
  EXPECT_EQ(seen.text, R"({
  "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"a","pid":3,"tid":5,"ts":1,"dur":2}
  ],
  "traceName": "x"
}
)");
}

TEST(ChromeJsonTest, several_traces_share_a_clock_and_no_process) {
  TextSink::Seen seen;
  TextSink sink(seen);
  ChromeJsonFile file(sink);
  ASSERT_TRUE(file.add_one_of_several(small_trace("kineto", 1'000'000), "rank 0"));
  ASSERT_TRUE(file.add_one_of_several(small_trace("kineto", 1'500'000), "rank 1"));
  ASSERT_TRUE(file.finish());
  EXPECT_EQ(seen.text, R"({
  "schemaVersion": 1,
  "baseTimeNanoseconds": 1000000,
  "traceName": "x",
  "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"a","pid":3,"tid":5,"ts":1,"dur":2},
{"ph":"M","name":"process_name","pid":3,"tid":0,"args":{"name":"rank 0: 3"}},
{"ph":"M","name":"process_sort_index","pid":3,"tid":0,"args":{"sort_index":0}},
{"ph":"X","cat":"cpu_op","name":"a","pid":4,"tid":5,"ts":501,"dur":2},
{"ph":"M","name":"process_name","pid":4,"tid":0,"args":{"name":"rank 1: 3"}},
{"ph":"M","name":"process_sort_index","pid":4,"tid":0,"args":{"sort_index":1000}}
  ]
}
)");
}

TEST(ChromeJsonTest, a_wall_clock_moves_into_the_base) {
  constexpr std::int64_t kWall_ns = 1'700'000'000'000'000'001;
  Sketch sketch;
  sketch.metadata().traits.dialect = "kineto";
  const Trace trace = sketch.slice("a", kOp, kWall_ns, 1_us).category("cpu_op").trace();
  TextSink::Seen seen;
  TextSink sink(seen);
  ChromeJsonFile file(sink);
  ASSERT_TRUE(file.add_only(trace));
  ASSERT_TRUE(file.finish());
  EXPECT_GT(file.clock_ns(), 0);
  EXPECT_NE(seen.text.find("\"baseTimeNanoseconds\": " + std::to_string(file.clock_ns()) + ","),
            std::string::npos)
      << seen.text;
  EXPECT_NE(
      seen.text.find("\"ts\":" + std::to_string((kWall_ns - file.clock_ns()) / 1000) + ".001"),
      std::string::npos)
      << seen.text;

  TextSink::Seen as_another;
  TextSink other_sink(as_another);
  ChromeJsonFile other(other_sink, {.use_lanes = true, .clock_ns = 1'600'000'000'000'000'000});
  ASSERT_TRUE(other.add_only(trace));
  EXPECT_EQ(other.clock_ns(), 1'600'000'000'000'000'000);
}

TEST(ChromeJsonTest, lanes_are_counted_and_can_be_left_out) {
  const auto crossing = [] {
    return Sketch().slice("a", kOp, 0_us, 10_us).slice("b", kOp, 5_us, 10_us).trace();
  };
  for (const bool use_lanes : {true, false}) {
    TextSink::Seen seen;
    TextSink sink(seen);
    ChromeJsonFile file(sink, {.use_lanes = use_lanes});
    ASSERT_TRUE(file.add_only(crossing()));
    const auto counts = file.finish();
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->moved_slices, use_lanes ? 1u : 0u);
    EXPECT_EQ(counts->lanes, use_lanes ? 1u : 0u);
    EXPECT_EQ(seen.text.find("lane_of") != std::string::npos, use_lanes);
  }
}

TEST(ChromeJsonTest, an_error_of_the_sink_ends_the_writing) {
  TextSink::Seen seen;
  TextSink sink(seen, 1 << 20);
  ChromeJsonFile file(sink);
  Sketch sketch;
  for (int i = 0; i < 50'000; ++i) sketch.slice("a slice", kOp, i * 10, 5);
  const Result<void> added = file.add_only(sketch.trace());
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kCannotWrite);
  EXPECT_LE(seen.text.size(), std::size_t{1} << 20);
  EXPECT_FALSE(file.finish());
  EXPECT_FALSE(seen.is_finished);
}

}  // namespace
}  // namespace strobe::writers

#include "strobe/tensorboard/trace_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::HasSubstr;

std::string trace(const std::string& json) {
  ViewDesk desk;
  desk.add("worker0", json);
  return desk.body("trace");
}

TEST(TraceCountersTest, counters_stand_in_front_of_the_events) {
  const std::string json = TraceLines()
                               .op("a", 0, 10)
                               .x("kernel", "k", 0, 5, R"("device":0,"blocks per SM":0.5)")
                               .text();
  const std::string body = trace(json);
  EXPECT_THAT(
      body,
      ::testing::StartsWith(
          R"({"traceEvents":[{"ph":"C", "name":"GPU 0 Utilization", "pid":0, "ts":0, "args":{"GPU Utilization":1}}, )"
          R"({"ph":"C", "name":"GPU 0 Utilization", "pid":0, "ts":0, "args":{"GPU Utilization":0}}, )"
          R"({"ph":"C", "name":"GPU 0 Utilization", "pid":0, "ts":0, "args":{"GPU Utilization":1.0}}, )"));
  EXPECT_THAT(
      body,
      HasSubstr(
          R"("ts":10, "args":{"GPU Utilization":0}}, {"ph":"C", "name":"GPU 0 Est. SM Efficiency", )"
          R"("pid":0, "ts":0, "args":{"Est. SM Efficiency":1}}, )"));
  EXPECT_THAT(body, HasSubstr(R"("ts":5, "args":{"Est. SM Efficiency":0}},{"ph":"X")"));
}

TEST(TraceCountersTest, a_trace_without_kernels_is_served_as_it_is) {
  const std::string json = TraceLines().op("a", 0, 10).text("\"x\" : 1 , ");
  EXPECT_EQ(trace(json), json);
}

TEST(TraceCountersTest, kernels_of_no_device_add_nothing) {
  const std::string json = TraceLines().op("a", 0, 10).x("kernel", "k", 0, 5).text();
  EXPECT_EQ(trace(json), json);
}

TEST(TraceCountersTest, the_key_is_found_behind_blanks_and_in_either_quotes) {
  EXPECT_EQ(insert_counters(R"({"a":"traceEvents","traceEvents" : [ 1]})", "C"),
            R"({"a":"traceEvents","traceEvents" : [C, 1]})");
  EXPECT_EQ(insert_counters("{'traceEvents':[1]}", "C"), "{'traceEvents':[C,1]}");
  EXPECT_EQ(insert_counters("{}", "C"), "{}");
}

TEST(TraceCountersTest, what_had_to_be_repaired_is_served_repaired) {
  EXPECT_EQ(trace(R"({"traceEvents":[{"ph":"M","args":{"x":N/A}}]})"),
            R"({"traceEvents":[{"ph":"M","args":{"x":"N/A"}}]})");
  EXPECT_EQ(trace(R"({"traceEvents":[{"name":"Record Window End","ts":99999999999},)"
                  R"({"name":"Iteration Start: x","ts":1}]})"),
            R"({"traceEvents":[{"name":"Iteration Start: x","ts":1}]})");
}

}  // namespace
}  // namespace strobe::tensorboard

#include "strobe/analysis/waits/profiler_overhead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;

constexpr auto kProfilerWork = SliceKind::kOverhead;

// "flush 3" for a time of the profiler, "- 3" for another one, in microseconds.
std::vector<std::string> cut_at_overheads(Sketch& sketch, const std::vector<Interval>& times) {
  const Trace trace = sketch.trace();
  const AttributedTrace input = attribute_trace(trace);
  OverheadTimes overheads(input);
  std::vector<std::string> texts;
  const auto add = [&](const std::string& name, Interval part) {
    texts.push_back(name + " " + std::to_string(part.length_ns() / 1_us));
  };
  for (const Interval time : times) {
    std::int64_t done_ns = time.start_ns;
    const auto follows = [&](Interval part) {
      EXPECT_EQ(part.start_ns, done_ns);
      done_ns = part.end_ns;
    };
    overheads.cut(
        time,
        [&](Interval rest) {
          follows(rest);
          add("-", rest);
        },
        [&](Interval overhead, StringId name) {
          follows(overhead);
          add(std::string(trace.strings()[name]), overhead);
        });
    EXPECT_EQ(done_ns, time.end_ns);
  }
  return texts;
}

TEST(OwnOverheadTest, loading_code_is_not_the_profilers_doing) {
  EXPECT_TRUE(is_own_overhead("Buffer Flush"));
  EXPECT_TRUE(is_own_overhead("Activity Buffer Request"));
  EXPECT_TRUE(is_own_overhead("Instrumentation"));
  EXPECT_TRUE(is_own_overhead("what a newer profiler calls its work"));
  EXPECT_FALSE(is_own_overhead("Lazy Function Loading"));
  EXPECT_FALSE(is_own_overhead("Command Buffer Full"));
}

TEST(OverheadTimesTest, cuts_times_where_the_profiler_works) {
  Sketch sketch;
  sketch.thread(0, -1)
      .slice("request", kProfilerWork, 70_us, 20_us)
      .slice("flush", kProfilerWork, 10_us, 10_us)
      .slice("flush", kProfilerWork, 30_us, 10_us);
  EXPECT_THAT(
      cut_at_overheads(
          sketch, {{0_us, 5_us}, {8_us, 35_us}, {35_us, 50_us}, {75_us, 80_us}, {95_us, 99_us}}),
      ElementsAre("- 5", "- 2", "flush 10", "- 10", "flush 5", "flush 5", "- 10", "request 5",
                  "- 4"));
}

TEST(OverheadTimesTest, of_two_at_once_the_first_counts) {
  Sketch sketch;
  sketch.thread(0, -1)
      .slice("inner", kProfilerWork, 12_us, 2_us)
      .slice("outer", kProfilerWork, 10_us, 10_us)
      .slice("crossing", kProfilerWork, 15_us, 10_us)
      .slice("empty", kProfilerWork, 27_us, 0_us);
  EXPECT_THAT(cut_at_overheads(sketch, {{0_us, 30_us}}),
              ElementsAre("- 10", "outer 10", "crossing 5", "- 5"));
}

TEST(OverheadTimesTest, a_trace_without_any_is_not_cut) {
  Sketch sketch;
  sketch.thread(1)
      .slice("op", kOp, 0_us, 10_us)
      .thread(0, -1)
      .slice("Driver Compiler", kProfilerWork, 2_us, 5_us);
  EXPECT_THAT(cut_at_overheads(sketch, {{0_us, 10_us}}), ElementsAre("- 10"));
}

}  // namespace
}  // namespace strobe::analysis

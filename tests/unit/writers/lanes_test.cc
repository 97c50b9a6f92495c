#include "strobe/writers/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/sketch.h"

namespace strobe::writers {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "b on 1", for every moved slice.
std::vector<std::string> moved_slices(const Trace& trace) {
  const Lanes lanes(trace);
  std::vector<std::string> moved;
  for (const Lanes::Moved& one : lanes.moved()) {
    moved.push_back(std::string(trace.name(SliceId(one.slice))) + " on " +
                    std::to_string(lanes.lanes()[one.lane].number));
  }
  return moved;
}

TEST(LanesTest, nested_and_touching_slices_stay) {
  const Trace trace = Sketch()
                          .slice("outer", kOp, 0_us, 10_us)
                          .slice("inner", kOp, 0_us, 10_us)
                          .slice("first half", kOp, 0_us, 5_us)
                          .slice("second half", kOp, 5_us, 5_us)
                          .slice("nothing", kOp, 10_us, 0_us)
                          .slice("after", kOp, 10_us, 3_us)
                          .trace();
  EXPECT_THAT(moved_slices(trace), IsEmpty());
}

TEST(LanesTest, of_two_that_cross_the_later_one_moves) {
  const Trace trace = Sketch()
                          .slice("b", kOp, 5_us, 10_us)
                          .slice("a", kOp, 0_us, 10_us)
                          .slice("c", kOp, 11_us, 2_us)
                          .trace();
  EXPECT_THAT(moved_slices(trace), ElementsAre("b on 1"));
}

TEST(LanesTest, a_lane_is_used_again_and_a_second_one_only_if_needed) {
  const Trace trace = Sketch()
                          .slice("a", kOp, 0_us, 10_us)
                          .slice("b", kOp, 1_us, 10_us)
                          .slice("c", kOp, 2_us, 10_us)
                          .slice("in b", kOp, 10_us, 1_us)
                          .slice("d", kOp, 30_us, 10_us)
                          .slice("e", kOp, 35_us, 10_us)
                          .trace();
  EXPECT_THAT(moved_slices(trace), ElementsAre("b on 1", "c on 2", "e on 1"));
}

constexpr std::size_t kHostileSlices = 100'000;

// A search through all lanes for each slice would take minutes.
TEST(LanesTest, a_hundred_thousand_slices_that_all_cross_have_a_lane_each) {
  Sketch sketch;
  for (std::size_t i = 0; i < kHostileSlices; ++i) {
    sketch.slice("crosses", kOp, static_cast<std::int64_t>(i), 1_ms);
  }
  sketch.slice("after", kOp, 10_ms, 10_us).slice("crosses after", kOp, 10'005_us, 10_us);
  const Trace trace = sketch.trace();
  const Lanes lanes(trace);
  ASSERT_EQ(lanes.moved().size(), kHostileSlices);
  ASSERT_EQ(lanes.lanes().size(), kHostileSlices - 1);
  const ViewerLine thread = line_of(trace, trace.tracks()[0]);
  for (std::size_t i = 1; i < kHostileSlices; ++i) {
    const Lanes::Moved& moved = lanes.moved()[i - 1];
    ASSERT_EQ(moved.slice, i);
    ASSERT_EQ(lanes.lanes()[moved.lane].number, i);
    ASSERT_EQ(lanes.lane_at(thread, static_cast<std::int64_t>(i)), moved.lane);
  }
  EXPECT_EQ(lanes.lanes()[lanes.moved().back().lane].number, 1u) << "is free again";
}

// The definition: the first line that has room, line by line.
std::vector<std::uint32_t> lines_by_plain_search(const Trace& trace) {
  std::vector<std::vector<std::int64_t>> open;  // ends, outermost first
  std::vector<std::uint32_t> lines;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const std::int64_t start_ns = trace.slices().starts_ns[row];
    const std::int64_t end_ns = start_ns + trace.slices().durations_ns[row];
    std::uint32_t line = 0;
    for (;; ++line) {
      if (line == open.size()) open.emplace_back();
      while (!open[line].empty() && open[line].back() <= start_ns) open[line].pop_back();
      if (open[line].empty() || end_ns <= open[line].back()) break;
    }
    open[line].push_back(end_ns);
    lines.push_back(line);
  }
  return lines;
}

TEST(LanesTest, every_slice_is_on_the_first_lane_with_room) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Sketch sketch;
    std::int64_t start_ns = 0;
    for (int i = 0; i < 200; ++i) {
      start_ns += static_cast<std::int64_t>(random() % 4) + 1;
      sketch.slice("x", kOp, start_ns, static_cast<std::int64_t>(random() % (10 + round)));
    }
    const Trace trace = sketch.trace();
    const Lanes lanes(trace);
    std::vector<std::uint32_t> lines(trace.slice_count(), 0);
    for (const auto& [slice, lane] : lanes.moved()) lines[slice] = lanes.lanes()[lane].number;
    ASSERT_EQ(lines, lines_by_plain_search(trace)) << "round " << round;
  }
}

TEST(LanesTest, threads_are_apart_and_asynchronous_slices_left_alone) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("a", kOp, 0_us, 10_us)
                          .thread(2)
                          .slice("b", kOp, 5_us, 10_us)
                          .track("requests", TrackKind::kAsync)
                          .slice("c", kOp, 0_us, 10_us)
                          .slice("d", kOp, 5_us, 10_us)
                          .trace();
  EXPECT_THAT(moved_slices(trace), IsEmpty());
}

// In a file of events, whoever has the same pid and tid shares a line.
TEST(LanesTest, a_device_with_the_number_of_a_process_shares_its_line_in_a_file_of_events_only) {
  for (const bool is_file : {true, false}) {
    TraceTraits traits;
    traits.dialect = is_file ? "kineto" : "strobe record";
    const Trace trace = Sketch()
                            .traits(traits)
                            .thread(7, 0)
                            .slice("host", kOp, 0_us, 10_us)
                            .stream(0, 7)
                            .slice("kernel", kKernel, 5_us, 10_us)
                            .trace();
    EXPECT_EQ(moved_slices(trace).size(), is_file ? 1u : 0u);
  }
}

TEST(LanesTest, a_moved_slice_is_found_by_its_start) {
  const Trace trace =
      Sketch().slice("a", kOp, 0_us, 10_us).slice("b", kOp, 5_us, 10_us).thread(2).trace();
  const Lanes lanes(trace);
  const ViewerLine thread = line_of(trace, trace.tracks()[0]);
  EXPECT_EQ(lanes.lane_at(thread, 5_us), 0u);
  EXPECT_FALSE(lanes.lane_at(thread, 0_us));
  EXPECT_FALSE(lanes.lane_at(line_of(trace, trace.tracks()[1]), 5_us));
}

}  // namespace
}  // namespace strobe::writers

#include "strobe/writers/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

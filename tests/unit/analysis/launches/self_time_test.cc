#include "strobe/analysis/launches/self_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

TEST(SelfTimeTest, a_slice_owns_the_time_with_nothing_below) {
  Sketch sketch;
  sketch.slice("outer", kOp, 0, 100).slice("a", kOp, 10, 20).slice("inside a", kOp, 15, 10);
  sketch.slice("b", kOp, 30, 5).slice("next", kOp, 100, 7);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  EXPECT_EQ(self_ns(timeline, SliceId(0)), 75);
  EXPECT_EQ(self_ns(timeline, SliceId(1)), 10);
  EXPECT_EQ(self_ns(timeline, SliceId(2)), 10);
  EXPECT_EQ(self_ns(timeline, SliceId(4)), 7);
}

TEST(SelfTimeTest, of_two_that_cross_the_lower_one_owns_what_they_share) {
  const Trace trace = Sketch().slice("a", kOp, 0, 100).slice("b", kOp, 60, 100).trace();
  const Timeline timeline(trace);
  EXPECT_EQ(self_ns(timeline, SliceId(0)), 60);
  EXPECT_EQ(self_ns(timeline, SliceId(1)), 100);
}

TEST(SelfTimeTest, on_an_asynchronous_track_all_of_a_slice_is_its_own) {
  Sketch sketch;
  sketch.track("requests", TrackKind::kAsync);
  sketch.slice("a", kOp, 0, 100).slice("b", kOp, 10, 20);
  const Trace trace = sketch.trace();
  EXPECT_EQ(self_ns(Timeline(trace), SliceId(0)), 100);
}

TEST(SelfTimeTest, empty_slices_own_nothing_and_take_nothing) {
  const Trace trace = Sketch().slice("a", kOp, 0, 10).slice("empty", kOp, 5, 0).trace();
  const Timeline timeline(trace);
  EXPECT_EQ(self_ns(timeline, SliceId(0)), 10);
  EXPECT_EQ(self_ns(timeline, SliceId(1)), 0);
}

TEST(SelfTimeTest, a_window_cuts_slices_and_their_self_time) {
  const Trace trace = Sketch().slice("a", kOp, 0, 100).slice("b", kOp, 40, 20).trace();
  const Timeline timeline(trace);
  SelfTime self(timeline, TrackId(0), {50, 70});
  std::vector<std::int64_t> found_ns;
  const auto note = [&](std::uint32_t, Interval part, std::int64_t own_ns) {
    found_ns.push_back(part.length_ns());
    found_ns.push_back(own_ns);
  };
  self.add_row(timeline.rows()[1], note);
  self.add_row(timeline.rows()[0], note);
  EXPECT_THAT(found_ns, ::testing::ElementsAre(10, 10, 20, 10));
}

}  // namespace
}  // namespace strobe::analysis

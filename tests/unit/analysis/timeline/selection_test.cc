#include "strobe/analysis/timeline/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

Trace overlapping_threads() {
  Sketch sketch;
  sketch.thread(1).slice("outer", kOp, 0, 100).slice("inner", kOp, 20, 30);
  sketch.slice("inner", kOp, 60, 10);
  sketch.thread(2).slice("other", kOp, 90, 100);
  return sketch.trace();
}

TEST(SelectionTest, slices_count_with_their_part_inside) {
  const Trace trace = overlapping_threads();
  const Selection all = add_up_selection(Timeline(trace), {.window = {40, 100}});
  EXPECT_EQ(all.slices, 4u);
  ASSERT_EQ(all.tracks.size(), 2u);
  EXPECT_EQ(all.tracks[0].busy_ns, 60);
  EXPECT_EQ(all.tracks[1].busy_ns, 10);
  ASSERT_EQ(all.top.size(), 3u);
  EXPECT_EQ(trace.strings()[all.top[0].look.name], "outer");
  EXPECT_EQ(all.top[0].total_ns, 60);
  EXPECT_EQ(all.top[0].self_ns, 40);
  EXPECT_EQ(trace.strings()[all.top[1].look.name], "inner");
  EXPECT_EQ(all.top[1].count, 2u);
  EXPECT_EQ(all.top[1].total_ns, 20);
  EXPECT_EQ(all.top[1].longest, SliceId(1)) << "the first of two equal parts";
}

TEST(SelectionTest, tracks_and_slices_may_be_chosen) {
  const Trace trace = overlapping_threads();
  const Timeline timeline(trace);
  const Selection track =
      add_up_selection(timeline, {.window = {0, 200}, .tracks = std::vector{TrackId(1)}});
  EXPECT_EQ(track.slices, 1u);
  EXPECT_EQ(track.tracks.size(), 1u);
  const Selection chosen = add_up_selection(
      timeline, {.window = {0, 200}, .slices = std::vector{SliceId(1), SliceId(3)}});
  EXPECT_EQ(chosen.slices, 2u);
  EXPECT_EQ(chosen.tracks[0].busy_ns, 30);
  EXPECT_EQ(chosen.top[0].longest, SliceId(3));
}

TEST(SelectionTest, a_range_projected_onto_a_device_does_not_keep_it_busy) {
  Sketch sketch;
  sketch.stream(0, 7).slice("step", SliceKind::kDeviceAnnotation, 0, 100);
  sketch.slice("gemm", SliceKind::kKernel, 10, 30);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  EXPECT_EQ(timeline.busy_ns(TrackId(0)), 30);
  EXPECT_EQ(add_up_selection(timeline, {.window = {20, 80}}).tracks[0].busy_ns, 20);
}

TEST(SelectionTest, names_beyond_the_top_are_counted) {
  const Trace trace = overlapping_threads();
  const Selection selection = add_up_selection(Timeline(trace), {.window = {0, 200}, .top = 1});
  EXPECT_EQ(selection.top.size(), 1u);
  EXPECT_EQ(selection.looks_left_out, 2u);
}

TEST(SelectionTest, an_area_without_slices_is_empty) {
  const Trace trace = overlapping_threads();
  const Selection selection = add_up_selection(Timeline(trace), {.window = {500, 600}});
  EXPECT_EQ(selection.slices, 0u);
  EXPECT_TRUE(selection.tracks.empty());
  EXPECT_TRUE(selection.top.empty());
}

TEST(SelectionTest, overlapping_requests_of_an_asynchronous_track_are_busy_once) {
  Sketch sketch;
  sketch.track("requests", TrackKind::kAsync);
  sketch.slice("a", kOp, 0, 100).slice("b", kOp, 50, 100).slice("empty", kOp, 60, 0);
  const Trace trace = sketch.trace();
  const Selection selection = add_up_selection(Timeline(trace), {.window = {0, 1000}});
  EXPECT_EQ(selection.slices, 3u);
  EXPECT_EQ(selection.tracks[0].busy_ns, 150);
  EXPECT_EQ(selection.top[0].self_ns, 100);
}

}  // namespace
}  // namespace strobe::analysis

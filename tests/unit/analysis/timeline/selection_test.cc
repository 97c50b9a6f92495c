#include "strobe/analysis/timeline/selection.h"

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

using ::testing::ElementsAre;

Trace four_slices() {
  return Sketch()
      .slice("gemm", kOp, 30, 5)
      .slice("GEMM_tn", kOp, 10, 7)
      .slice("copy", kOp, 20, 100)
      .slice("gemm", kOp, 10, 1)
      .trace();
}

TEST(SearchTest, matches_come_by_start_and_equal_starts_in_file_order) {
  const SearchAnswer answer = search_slices(four_slices(), name_contains("gemm"));
  EXPECT_EQ(answer.total, 3u);
  EXPECT_EQ(answer.total_ns, 13);
  EXPECT_THAT(answer.slices, ElementsAre(SliceId(1), SliceId(3), SliceId(0)));
}

TEST(SearchTest, a_page_is_a_part_and_the_totals_are_of_all) {
  const Trace trace = four_slices();
  const SearchAnswer second =
      search_slices(trace, name_contains("gemm"), {.offset = 1, .limit = 1});
  EXPECT_EQ(second.total, 3u);
  EXPECT_EQ(second.total_ns, 13);
  EXPECT_THAT(second.slices, ElementsAre(SliceId(3)));
  const SearchAnswer behind =
      search_slices(trace, name_contains("gemm"), {.offset = 9, .limit = 5});
  EXPECT_EQ(behind.total, 3u);
  EXPECT_TRUE(behind.slices.empty());
  EXPECT_TRUE(
      search_slices(trace, name_contains("gemm"), {.offset = 0, .limit = 0}).slices.empty());
}

TEST(SearchTest, each_distinct_name_is_asked_about_once) {
  int asked = 0;
  search_slices(four_slices(), [&](std::string_view) { return ++asked, true; });
  EXPECT_EQ(asked, 3);
}

TEST(SearchTest, an_empty_trace_has_no_matches) {
  EXPECT_EQ(search_slices(Sketch().trace(), name_contains("x")).total, 0u);
}

}  // namespace

}  // namespace strobe::analysis

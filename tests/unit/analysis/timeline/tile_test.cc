#include "strobe/analysis/timeline/tile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

std::vector<TileRow> tile_of(const Trace& trace, Interval window, std::uint32_t columns,
                             std::optional<std::vector<TrackId>> tracks = {}) {
  const Timeline timeline(trace);
  return make_tile(timeline, {.window = window, .columns = columns, .tracks = std::move(tracks)});
}

// "first+columns share% slices name"
std::vector<std::string> dense_texts(const Trace& trace, const TileRow& row) {
  std::vector<std::string> texts;
  for (const DenseStretch& stretch : row.dense) {
    texts.push_back(std::to_string(stretch.first_column) + "+" + std::to_string(stretch.columns) +
                    " " + std::to_string(static_cast<int>(100 * stretch.covered_share + 0.5)) +
                    "% " + std::to_string(stretch.slices) + " " +
                    std::string(trace.strings()[stretch.leader.name]));
  }
  return texts;
}

std::vector<std::string> wide_names(const Trace& trace, const TileRow& row) {
  std::vector<std::string> names;
  for (const SliceId slice : row.wide) names.emplace_back(trace.name(slice));
  return names;
}

TEST(TileTest, slices_of_a_column_or_more_are_listed_and_shorter_ones_counted) {
  const Trace trace = Sketch()
                          .slice("exactly one", kOp, 0, 10)
                          .slice("less", kOp, 10, 9)
                          .slice("more", kOp, 20, 35)
                          .trace();
  const auto tile = tile_of(trace, {0, 100}, 10);
  ASSERT_EQ(tile.size(), 1u);
  EXPECT_THAT(wide_names(trace, tile[0]), ElementsAre("exactly one", "more"));
  EXPECT_THAT(dense_texts(trace, tile[0]), ElementsAre("1+1 90% 1 less"));
}

TEST(TileTest, columns_that_do_not_divide_the_window_need_the_longer_length) {
  // 100 ns in 3 columns: a slice of 33 ns is narrower than 33.3.
  const Trace trace = Sketch().slice("33", kOp, 0, 33).slice("34", kOp, 50, 34).trace();
  const auto tile = tile_of(trace, {0, 100}, 3);
  EXPECT_THAT(wide_names(trace, tile[0]), ElementsAre("34"));
  EXPECT_THAT(dense_texts(trace, tile[0]), ElementsAre("0+1 100% 1 33"));
}

TEST(TileTest, slices_over_the_edges_of_the_window_are_there_once_and_cover_only_its_inside) {
  const Trace trace = Sketch()
                          .slice("ends at the edge", kOp, 90, 10)
                          .slice("over the first", kOp, 196, 8)
                          .slice("over the last", kOp, 295, 8)
                          .slice("starts at the edge", kOp, 310, 4)
                          .trace();
  EXPECT_THAT(dense_texts(trace, tile_of(trace, {200, 300}, 10)[0]),
              ElementsAre("0+1 40% 1 over the first", "9+1 50% 1 over the last"));
  EXPECT_TRUE(tile_of(trace, {100, 196}, 10).empty());
  EXPECT_TRUE(tile_of(trace, {303, 310}, 10).empty());
}

TEST(TileTest, one_slice_around_the_whole_window_is_listed) {
  const Trace trace = Sketch().slice("giant", kOp, -1'000'000, 9'000'000).trace();
  const auto tile = tile_of(trace, {5, 6}, 8192);
  ASSERT_EQ(tile.size(), 1u);
  EXPECT_THAT(wide_names(trace, tile[0]), ElementsAre("giant"));
  EXPECT_TRUE(tile[0].dense.empty());
}

TEST(TileTest, empty_slices_are_counted_and_cover_nothing) {
  const Trace trace = Sketch()
                          .slice("first", kOp, 0, 0)
                          .slice("second", kOp, 5, 0)
                          .slice("end", kOp, 10, 0)
                          .trace();
  EXPECT_THAT(dense_texts(trace, tile_of(trace, {0, 10}, 1)[0]), ElementsAre("0+1 0% 2 first"));
  EXPECT_THAT(dense_texts(trace, tile_of(trace, {0, 10}, 8192)[0]),
              ElementsAre("819+1 0% 1 first", "4915+1 0% 1 second"))
      << "more columns than nanoseconds";
}

TEST(TileTest, a_window_beside_the_trace_shows_nothing) {
  const Trace trace = Sketch().slice("s", kOp, 100, 50).trace();
  EXPECT_TRUE(tile_of(trace, {0, 100}, 10).empty());
  EXPECT_TRUE(tile_of(trace, {150, 1000}, 10).empty());
  EXPECT_TRUE(tile_of(Sketch().thread(1).trace(), {0, 100}, 10).empty());
}

TEST(TileTest, a_narrow_slice_covers_the_two_columns_it_touches_and_counts_in_the_first) {
  const Trace trace = Sketch().slice("s", kOp, 15, 8).trace();
  EXPECT_THAT(dense_texts(trace, tile_of(trace, {0, 100}, 10)[0]), ElementsAre("1+2 40% 1 s"));
}

TEST(TileTest, the_rest_of_a_slice_is_added_to_the_column_it_reaches_into) {
  const Trace trace = Sketch().slice("a", kOp, 15, 8).slice("b", kOp, 25, 2).trace();
  EXPECT_THAT(dense_texts(trace, tile_of(trace, {0, 100}, 10)[0]),
              ElementsAre("1+1 50% 1 a", "2+1 50% 1 b"));
}

TEST(TileTest, columns_join_when_the_same_name_leads_and_their_cover_is_alike) {
  Sketch sketch;
  for (std::int64_t i = 0; i < 4; ++i) sketch.slice("half", kOp, 10 * i, 5);
  for (std::int64_t i = 4; i < 6; ++i) sketch.slice("half", kOp, 10 * i, 1);
  for (std::int64_t i = 6; i < 8; ++i) sketch.slice("other", kOp, 10 * i, 1);
  sketch.slice("other", kOp, 90, 1);
  const Trace trace = sketch.trace();
  EXPECT_THAT(
      dense_texts(trace, tile_of(trace, {0, 100}, 10)[0]),
      ElementsAre("0+4 50% 4 half", "4+2 10% 2 half", "6+2 10% 2 other", "9+1 10% 1 other"));
}

TEST(TileTest, the_name_that_covers_most_leads_a_column) {
  const Trace trace = Sketch()
                          .slice("often", kOp, 0, 10)
                          .slice("long", kOp, 10, 25)
                          .slice("often", kOp, 40, 10)
                          .slice("often", kOp, 50, 10)
                          .trace();
  EXPECT_THAT(dense_texts(trace, tile_of(trace, {0, 100}, 1)[0]), ElementsAre("0+1 55% 4 often"));
}

TEST(TileTest, among_many_slices_of_a_column_wide_ones_are_found_and_the_leaders_of_blocks_lead) {
  Sketch sketch;
  std::int64_t now_ns = 0;
  for (int i = 0; i < 500; ++i) {
    sketch.slice(i % 10 == 0 ? "rare" : "often", kOp, now_ns, 2);
    now_ns += 4;
  }
  sketch.slice("wide", kOp, now_ns, 5'000);
  for (int i = 0; i < 500; ++i) {
    sketch.slice("often", kOp, now_ns + 5'000, 2);
    now_ns += 4;
  }
  const Trace trace = sketch.trace();
  const auto tile = tile_of(trace, {0, 16'000}, 4);
  EXPECT_THAT(wide_names(trace, tile[0]), ElementsAre("wide"));
  EXPECT_THAT(dense_texts(trace, tile[0]), ElementsAre("0+1 25% 500 often", "1+2 13% 500 often"));
}

TEST(TileTest, only_the_tracks_asked_for_are_answered) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("a", kOp, 0, 10)
                          .thread(2)
                          .slice("b", kOp, 0, 10)
                          .slice("inside", kOp, 2, 3)
                          .trace();
  const auto tile = tile_of(trace, {0, 10}, 1, std::vector{TrackId(1)});
  ASSERT_EQ(tile.size(), 2u);
  EXPECT_THAT(wide_names(trace, tile[0]), ElementsAre("b"));
  EXPECT_EQ(tile[1].row, 1u);
  EXPECT_THAT(dense_texts(trace, tile[1]), ElementsAre("0+1 30% 1 inside"));
  EXPECT_TRUE(tile_of(trace, {0, 10}, 1, std::vector<TrackId>{}).empty());
}

}  // namespace
}  // namespace strobe::analysis

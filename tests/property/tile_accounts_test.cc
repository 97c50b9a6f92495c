#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "strobe/analysis/timeline/selection.h"
#include "strobe/analysis/timeline/tile.h"
#include "tests/support/sketch.h"

// For any trace and window, a tile accounts for every slice exactly once.
namespace strobe::analysis {
namespace {

class RandomTimeline {
 public:
  explicit RandomTimeline(unsigned seed) : random_(seed) {
    const int tracks = number(1, 3);
    for (int track = 1; track <= tracks; ++track) {
      sketch_.thread(track);
      const int longest = 1 << number(0, 9);
      for (int i = number(0, 400); i > 0; --i) {
        sketch_.slice("name " + std::to_string(number(0, 5)), SliceKind::kOperator,
                      number(-500, 3'000), number(0, longest));
      }
    }
    trace_ = sketch_.trace();
  }

  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  const Trace& trace() const { return trace_; }

 private:
  std::mt19937 random_;
  Sketch sketch_;
  Trace trace_;
};

bool is_visible(Interval slice, Interval window) {
  return slice.start_ns < window.end_ns &&
         (slice.end_ns > window.start_ns || slice.start_ns >= window.start_ns);
}

std::int64_t inside_ns(Interval slice, Interval window) {
  return std::min(slice.end_ns, window.end_ns) - std::max(slice.start_ns, window.start_ns);
}

class TileAccountsTest : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, TileAccountsTest, ::testing::Range(0u, 60u));

TEST_P(TileAccountsTest, slices_of_a_row_never_overlap_and_none_is_missing) {
  RandomTimeline random(GetParam());
  const Timeline timeline(random.trace());
  std::vector<SliceId> seen;
  for (const TimelineRow& row : timeline.rows()) {
    for (std::uint32_t i = row.begin; i < row.end; ++i) {
      seen.push_back(timeline.slice(i));
      EXPECT_EQ(timeline.interval(i), random.trace().interval(timeline.slice(i)));
      if (i > row.begin) {
        EXPECT_LE(timeline.end_ns(i - 1), timeline.start_ns(i));
      }
    }
  }
  std::ranges::sort(seen);
  ASSERT_EQ(seen.size(), random.trace().slice_count());
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], SliceId(i));
}

TEST_P(TileAccountsTest, wide_slices_are_listed_and_narrow_ones_counted_and_measured_once) {
  RandomTimeline random(GetParam());
  const Timeline timeline(random.trace());
  for (int round = 0; round < 20; ++round) {
    const std::int64_t start_ns = random.number(-800, 3'500);
    const Interval window{start_ns, start_ns + random.number(1, 4'000)};
    const auto columns = static_cast<std::uint32_t>(random.number(1, 700));
    const auto tile = make_tile(timeline, {.window = window, .columns = columns, .tracks = {}});
    auto tiled = tile.begin();
    for (const TimelineRow& row : timeline.rows()) {
      std::vector<SliceId> wide;
      std::uint64_t narrow = 0;
      std::int64_t covered_ns = 0;
      for (std::uint32_t i = row.begin; i < row.end; ++i) {
        if (!is_visible(timeline.interval(i), window)) continue;
        if (timeline.duration_ns(i) * columns >= window.length_ns()) {
          wide.push_back(timeline.slice(i));
        } else {
          ++narrow;
          covered_ns += inside_ns(timeline.interval(i), window);
        }
      }
      if (wide.empty() && narrow == 0) continue;
      ASSERT_NE(tiled, tile.end());
      ASSERT_EQ(tiled->track, row.track);
      ASSERT_EQ(tiled->row, row.row);
      EXPECT_EQ(tiled->wide, wide);
      std::uint64_t counted = 0;
      double measured_ns = 0;
      std::uint32_t end_column = 0;
      for (const DenseStretch& stretch : tiled->dense) {
        EXPECT_GE(stretch.first_column, end_column);
        EXPECT_GT(stretch.columns, 0u);
        EXPECT_GT(stretch.slices, 0u);
        EXPECT_LE(stretch.covered_share, 1.0 + 1e-9);
        end_column = stretch.first_column + stretch.columns;
        counted += stretch.slices;
        const auto bound_ns = [&](std::uint32_t column) {
          return window.length_ns() * column / columns;
        };
        measured_ns += stretch.covered_share *
                       static_cast<double>(bound_ns(end_column) - bound_ns(stretch.first_column));
      }
      EXPECT_LE(end_column, columns);
      EXPECT_EQ(counted, narrow);
      EXPECT_NEAR(measured_ns, static_cast<double>(covered_ns), 0.01);
      ++tiled;
    }
    EXPECT_EQ(tiled, tile.end());
  }
}

TEST_P(TileAccountsTest, self_times_of_a_track_add_up_to_its_busy_time) {
  RandomTimeline random(GetParam());
  const Timeline timeline(random.trace());
  for (std::size_t track = 0; track < random.trace().tracks().size(); ++track) {
    std::int64_t sum_ns = 0;
    for (std::size_t i = 0; i < random.trace().slice_count(); ++i) {
      if (random.trace().slices().tracks[i] == TrackId(track)) {
        sum_ns += self_ns(timeline, SliceId(i));
      }
    }
    EXPECT_EQ(sum_ns, timeline.busy_ns(TrackId(track)));
  }
}

}  // namespace
}  // namespace strobe::analysis

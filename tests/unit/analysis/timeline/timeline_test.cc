#include "strobe/analysis/timeline/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/sketch.h"
#include "tests/unit/analysis/timeline/recorded_sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint32_t> rows_taken_by(const std::vector<Interval>& slices) {
  RowLayout layout;
  std::vector<std::uint32_t> rows;
  for (const Interval& slice : slices) rows.push_back(layout.place(slice));
  return rows;
}

TEST(RowLayoutTest, what_is_inside_lies_below_and_what_follows_returns) {
  EXPECT_THAT(rows_taken_by({{0, 100}, {10, 50}, {10, 20}, {20, 30}, {60, 70}, {100, 110}}),
              ElementsAre(0, 1, 2, 2, 1, 0));
}

TEST(RowLayoutTest, a_slice_that_crosses_the_end_of_another_takes_a_further_row) {
  EXPECT_THAT(rows_taken_by({{0, 100}, {50, 150}, {120, 130}, {140, 200}}),
              ElementsAre(0, 1, 2, 0));
}

TEST(RowLayoutTest, a_slice_inside_a_deeper_one_never_lies_above_it) {
  // The first two have ended or cross; the third is open in row 1 and contains the last.
  EXPECT_THAT(rows_taken_by({{0, 10}, {5, 100}, {20, 30}}), ElementsAre(0, 1, 2));
}

TEST(RowLayoutTest, a_chain_of_crossing_slices_needs_two_rows) {
  std::vector<Interval> chain;
  for (std::int64_t i = 0; i < 1000; ++i) chain.push_back({10 * i, 10 * i + 15});
  const std::vector<std::uint32_t> rows = rows_taken_by(chain);
  EXPECT_EQ(*std::max_element(rows.begin(), rows.end()), 1u);
}

TEST(RowLayoutTest, empty_slices_lie_inside_what_is_open_and_beside_what_has_ended) {
  EXPECT_THAT(rows_taken_by({{0, 10}, {0, 0}, {5, 5}, {10, 10}, {10, 10}}),
              ElementsAre(0, 1, 1, 0, 0));
}

TEST(RowLayoutTest, equal_slices_lie_below_each_other) {
  EXPECT_THAT(rows_taken_by({{0, 10}, {0, 10}, {0, 10}}), ElementsAre(0, 1, 2));
}

TEST(RowLayoutTest, as_many_rows_as_overlapping_slices_cost_no_square) {
  // Each crosses all before it; a search through all open rows would take minutes.
  constexpr std::int64_t kMany = 200'000;
  RowLayout layout;
  std::uint32_t last = 0;
  for (std::int64_t i = 0; i < kMany; ++i) last = layout.place({i, kMany + i});
  EXPECT_EQ(last, kMany - 1);
  EXPECT_EQ(layout.place({kMany + 10, kMany + 11}), 200'000u) << "inside the last one";
}

std::vector<std::string> names_in(const Timeline& timeline, const TimelineRow& row) {
  std::vector<std::string> names;
  for (std::uint32_t i = row.begin; i < row.end; ++i) {
    names.emplace_back(timeline.trace().name(timeline.slice(i)));
  }
  return names;
}

TEST(TimelineTest, rows_of_a_track_hold_their_slices_by_start) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("late", kOp, 200, 10)
                          .slice("outer", kOp, 0, 100)
                          .slice("inner", kOp, 10, 20)
                          .slice("innermost", kOp, 15, 5)
                          .slice("second", kOp, 40, 20)
                          .thread(2)
                          .slice("other thread", kOp, 5, 5)
                          .trace();
  const Timeline timeline(trace);
  const auto rows = timeline.rows_of(TrackId(0));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_THAT(names_in(timeline, rows[0]), ElementsAre("outer", "late"));
  EXPECT_THAT(names_in(timeline, rows[1]), ElementsAre("inner", "second"));
  EXPECT_THAT(names_in(timeline, rows[2]), ElementsAre("innermost"));
  EXPECT_EQ(timeline.rows_of(TrackId(1)).size(), 1u);
  EXPECT_EQ(timeline.slices_on(TrackId(0)), 5u);
  EXPECT_EQ(timeline.busy_ns(TrackId(0)), 110);
  EXPECT_EQ(timeline.extent(), (Interval{0, 210}));
}

TEST(TimelineTest, one_column_of_sums_gives_durations_ends_and_cover) {
  const Trace trace = Sketch()
                          .slice("a", kOp, 10, 5)
                          .slice("b", kOp, 20, 0)
                          .slice("c", kOp, 30, 7)
                          .thread(2)
                          .slice("d", kOp, 0, 1000)
                          .trace();
  const Timeline timeline(trace);
  EXPECT_EQ(timeline.duration_ns(0), 5);
  EXPECT_EQ(timeline.interval(1), (Interval{20, 20}));
  EXPECT_EQ(timeline.end_ns(2), 37);
  EXPECT_EQ(timeline.sum_ns(0, 3), 12);
  EXPECT_EQ(timeline.interval(3), (Interval{0, 1000}));
}

TEST(TimelineTest, an_empty_trace_has_no_rows_and_no_extent) {
  const Trace trace = Sketch().thread(1).trace();
  const Timeline timeline(trace);
  EXPECT_TRUE(timeline.rows().empty());
  EXPECT_TRUE(timeline.rows_of(TrackId(0)).empty());
  EXPECT_EQ(timeline.extent(), (Interval{0, 0}));
  EXPECT_FALSE(timeline.innermost_at(TrackId(0), 0).valid());
}

TEST(TimelineTest, visible_slots_share_time_with_the_window) {
  const Trace trace = Sketch()
                          .slice("before", kOp, 0, 10)
                          .slice("into", kOp, 10, 11)
                          .slice("empty at its start", kOp, 25, 0)
                          .slice("out of", kOp, 29, 10)
                          .slice("behind", kOp, 40, 10)
                          .trace();
  const Timeline timeline(trace);
  const TimelineRow row = timeline.rows()[0];
  const auto slots = [&](Interval window) {
    const Timeline::Slots found = timeline.visible(row, window);
    return std::pair(found.begin, found.end);
  };
  EXPECT_EQ(slots({20, 30}), std::pair(1u, 4u));
  EXPECT_EQ(slots({21, 40}), std::pair(2u, 4u)) << "ends where it begins, starts where it ends";
  EXPECT_EQ(slots({25, 26}), std::pair(2u, 3u));
  EXPECT_EQ(slots({-9, 0}), std::pair(0u, 0u));
  EXPECT_EQ(slots({50, 90}), std::pair(5u, 5u));
}

TEST(TimelineTest, searching_from_a_near_slot_finds_what_searching_from_the_first_does) {
  Sketch sketch;
  for (std::int64_t i = 0; i < 300; ++i) sketch.slice("s", kOp, i * i, 1);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  const TimelineRow& row = timeline.rows()[0];
  for (std::int64_t time_ns = -1; time_ns < 90'100; time_ns += 97) {
    const std::uint32_t expected = timeline.first_from(row, time_ns);
    for (const std::uint32_t from : {0u, expected / 2, expected}) {
      EXPECT_EQ(timeline.first_from(row, time_ns, from), expected) << time_ns << " " << from;
    }
  }
}

TEST(TimelineTest, the_innermost_slice_is_the_lowest_open_one) {
  Sketch sketch;
  sketch.slice("outer", kOp, 0, 100).slice("inner", kOp, 10, 20).slice("empty", kOp, 50, 0);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  const auto name_at = [&](std::int64_t time_ns) {
    const SliceId slice = timeline.innermost_at(TrackId(0), time_ns);
    return slice.valid() ? std::string(trace.name(slice)) : "nothing";
  };
  EXPECT_EQ(name_at(-1), "nothing");
  EXPECT_EQ(name_at(0), "outer");
  EXPECT_EQ(name_at(10), "inner");
  EXPECT_EQ(name_at(29), "inner");
  EXPECT_EQ(name_at(30), "outer");
  EXPECT_EQ(name_at(50), "empty");
  EXPECT_EQ(name_at(100), "outer") << "just ended, and nothing else is there";
  EXPECT_EQ(name_at(101), "nothing");
}

TEST(TimelineTest, every_slice_finds_its_row_even_among_equals) {
  Sketch sketch;
  for (int i = 0; i < 5; ++i) sketch.slice("same", kOp, 10, 10);
  for (int i = 0; i < 3; ++i) sketch.slice("empty", kOp, 30, 0);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < trace.slice_count(); ++i) {
    rows.push_back(timeline.row_of(SliceId(i)).row);
  }
  EXPECT_THAT(rows, ElementsAre(0, 1, 2, 3, 4, 0, 0, 0));
}

TEST(TimelineTest, a_look_is_a_name_and_a_kind) {
  const Trace trace = Sketch()
                          .slice("x", kOp, 0, 1)
                          .slice("x", SliceKind::kAnnotation, 10, 1)
                          .slice("x", kOp, 20, 1)
                          .slice("y", kOp, 30, 1)
                          .trace();
  const Timeline timeline(trace);
  EXPECT_EQ(timeline.looks().size(), 3u);
  EXPECT_EQ(timeline.look(0), timeline.look(2));
  EXPECT_NE(timeline.look(0), timeline.look(1));
  EXPECT_EQ(timeline.looks()[timeline.look(1).index()].kind, SliceKind::kAnnotation);
}

TEST(TimelineTest, a_kernel_that_communicates_looks_different) {
  Sketch sketch;
  sketch.stream(0, 7).slice("k", SliceKind::kKernel, 0, 1);
  sketch.slice("k", SliceKind::kKernel, 10, 1).flags(kCommunicates);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  ASSERT_EQ(timeline.looks().size(), 2u);
  EXPECT_FALSE(timeline.looks()[timeline.look(0).index()].communicates);
  EXPECT_TRUE(timeline.looks()[timeline.look(1).index()].communicates);
}

TEST(TimelineTest, a_block_knows_its_leader_and_is_never_shorter_than_its_longest) {
  Sketch sketch;
  std::int64_t now_ns = 0;
  const auto add = [&](const char* name, std::int64_t length_ns) {
    sketch.slice(name, kOp, now_ns, length_ns);
    now_ns += length_ns + 1;
  };
  add("long", 16'777'217);  // no float has this value
  for (int i = 0; i < 10; ++i) add("often", 2'000'000);
  for (std::uint32_t i = 0; i < TimelineBlock::kSlots; ++i) add("second block", 7);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  ASSERT_EQ(timeline.blocks().size(), 2u);
  const auto leader = [&](std::size_t block) {
    return trace.strings()[timeline.looks()[timeline.blocks()[block].leader.index()].name];
  };
  EXPECT_EQ(leader(0), "often");
  EXPECT_EQ(leader(1), "second block");
  EXPECT_GE(static_cast<double>(timeline.blocks()[0].longest_ns), 16'777'217.0);
}

TEST(TimelineTest, conditions_and_samples_can_be_shown_but_do_not_move_the_origin) {
  RecordedSketch sketch;
  sketch.thread("1", "1").slice("a", kOp, 100, 50);
  sketch.of_device(0, "clock limits").slice("power cap", SliceKind::kCondition, 20, 500);
  sketch.of_machine().sample("host_cpu_usage", 10, 1).sample("host_cpu_usage", 200, 1);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  EXPECT_EQ(timeline.extent(), (Interval{100, 150}));
  EXPECT_EQ(timeline.reach(), (Interval{10, 520}));
  EXPECT_EQ(shown_time(trace), timeline.reach());
  EXPECT_EQ(slice_extent(trace), timeline.extent());
  EXPECT_EQ(timeline.busy_ns(trace.slices().tracks[1]), 0) << "a condition is not work";
}

TEST(TimelineTest, counters_of_other_tools_show_nothing_beside_the_slices) {
  RecordedSketch sketch;
  sketch.thread("1", "1").slice("a", kOp, 1'000'000, 50).sample("requests", 0, 1);
  EXPECT_EQ(shown_time(sketch.trace()), (Interval{1'000'000, 1'000'050}));
}

TEST(TimelineTest, without_slices_the_samples_are_all_there_is) {
  RecordedSketch sketch;
  sketch.thread("1", "1").sample("requests", 30, 1).sample("requests", 90, 1);
  const Trace trace = sketch.trace();
  const Timeline timeline(trace);
  EXPECT_EQ(timeline.extent(), (Interval{30, 90}));
  EXPECT_EQ(timeline.reach(), (Interval{30, 90}));
  const Trace empty = Sketch().trace();
  EXPECT_EQ(Timeline(empty).reach(), Interval{});
}

}  // namespace

}  // namespace strobe::analysis

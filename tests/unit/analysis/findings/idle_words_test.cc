#include "strobe/analysis/findings/idle_words.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

IdleCause cause_of(const IdleRow& row) {
  Summary summary = five_steps();
  add_idle(summary, row);
  return list_idle_causes(summary)[0];
}

TEST(StallTest, long_stretches_count_whole_and_a_single_one_alone) {
  const IdleCause even = cause_of(idle_row(IdleKind::kOperator, "aten::a", 5, 10_ms));
  EXPECT_EQ(stall_of(even).ns, 50_ms);
  EXPECT_FALSE(stall_of(even).is_once);
  IdleRow row = idle_row(IdleKind::kOperator, "aten::a", 1000, 20_us);
  row.idle.add(10_ms);
  row.in_steps_ns += 10_ms;
  row.longest = {200_ms, 210_ms};
  EXPECT_EQ(stall_of(cause_of(row)).ns, 10_ms);
  EXPECT_TRUE(stall_of(cause_of(row)).is_once);
}

// 100 ms before the steps, then four stretches of 20 us in them: their average is that of the four.
TEST(StallTest, a_long_stretch_outside_the_steps_makes_no_stall_inside) {
  IdleRow row = idle_row(IdleKind::kOperator, "aten::a", {100_ms, 20_us, 20_us, 20_us, 20_us});
  row.in_steps_ns = 80_us;
  row.longest = {-100_ms, 0_ms};
  EXPECT_EQ(stall_of(cause_of(row)).ns, 0);
  row = idle_row(IdleKind::kOperator, "aten::a", {100_ms, 5_ms, 5_ms, 5_ms});
  row.in_steps_ns = 15_ms;
  row.longest = {-100_ms, 0_ms};
  EXPECT_EQ(stall_of(cause_of(row)).ns, 15_ms);
}

// Five gaps of 10 ms, each of 500 short stretches.
TEST(StallTest, many_short_stretches_in_long_gaps_are_no_stall) {
  IdleRow row = idle_row(IdleKind::kOperator, "aten::a", 5, 10_ms);
  row.longest = {200_ms, 200_ms + 20_us};
  EXPECT_EQ(stall_of(cause_of(row)).ns, 0);
}

TEST(IdleWordsTest, times_are_counted_only_if_they_are_alike) {
  const auto text_of = [](const IdleRow& row) {
    const IdleCause cause = cause_of(row);
    return times_text(stall_of(cause));
  };
  EXPECT_EQ(text_of(idle_row(IdleKind::kNothing, "", {10_ms, 20_ms})),
            "2 times, 15.0 ms on average, 20.0 ms at most");
  EXPECT_EQ(text_of(idle_row(IdleKind::kNothing, "", {10_us, 20_ms, 20_ms})),
            "up to 20.0 ms at once");
  EXPECT_EQ(text_of(idle_row(IdleKind::kNothing, "", {10_us, 20_ms, 10_us})), "once for 20.0 ms");
}

TEST(IdleWordsTest, places_are_told_as_far_as_they_are_known) {
  EXPECT_EQ(where_text("", ""), "");
  EXPECT_EQ(where_text("aten::item", ""), ", in aten::item");
  EXPECT_EQ(where_text("aten::item", "/job/train.py(3): f"), ", in aten::item at train.py(3): f");
}

TEST(IdleWordsTest, a_place_that_is_one_of_several_is_not_told_as_all) {
  IdleCause cause = cause_of(idle_row(IdleKind::kOperator, "aten::a", 5, 10_ms));
  cause.main_place.inside = "forward";
  EXPECT_EQ(where_text(cause), ", in forward");
  cause.at_main_ns = 40_ms;
  EXPECT_EQ(where_text(cause), ", mostly in forward");
  cause.at_main_ns = 20_ms;
  EXPECT_EQ(where_text(cause), ", partly in forward");
  cause.longest_place.inside = "warm up";
  EXPECT_EQ(where_text(Stall{&cause, 10_ms, true}), ", in warm up");
  EXPECT_EQ(where_text(Stall{&cause, 50_ms, false}), ", partly in forward");
}

TEST(IdleWordsTest, the_profiler_is_told_from_the_program) {
  const IdleCause cause = cause_of(idle_row(IdleKind::kOverhead, "Buffer Flush", 4, 8_ms));
  EXPECT_EQ(moment_text(cause), "while the host is held up by the profiler itself (Buffer Flush)");
  EXPECT_FALSE(is_host_code(cause.kind));
}

TEST(IdleWordsTest, directions_have_words) {
  EXPECT_EQ(copy_direction_text(device::CopyDirection::kHostToDevice), "host to device");
  EXPECT_EQ(copy_direction_text(device::CopyDirection::kUnknown), "");
  EXPECT_TRUE(is_mostly_pinned({10, 6, 0}));
  EXPECT_FALSE(is_mostly_pinned({10, 4, 0}));
}

}  // namespace

}  // namespace strobe::analysis

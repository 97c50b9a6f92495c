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

TEST(IdleWordsTest, directions_have_words) {
  EXPECT_EQ(copy_direction_text(device::CopyDirection::kHostToDevice), "host to device");
  EXPECT_EQ(copy_direction_text(device::CopyDirection::kUnknown), "");
  EXPECT_TRUE(is_mostly_pinned({10, 6, 0}));
  EXPECT_FALSE(is_mostly_pinned({10, 4, 0}));
}

}  // namespace

}  // namespace strobe::analysis

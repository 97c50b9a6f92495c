#include "strobe/analysis/waits/interval_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

const IntervalSet kSet = {{10, 20}, {30, 40}, {40, 50}};

TEST(OverlapCursorTest, adds_up_the_parts_inside_the_set) {
  OverlapCursor cursor(kSet);
  EXPECT_EQ(cursor.overlap_ns({0, 10}), 0);
  EXPECT_EQ(cursor.overlap_ns({5, 15}), 5);
  EXPECT_EQ(cursor.overlap_ns({12, 45}), 8 + 10 + 5);
  EXPECT_EQ(cursor.overlap_ns({35, 36}), 1);
  EXPECT_EQ(cursor.overlap_ns({50, 90}), 0);
}

TEST(OverlapCursorTest, an_earlier_question_after_a_later_one_has_the_same_answer) {
  OverlapCursor cursor(kSet);
  EXPECT_EQ(cursor.overlap_ns({60, 90}), 0);
  EXPECT_EQ(cursor.overlap_ns({0, 100}), 30);
  EXPECT_EQ(cursor.overlap_ns({45, 100}), 5);
  EXPECT_EQ(cursor.overlap_ns({15, 16}), 1);
}

TEST(OverlapCursorTest, holds_a_time_from_the_start_to_before_the_end) {
  OverlapCursor cursor(kSet);
  EXPECT_FALSE(cursor.holds(9));
  EXPECT_TRUE(cursor.holds(10));
  EXPECT_FALSE(cursor.holds(20));
  EXPECT_TRUE(cursor.holds(49));
  EXPECT_FALSE(cursor.holds(50));
}

TEST(OverlapCursorTest, meets_what_lies_inside_at_least_in_part) {
  OverlapCursor cursor(kSet);
  EXPECT_FALSE(cursor.meets({0, 10}));
  EXPECT_TRUE(cursor.meets({0, 11}));
  EXPECT_TRUE(cursor.meets({15, 15}));   // without length, but inside
  EXPECT_FALSE(cursor.meets({25, 25}));  // without length, outside
  EXPECT_FALSE(cursor.meets({20, 30}));
  EXPECT_FALSE(cursor.meets({50, 60}));
}

TEST(OverlapCursorTest, an_empty_set_holds_nothing) {
  const IntervalSet none;
  OverlapCursor cursor(none);
  EXPECT_EQ(cursor.overlap_ns({0, 10}), 0);
  EXPECT_FALSE(cursor.holds(0));
  EXPECT_FALSE(cursor.meets({0, 10}));
}

TEST(OverlapCursorTest, lists_the_parts_of_an_interval) {
  OverlapCursor cursor(kSet);
  std::vector<Interval> parts;
  cursor.parts_of({15, 42}, [&](Interval part) { parts.push_back(part); });
  EXPECT_THAT(parts, ElementsAre(Interval{15, 20}, Interval{30, 40}, Interval{40, 42}));
}

TEST(UncoveredPartTest, gives_what_no_earlier_interval_covers) {
  UncoveredPart uncovered;
  EXPECT_EQ(uncovered.of({0, 10}), (Interval{0, 10}));
  EXPECT_EQ(uncovered.of({2, 5}).length_ns(), 0);
  EXPECT_EQ(uncovered.of({5, 15}), (Interval{10, 15}));
  EXPECT_EQ(uncovered.of({20, 25}), (Interval{20, 25}));
}

}  // namespace
}  // namespace strobe::analysis

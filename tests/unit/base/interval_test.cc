#include "strobe/base/interval.h"

#include <gmock/gmock.h>

namespace strobe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(IntervalTest, touching_ranges_become_one) {
  EXPECT_THAT(union_of({{5, 8}, {1, 3}, {3, 4}}), ElementsAre(Interval{1, 4}, Interval{5, 8}));
}

TEST(IntervalTest, a_range_inside_another_adds_nothing) {
  EXPECT_THAT(union_of({{1, 10}, {2, 3}}), ElementsAre(Interval{1, 10}));
}

TEST(IntervalTest, intersection_keeps_only_what_both_cover) {
  EXPECT_THAT(intersection_of({{0, 10}, {20, 30}}, {{5, 25}}),
              ElementsAre(Interval{5, 10}, Interval{20, 25}));
}

TEST(IntervalTest, difference_cuts_holes) {
  EXPECT_THAT(difference_of({{0, 10}, {12, 20}}, {{2, 4}, {9, 13}}),
              ElementsAre(Interval{0, 2}, Interval{4, 9}, Interval{13, 20}));
  EXPECT_THAT(difference_of({{0, 10}}, {{0, 10}}), IsEmpty());
}

TEST(IntervalTest, union_splits_into_difference_and_intersection) {
  const IntervalSet a = {{0, 10}, {12, 20}, {30, 31}};
  const IntervalSet b = {{2, 4}, {9, 13}, {25, 40}};
  EXPECT_EQ(total_ns(a), total_ns(difference_of(a, b)) + total_ns(intersection_of(a, b)));
}

}  // namespace
}  // namespace strobe

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

TEST(IntervalTest, what_touches_or_overlaps_is_joined) {
  GrowingUnion set;
  set.add({0, 5});
  set.add({2, 3});
  set.add({5, 7});
  set.add({9, 10});
  EXPECT_THAT(set.set(), ElementsAre(Interval{0, 7}, Interval{9, 10}));
}

TEST(IntervalTest, covered_time_is_the_length_of_the_union) {
  CoveredTime covered;
  EXPECT_EQ(covered.total_ns(), 0);
  for (const Interval interval : {Interval{0, 5}, {2, 3}, {5, 7}, {9, 10}, {9, 9}}) {
    covered.add(interval);
  }
  EXPECT_EQ(covered.total_ns(), 8);
}

TEST(IntervalTest, many_sets_are_joined_to_one) {
  EXPECT_TRUE(union_of_all({}).empty());
  EXPECT_THAT(union_of_all({{{0, 2}, {8, 9}}, {{1, 4}}, {{4, 5}, {20, 21}}}),
              ElementsAre(Interval{0, 5}, Interval{8, 9}, Interval{20, 21}));
}

}  // namespace
}  // namespace strobe

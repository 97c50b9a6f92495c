#include "strobe/analysis/launches/growing_union.h"

#include <gmock/gmock.h>

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

TEST(GrowingUnionTest, what_touches_or_overlaps_is_joined) {
  GrowingUnion set;
  set.add({0, 5});
  set.add({2, 3});
  set.add({5, 7});
  set.add({9, 10});
  EXPECT_THAT(set.set(), ElementsAre(Interval{0, 7}, Interval{9, 10}));
}

TEST(GrowingUnionTest, covered_time_is_the_length_of_the_union) {
  CoveredTime covered;
  EXPECT_EQ(covered.total_ns(), 0);
  for (const Interval interval : {Interval{0, 5}, {2, 3}, {5, 7}, {9, 10}, {9, 9}}) {
    covered.add(interval);
  }
  EXPECT_EQ(covered.total_ns(), 8);
}

TEST(GrowingUnionTest, many_sets_are_joined_to_one) {
  EXPECT_TRUE(union_of_all({}).empty());
  EXPECT_THAT(union_of_all({{{0, 2}, {8, 9}}, {{1, 4}}, {{4, 5}, {20, 21}}}),
              ElementsAre(Interval{0, 5}, Interval{8, 9}, Interval{20, 21}));
}

}  // namespace
}  // namespace strobe::analysis

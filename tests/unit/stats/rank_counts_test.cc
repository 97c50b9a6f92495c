#include "strobe/stats/rank_counts.h"

#include <gmock/gmock.h>

#include <cmath>

namespace strobe::stats {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(RankCountsTest, two_against_two_has_six_splits) {
  // U = 0, 1, 2, 3, 4 comes up 1, 1, 2, 1, 1 times.
  EXPECT_THAT(rank_shares(2, 2, 2),
              ElementsAre(DoubleEq(1.0 / 6), DoubleEq(2.0 / 6), DoubleEq(4.0 / 6)));
}

TEST(RankCountsTest, the_sides_may_be_swapped) {
  EXPECT_EQ(rank_shares(3, 7, 10), rank_shares(7, 3, 10));
}

TEST(RankCountsTest, asking_for_less_gives_the_same_beginning) {
  const std::vector<double> all = rank_shares(9, 8, 36);
  const std::vector<double> some = rank_shares(9, 8, 5);
  ASSERT_EQ(all.size(), 37u);
  ASSERT_EQ(some.size(), 6u);
  for (std::size_t u = 0; u < some.size(); ++u) EXPECT_EQ(some[u], all[u]) << u;
}

TEST(RankCountsTest, the_tail_of_large_sizes_keeps_its_digits) {
  // The first counts are the numbers of partitions 1, 1, 2, 3, 5, 7, 11: together 30.
  double splits = 1;
  for (int i = 1; i <= 50; ++i) splits *= (50.0 + i) / i;
  EXPECT_NEAR(rank_shares(50, 50, 6)[6] * splits / 30, 1, 1e-12);
  // An even number of pairs: the middle belongs to both halves.
  const std::vector<double> half = rank_shares(50, 50, 1250);
  EXPECT_NEAR(half[1250] + half[1249], 1, 1e-12);
}

TEST(RankCountsTest, what_is_remembered_is_what_would_be_counted) {
  RankCounts counts;
  EXPECT_EQ(counts.shares(4, 6), rank_shares(4, 6, 12));
  EXPECT_EQ(&counts.shares(6, 4), &counts.shares(4, 6));
}

TEST(RankCountsTest, an_empty_side_has_one_split) {
  EXPECT_THAT(rank_shares(0, 5, 0), ElementsAre(1));
}

}  // namespace
}  // namespace strobe::stats

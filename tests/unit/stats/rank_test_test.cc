#include "strobe/stats/rank_test.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::stats {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using Sample = std::vector<double>;

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

TEST(RankTestTest, u_counts_the_pairs_in_which_a_side_is_larger) {
  // 2 > 1; 4 > 1, 3; 3 = 3 is a half on each side.
  const RankTest test = rank_test(Sample{2, 4, 3}, Sample{1, 3});
  EXPECT_EQ(test.u_first, 1 + 2 + 1.5);
  EXPECT_EQ(test.u_second, 1 + 0 + 0.5);
  EXPECT_TRUE(test.has_ties);
}

TEST(RankTestTest, complete_separation_reaches_the_least_p) {
  const RankTest test = rank_test(Sample{1, 2, 3, 4, 5, 6, 7}, Sample{11, 12, 13, 14, 15, 16, 17});
  EXPECT_EQ(test.method, RankMethod::kExact);
  EXPECT_NEAR(test.p, 2.0 / 3432, 1e-15);  // C(14, 7) = 3432
  EXPECT_NEAR(least_p(7, 7), test.p, 1e-15);
}

TEST(RankTestTest, sizes_that_can_never_convince_say_so) {
  EXPECT_EQ(least_p(1, 1), 1);
  EXPECT_EQ(least_p(0, 9), 1);
  EXPECT_NEAR(least_p(3, 3), 0.1, 1e-15);
  EXPECT_NEAR(least_p(2, 1000), 2.0 / (1002.0 * 1001 / 2), 1e-18);
}

// All splits of the pooled values, one by one.
double p_by_enumeration(const Sample& first, const Sample& second) {
  Sample all = first;
  all.insert(all.end(), second.begin(), second.end());
  const auto far = [&](unsigned chosen) {
    double u = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < all.size(); ++j) {
        if ((chosen >> i & 1) == 0 || (chosen >> j & 1) == 1) continue;
        u += all[i] > all[j] ? 1 : all[i] == all[j] ? 0.5 : 0;
      }
    }
    return std::abs(u - static_cast<double>(first.size() * second.size()) / 2);
  };
  const double observed = far((1u << first.size()) - 1);
  double splits = 0;
  double as_far = 0;
  for (unsigned chosen = 0; chosen < 1u << all.size(); ++chosen) {
    if (std::popcount(chosen) != static_cast<int>(first.size())) continue;
    splits += 1;
    as_far += far(chosen) >= observed ? 1 : 0;
  }
  return as_far / splits;
}

TEST(RankTestTest, counting_agrees_with_going_through_all_splits) {
  std::mt19937 random(7);
  for (int round = 0; round < 150; ++round) {
    Sample first(1 + random() % 5);
    Sample second(1 + random() % 5);
    const auto values = round % 3 == 0 ? 1'000'000 : 1 + random() % 6;
    for (double& value : first) value = static_cast<double>(random() % values);
    for (double& value : second) value = static_cast<double>(random() % values);
    const RankTest test = rank_test(first, second);
    EXPECT_EQ(test.method, test.has_ties ? RankMethod::kPermutation : RankMethod::kExact);
    EXPECT_NEAR(test.p, p_by_enumeration(first, second), 1e-12) << round;
  }
}

TEST(RankTestTest, swapping_the_samples_swaps_u_and_nothing_else) {
  const Sample a{1, 1, 2, 5, 9, 9, 9};
  const Sample b{1, 3, 5, 5};
  for (const auto& [forth, back] :
       {std::pair{rank_test(a, b), rank_test(b, a)},
        std::pair{rank_test_automatic(a, b), rank_test_automatic(b, a)}}) {
    EXPECT_EQ(forth.u_first, back.u_second);
    EXPECT_EQ(forth.p, back.p);
  }
}

TEST(RankTestTest, one_constant_on_both_sides_says_nothing) {
  const Sample six(5, 85.7);
  EXPECT_EQ(rank_test(six, six).p, 1);
  EXPECT_EQ(rank_test_automatic(six, six).p, 1);
  EXPECT_EQ(rank_test(six, six, {0, 0}).p, 1);
}

TEST(RankTestTest, an_empty_side_has_no_p) {
  const RankTest test = rank_test({}, Sample{1, 2});
  EXPECT_EQ(test.method, RankMethod::kNone);
  EXPECT_TRUE(std::isnan(test.p));
  EXPECT_TRUE(std::isnan(rank_test({}, {}).p));
}

TEST(RankTestTest, what_is_too_dear_to_count_is_approximated) {
  Sample many(51);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  Sample others(50);
  for (std::size_t i = 0; i < others.size(); ++i) others[i] = static_cast<double>(i) + 0.5;
  EXPECT_EQ(rank_test(many, others).method, RankMethod::kNormal);  // 2550 pairs
  many.pop_back();
  EXPECT_EQ(rank_test(many, others).method, RankMethod::kExact);  // 2500
  others[0] = many[0];
  EXPECT_EQ(rank_test(many, others).method, RankMethod::kNormal);  // with a tie
  many.resize(20);
  others.resize(20);
  EXPECT_EQ(rank_test(many, others).method, RankMethod::kPermutation);  // 400
  EXPECT_EQ(rank_test(many, others, {2500, 399}).method, RankMethod::kNormal);
}

TEST(RankTestTest, the_automatic_choice_counts_small_untied_samples_only) {
  const Sample eight{1, 2, 3, 4, 5, 6, 7, 8};
  const Sample nine{1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5};
  const Sample other_nine{11, 12, 13, 14, 15, 16, 17, 18, 19};
  EXPECT_EQ(rank_test_automatic(eight, nine).method, RankMethod::kExact);
  EXPECT_EQ(rank_test_automatic(other_nine, nine).method, RankMethod::kNormal);
  EXPECT_EQ(rank_test_automatic(eight, eight).method, RankMethod::kNormal);
}

TEST(RankTestTest, the_approximation_corrects_for_continuity) {
  // U = 0 of 9 pairs, 4.5 from the middle, less 0.5; variance 9 * 7 / 12.
  EXPECT_NEAR(rank_test(Sample{1, 2, 3}, Sample{4, 5, 6}, {0, 0}).p,
              std::erfc(4 / std::sqrt(5.25) / std::sqrt(2.0)), 1e-14);
}

TEST(RankTestTest, what_is_remembered_gives_the_same_p) {
  RankCounts counts;
  const Sample a{1, 4, 6, 9};
  const Sample b{2, 3, 11, 12, 15};
  EXPECT_EQ(rank_test(a, b, {}, &counts).p, rank_test(a, b).p);
  EXPECT_EQ(rank_test(b, a, {}, &counts).p, rank_test(a, b).p);
}

}  // namespace
}  // namespace strobe::stats

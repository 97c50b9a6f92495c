#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "strobe/compare/causes/cause_rules.h"
#include "tests/support/cause_sketch.h"
#include "tests/support/rank_sketch.h"

namespace strobe::compare {
namespace {

const Cause* straggler_of(const Comparison& comparison) {
  const auto found = std::ranges::find(comparison.causes, CauseKind::kStraggler, &Cause::kind);
  return found == comparison.causes.end() ? nullptr : &*found;
}

// One rank takes 3 ms more for its own kernels; the cycle grows by as much, and the others wait.
TEST(RankCausesTest, the_rank_that_does_not_wait_longer_is_the_late_one) {
  const auto comparison = compare_runs(ranked_run("normal", {kUsual, kUsual, kUsual}, 10),
                                       ranked_run("abnormal", {kUsual, kSlow, kUsual}, 13));
  ASSERT_TRUE(comparison) << comparison.error().what;
  const Cause* cause = straggler_of(*comparison);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "rank 1 keeps the others waiting");
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_EQ(comparison->causes.front().kind, CauseKind::kStraggler);
}

TEST(RankCausesTest, a_late_rank_is_named_before_those_that_wait_for_it_on_the_host) {
  const auto comparison =
      compare_runs(host_ranked_run("normal", {kUsual, kUsual, kUsual, kUsual}, 10),
                   host_ranked_run("abnormal", {kUsual, kUsual, kSlow, kUsual}, 13));
  ASSERT_TRUE(comparison) << comparison.error().what;
  ASSERT_FALSE(comparison->causes.empty());
  const Cause& first = comparison->causes.front();
  EXPECT_EQ(first.kind, CauseKind::kStraggler);
  EXPECT_EQ(first.headline, "rank 2 keeps the others waiting");
  EXPECT_GE(first.score, kConfidentScore);
  EXPECT_TRUE(mentions(first.evidence, "outside of collectives on rank 2: 6.00 -> 9.00 ms"));
}

// Rank 3 has no rows: it must not count as a rank without collectives.
TEST(RankCausesTest, a_rank_that_only_one_run_has_does_not_hide_the_late_one) {
  const auto comparison = compare_runs(ranked_run("normal", {kUsual, kUsual, kUsual, kUsual}, 10),
                                       ranked_run("abnormal", {kUsual, kSlow, kUsual}, 13));
  ASSERT_TRUE(comparison) << comparison.error().what;
  const Cause* cause = straggler_of(*comparison);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "rank 1 keeps the others waiting");
}

// The last rank does not wait; if its collectives take longer as well, the links are slower.
TEST(RankCausesTest, ranks_that_all_take_longer_have_no_straggler_among_them) {
  const auto comparison = compare_runs(ranked_run("normal", {kUsual, kUsual, kUsual}, 10),
                                       ranked_run("abnormal", {kUsual, kUsual, kUsual}, 13));
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(straggler_of(*comparison), nullptr);
  ASSERT_FALSE(comparison->causes.empty());
  EXPECT_EQ(comparison->causes.front().kind, CauseKind::kFabric);
}

TEST(RankCausesTest, what_all_ranks_have_in_common_is_told_once) {
  const auto comparison = compare_runs(ranked_run("normal", {kUsual, kUsual, kUsual}, 10),
                                       ranked_run("abnormal", {kUsual, kUsual, kUsual}, 13));
  ASSERT_TRUE(comparison) << comparison.error().what;
  ASSERT_EQ(std::ranges::count(comparison->causes, comparison->causes.front().kind, &Cause::kind),
            1);
  EXPECT_THAT(comparison->causes.front().ranks, ::testing::UnorderedElementsAre(0, 1, 2));
}

TEST(RankCausesTest, equal_runs_have_none) {
  const auto comparison = compare_runs(ranked_run("normal", {kUsual, kUsual}, 10),
                                       ranked_run("abnormal", {kUsual, kUsual}, 10));
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_TRUE(comparison->causes.empty());
}

}  // namespace

}  // namespace strobe::compare

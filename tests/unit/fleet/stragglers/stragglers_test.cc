#include "strobe/fleet/stragglers/stragglers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/job_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(StragglersTest, equal_ranks_have_none) {
  Job job = even_job(8, 12);
  meet(job);
  EXPECT_THAT(find_stragglers(job), IsEmpty());
}

TEST(StragglersTest, one_comes_with_its_numbers) {
  Job job = even_job(8, 12);
  in_all_steps(job, 5, [](RankStep& step) { step.compute_ns += 30 * kMs; });
  meet(job);
  const auto found = find_stragglers(job);
  ASSERT_EQ(found.size(), 1u);
  const Straggler& one = found.front();
  EXPECT_EQ(one.kind, StragglerKind::kRank);
  EXPECT_EQ(one.reason, StragglerReason::kLongerKernels);
  EXPECT_THAT(one.ranks, ElementsAre(5u));
  EXPECT_EQ(one.first_step, 0u);
  EXPECT_EQ(one.end_step, 12u);
  EXPECT_EQ(one.steps, 12u);
  EXPECT_EQ(one.late_steps, 12u);
  EXPECT_EQ(one.collectives, 120u);
  EXPECT_EQ(one.last, 120u);
  EXPECT_NEAR(one.later_ns, 30e6, 0.2e6);
  EXPECT_NEAR(one.peers_ns, 100e6, 0.2e6);
  EXPECT_LT(one.p, 1e-6);
  EXPECT_EQ(one.tested, 8u);
  // Seven ranks wait 30 of 140 ms, and all eight of the job take 140 ms.
  EXPECT_NEAR(one.lost_share, 7.0 * 30 / (8 * 140), 0.002);
  EXPECT_LE(one.lost_interval[0], one.lost_share);
  EXPECT_GE(one.lost_interval[1], one.lost_share);
  EXPECT_LT(one.lost_interval[1] - one.lost_interval[0], 0.002);
}

TEST(StragglersTest, the_costliest_is_first) {
  Job job = even_job(16, 12);
  job.ranks[3].steps[6].host_ns += 3000 * kMs;
  in_all_steps(job, 7, [](RankStep& step) { step.copy_ns += 30 * kMs; });
  meet(job);
  const auto found = find_stragglers(job);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, StragglerKind::kBadStep);
  EXPECT_THAT(found[0].ranks, ElementsAre(3u));
  EXPECT_EQ(found[1].kind, StragglerKind::kRank);
  EXPECT_THAT(found[1].ranks, ElementsAre(7u));
  EXPECT_GT(found[0].lost_share, found[1].lost_share);
}

TEST(StragglersTest, an_empty_job_and_a_single_rank_have_none) {
  EXPECT_THAT(find_stragglers({}), IsEmpty());
  Job job = even_job(1, 12);
  meet(job);
  EXPECT_THAT(find_stragglers(job), IsEmpty());
}

TEST(StragglersTest, every_kind_and_reason_has_a_word_of_its_own) {
  std::set<std::string_view> words;
  for (const auto kind :
       {StragglerKind::kRank, StragglerKind::kHost, StragglerKind::kStage,
        StragglerKind::kWandering, StragglerKind::kBadStep, StragglerKind::kNetwork}) {
    words.insert(word_of(kind));
  }
  EXPECT_EQ(words.size(), 6u);
  for (const auto reason :
       {StragglerReason::kUnknown, StragglerReason::kLongerKernels, StragglerReason::kMoreWork,
        StragglerReason::kHostStretch, StragglerReason::kHostContention,
        StragglerReason::kHostOperators, StragglerReason::kInput, StragglerReason::kCopies,
        StragglerReason::kTransfers}) {
    words.insert(word_of(reason));
  }
  EXPECT_EQ(words.size(), 15u);
  EXPECT_FALSE(words.contains(""));
}

}  // namespace
}  // namespace strobe::fleet

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "tests/support/job_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(BadStepsTest, one_rank_stands_still_once) {
  Job job = even_job(8, 12);
  job.ranks[2].steps[7].host_ns += 400 * kMs;
  job.ranks[2].steps[7].longest_host_gap_ns += 400 * kMs;
  meet(job);
  JobView view(job);
  const auto found = bad_steps(view);
  ASSERT_EQ(found.size(), 1u);
  const Straggler& one = found.front();
  EXPECT_EQ(one.kind, StragglerKind::kBadStep);
  EXPECT_EQ(one.reason, StragglerReason::kHostStretch);
  EXPECT_EQ(one.first_step, 7u);
  EXPECT_EQ(one.end_step, 8u);
  EXPECT_THAT(one.ranks, ElementsAre(2u));
  EXPECT_NEAR(one.lost_share, 400.0 / (12 * 110 + 400), 0.002);
  EXPECT_THAT(view.usual_steps, Not(Contains(7u)));
}

TEST(BadStepsTest, all_ranks_stand_still_at_once) {
  Job job = even_job(8, 12);
  for (RankOfJob& rank : job.ranks) rank.steps[5].host_ns += 400 * kMs;
  meet(job);
  JobView view(job);
  const auto found = bad_steps(view);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found.front().ranks, SizeIs(8u));
}

TEST(BadStepsTest, a_first_step_that_is_long_everywhere_is_warm_up) {
  Job job = even_job(8, 12);
  for (RankOfJob& rank : job.ranks) rank.steps[0].host_ns += 400 * kMs;
  meet(job);
  JobView view(job);
  EXPECT_THAT(bad_steps(view), IsEmpty());
  EXPECT_THAT(view.usual_steps, Not(Contains(0u)));
}

TEST(BadStepsTest, a_step_with_long_transfers_is_the_network) {
  Job job = even_job(8, 12);
  for (RankOfJob& rank : job.ranks) rank.steps[5].transfer_ns += 400 * kMs;
  meet(job);
  JobView view(job);
  const auto found = bad_steps(view);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().kind, StragglerKind::kNetwork);
}

TEST(BadStepsTest, steps_that_stay_long_are_not_bad_steps) {
  Job job = even_job(8, 12);
  for (std::size_t step = 5; step < 9; ++step) job.ranks[2].steps[step].host_ns += 400 * kMs;
  meet(job);
  JobView view(job);
  EXPECT_THAT(bad_steps(view), IsEmpty());
}

TEST(BadStepsTest, steps_of_any_length_have_no_bad_one) {
  Job job = even_job(8, 12);
  constexpr std::array kMore = {0, 40, 10, 70, 20, 55, 5, 90, 30, 65, 15, 80};
  for (RankOfJob& rank : job.ranks) {
    for (std::size_t step = 0; step < kMore.size(); ++step) {
      rank.steps[step].host_ns += kMore[step] * kMs;
    }
  }
  meet(job);
  JobView view(job);
  EXPECT_THAT(bad_steps(view), IsEmpty());
}

TEST(BadStepsTest, of_a_single_step_the_rank_that_was_last_to_all_collectives_is_named) {
  Job job = even_job(8, 1);
  job.ranks[6].steps[0].compute_ns += 30 * kMs;
  meet(job);
  JobView view(job);
  const auto found = bad_steps(view);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().kind, StragglerKind::kBadStep);
  EXPECT_THAT(found.front().ranks, ElementsAre(6u));
  EXPECT_EQ(found.front().steps, 1u);
  EXPECT_EQ(found.front().last, 10u);
}

TEST(BadStepsTest, of_a_single_step_with_a_single_collective_nobody_is_named) {
  Job job = even_job(8, 1);
  job.ranks[6].steps[0].compute_ns += 30 * kMs;
  meet(job);
  for (RankOfJob& rank : job.ranks) {
    rank.steps[0].collectives = 1;
    rank.steps[0].last = rank.rank == 6 ? 1 : 0;
  }
  JobView view(job);
  EXPECT_THAT(bad_steps(view), IsEmpty());
}

}  // namespace
}  // namespace strobe::fleet

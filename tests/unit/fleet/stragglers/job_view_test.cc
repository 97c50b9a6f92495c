#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "tests/support/even_job.h"

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;

TEST(JobViewTest, ranks_are_arranged_by_host_and_stage) {
  Job job = even_job(4, 3, 2);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    job.ranks[rank].stage = static_cast<std::int32_t>(rank % 2);
  }
  meet(job);
  const JobView view(job);
  ASSERT_EQ(view.hosts.size(), 2u);
  EXPECT_THAT(view.hosts[1].ranks, ElementsAre(2u, 3u));
  ASSERT_EQ(view.stages.size(), 2u);
  EXPECT_THAT(view.stages[1].ranks, ElementsAre(1u, 3u));
  EXPECT_THAT(view.stage_of, ElementsAre(0u, 1u, 0u, 1u));
  EXPECT_NEAR(view.usual_step_ns, 110e6, 0.2e6);
  EXPECT_NEAR(view.total_ns, 12 * 110e6, 2e6);
}

TEST(JobViewTest, hosts_are_not_known_if_one_rank_does_not_name_its_own) {
  Job job = even_job(4, 3, 2);
  job.ranks[2].host.clear();
  meet(job);
  EXPECT_TRUE(JobView(job).hosts.empty());
}

TEST(JobViewTest, a_job_meets_on_the_host_if_most_of_its_collectives_run_there) {
  Job job = even_job(2, 3);
  job.collectives.resize(2);
  job.collectives[0].matched = 10;
  job.collectives[0].on_host = true;
  job.collectives[1].matched = 4;
  meet(job);
  EXPECT_TRUE(JobView(job).meets_on_host());
  job.collectives[1].matched = 11;
  EXPECT_FALSE(JobView(job).meets_on_host());
}

TEST(JobViewTest, what_others_waited_for_a_rank_is_lost) {
  Job job = even_job(4, 3);
  job.ranks[1].steps[2].host_ns += 40 * kMs;
  meet(job);
  EXPECT_NEAR(lost_by(JobView(job), {1}, 2, false), 3 * 40e6, 0.5e6);
  EXPECT_EQ(lost_by(JobView(job), {2}, 2, false), 0);
}

TEST(JobViewTest, what_others_would_wait_for_each_other_is_not_lost) {
  Job job = even_job(4, 3);
  job.ranks[1].steps[2].host_ns += 40 * kMs;
  job.ranks[3].steps[2].host_ns += 30 * kMs;
  meet(job);
  EXPECT_NEAR(static_cast<double>(job.ranks[1].steps[2].caused_wait_ns), 2 * 40e6 + 10e6, 0.5e6);
  EXPECT_NEAR(lost_by(JobView(job), {1}, 2, false), 3 * 10e6, 0.5e6);
}

TEST(JobViewTest, a_delay_that_others_pass_on_is_lost_by_its_origin) {
  Job job = even_job(4, 3);
  job.ranks[1].steps[2].host_ns += 40 * kMs;
  meet(job);
  // Rank 0 is in a group with rank 1, and the others wait for it.
  job.ranks[1].steps[2].caused_wait_ns = job.ranks[1].steps[2].held_up_ns = 40 * kMs;
  job.ranks[0].steps[2].caused_wait_ns = 80 * kMs;
  EXPECT_NEAR(lost_by(JobView(job), {1}, 2, false), 3 * 40e6, 0.5e6);
}

TEST(JobViewTest, the_lost_share_has_an_interval_over_the_steps) {
  Job job = even_job(2, 4);
  meet(job);
  const JobView view(job);
  Straggler same;
  set_lost(view, std::vector<double>(4, 11e6), 0, 4, same);
  EXPECT_NEAR(same.lost_share, 11.0 / 220, 1e-3);
  EXPECT_DOUBLE_EQ(same.lost_interval[0], same.lost_share);
  Straggler varied;
  set_lost(view, std::vector<double>{1e6, 21e6, 1e6, 21e6}, 0, 4, varied);
  EXPECT_NEAR(varied.lost_share, 11.0 / 220, 1e-3);
  EXPECT_LT(varied.lost_interval[0], varied.lost_share);
  EXPECT_GT(varied.lost_interval[1], varied.lost_share);
}

}  // namespace
}  // namespace strobe::fleet

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "tests/support/job_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::IsEmpty;

std::vector<Straggler> wandering_in(Job& job) {
  meet(job);
  return wandering_ranks(JobView(job));
}

TEST(WanderingRanksTest, another_rank_has_more_work_in_each_step) {
  Job job = even_job(8, 12);
  for (std::size_t step = 0; step < 12; ++step) {
    RankStep& at = job.ranks[step * 3 % 8].steps[step];
    at.compute_ns += (25 + static_cast<std::int64_t>(step % 3)) * kMs;
    at.kernels += 300;
  }
  const auto found = wandering_in(job);
  ASSERT_EQ(found.size(), 1u);
  const Straggler& one = found.front();
  EXPECT_EQ(one.kind, StragglerKind::kWandering);
  EXPECT_EQ(one.reason, StragglerReason::kMoreWork);
  EXPECT_EQ(one.ranks.size(), 8u);
  EXPECT_EQ(one.late_steps, 12u);
  EXPECT_NEAR(one.later_ns, 26e6, 0.5e6);
  EXPECT_NEAR(one.lost_share, 7 * 26.0 / (8 * 136), 0.01);
}

TEST(WanderingRanksTest, a_long_stretch_wanders) {
  Job job = even_job(8, 12);
  for (std::size_t step = 0; step < 12; ++step) {
    RankStep& at = job.ranks[step * 3 % 8].steps[step];
    at.host_ns += (40 + static_cast<std::int64_t>(step % 3)) * kMs;
    at.longest_host_gap_ns += 40 * kMs;
  }
  const auto found = wandering_in(job);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().reason, StragglerReason::kHostStretch);
}

TEST(WanderingRanksTest, somebody_is_always_the_last) {
  Job job = even_job(8, 12);
  for (std::size_t step = 0; step < 12; ++step) {
    job.ranks[step * 3 % 8].steps[step].compute_ns += 2 * kMs;
  }
  EXPECT_THAT(wandering_in(job), IsEmpty());
}

TEST(WanderingRanksTest, late_in_a_third_of_the_steps_is_not_enough) {
  Job job = even_job(8, 12);
  for (std::size_t step = 0; step < 12; step += 3) {
    job.ranks[step * 3 % 8].steps[step].compute_ns += (25 + static_cast<std::int64_t>(step)) * kMs;
  }
  EXPECT_THAT(wandering_in(job), IsEmpty());
}

}  // namespace
}  // namespace strobe::fleet

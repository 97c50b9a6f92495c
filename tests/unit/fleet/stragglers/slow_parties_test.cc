#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "tests/support/job_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Straggler> slow_parties_in(Job& job) {
  meet(job);
  JobView view(job);
  return slow_parties(view);
}

void slow_down(RankStep& step) { step.compute_ns += 20 * kMs; }

TEST(SlowPartiesTest, all_ranks_of_a_host_are_one_straggler) {
  Job job = even_job(16, 10, 4);
  for (std::size_t rank = 8; rank < 12; ++rank) in_all_steps(job, rank, slow_down);
  const auto found = slow_parties_in(job);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().kind, StragglerKind::kHost);
  EXPECT_EQ(found.front().host, "host2");
  EXPECT_THAT(found.front().ranks, ElementsAre(8u, 9u, 10u, 11u));
}

TEST(SlowPartiesTest, the_slow_one_of_two_hosts_is_named) {
  Job job = even_job(8, 10, 2);
  for (std::size_t rank = 4; rank < 8; ++rank) in_all_steps(job, rank, slow_down);
  const auto found = slow_parties_in(job);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().host, "host1");
  EXPECT_EQ(found.front().kind, StragglerKind::kHost);
}

TEST(SlowPartiesTest, one_slow_rank_of_a_host_is_a_rank) {
  Job job = even_job(8, 10, 4);
  in_all_steps(job, 5, slow_down);
  const auto found = slow_parties_in(job);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().kind, StragglerKind::kRank);
  EXPECT_THAT(found.front().ranks, ElementsAre(5u));
  EXPECT_EQ(found.front().host, "host2");
}

Job pipeline(std::size_t stages, std::size_t ranks, std::size_t steps) {
  Job job = even_job(ranks, steps, 1);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    job.ranks[rank].stage = static_cast<std::int32_t>(rank * stages / ranks);
  }
  return job;
}

TEST(SlowPartiesTest, a_stage_with_too_much_work_is_one_straggler) {
  Job job = pipeline(4, 16, 10);
  for (std::size_t rank = 12; rank < 16; ++rank) {
    in_all_steps(job, rank, [](RankStep& step) {
      step.compute_ns += 20 * kMs;
      step.kernels += 200;
    });
  }
  const auto found = slow_parties_in(job);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().kind, StragglerKind::kStage);
  EXPECT_EQ(found.front().stage, 3);
  EXPECT_EQ(found.front().reason, StragglerReason::kMoreWork);
}

TEST(SlowPartiesTest, stages_that_differ_a_little_by_design_are_none) {
  Job job = pipeline(4, 16, 10);
  for (std::size_t rank = 12; rank < 16; ++rank) {
    in_all_steps(job, rank, [](RankStep& step) { step.compute_ns += 3 * kMs; });
  }
  EXPECT_THAT(slow_parties_in(job), IsEmpty());
}

TEST(SlowPartiesTest, a_rank_is_compared_with_its_own_stage) {
  Job job = pipeline(2, 16, 10);
  for (std::size_t rank = 0; rank < 8; ++rank) {  // the first stage has less to do
    in_all_steps(job, rank, [](RankStep& step) { step.compute_ns -= 2 * kMs; });
  }
  in_all_steps(job, 3, slow_down);
  const auto found = slow_parties_in(job);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found.front().ranks, ElementsAre(3u));
  EXPECT_EQ(found.front().stage, 0);
  EXPECT_NEAR(found.front().later_ns, 20e6, 0.3e6);
}

TEST(SlowPartiesTest, a_rank_that_writes_the_log_is_none) {
  Job job = even_job(8, 20);
  in_all_steps(job, 0, [](RankStep& step) { step.host_ns += kMs / 2; });
  for (const std::size_t step : {4, 14}) job.ranks[0].steps[step].host_ns += 10 * kMs;
  EXPECT_THAT(slow_parties_in(job), IsEmpty());
}

}  // namespace
}  // namespace strobe::fleet

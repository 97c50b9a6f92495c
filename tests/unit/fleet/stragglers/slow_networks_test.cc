#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "tests/support/job_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Straggler> slow_networks_in(Job& job) {
  meet(job);
  return slow_networks(JobView(job));
}

// Transfers of 10 ms vary by a few percent.
Job job_with_transfers(std::size_t ranks, std::size_t steps, std::size_t hosts) {
  Job job = even_job(ranks, steps, hosts);
  for (RankOfJob& rank : job.ranks) {
    for (std::size_t step = 0; step < steps; ++step) {
      rank.steps[step].transfer_ns += static_cast<std::int64_t>(step * 5 % 7) * kMs / 10;
    }
  }
  return job;
}

TEST(SlowNetworksTest, equal_transfers_are_none) {
  Job job = job_with_transfers(8, 12, 2);
  EXPECT_THAT(slow_networks_in(job), IsEmpty());
}

TEST(SlowNetworksTest, transfers_are_slow_in_a_range_of_steps) {
  Job job = job_with_transfers(8, 12, 2);
  for (RankOfJob& rank : job.ranks) {
    for (std::size_t step = 4; step < 8; ++step) rank.steps[step].transfer_ns += 20 * kMs;
  }
  const auto found = slow_networks_in(job);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().kind, StragglerKind::kNetwork);
  EXPECT_EQ(found.front().reason, StragglerReason::kTransfers);
  EXPECT_EQ(found.front().first_step, 4u);
  EXPECT_EQ(found.front().end_step, 8u);
  EXPECT_NEAR(found.front().lost_share, 4 * 20.0 / (12 * 110 + 4 * 20), 0.005);
}

TEST(SlowNetworksTest, the_transfers_of_one_hosts_ranks_are_slow) {
  Job job = job_with_transfers(16, 12, 4);
  for (std::size_t rank = 4; rank < 8; ++rank) {
    in_all_steps(job, rank, [](RankStep& step) { step.transfer_ns += 20 * kMs; });
  }
  const auto found = slow_networks_in(job);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().host, "host1");
  EXPECT_THAT(found.front().ranks, ElementsAre(4u, 5u, 6u, 7u));
}

TEST(SlowNetworksTest, one_group_is_slower_than_others_of_its_size) {
  Job job = job_with_transfers(8, 12, 1);
  for (const std::string name : {"a", "b", "c", "d"}) {
    CollectiveRow& row = job.collectives.emplace_back();
    row.group = name;
    row.kind = "all_reduce";
    row.bytes = 1 << 20;
    row.ranks = 2;
    row.matched = 120;
    for (std::size_t step = 0; step < 12; ++step) {
      row.transfer_by_step.push_back(kMs + static_cast<std::int64_t>(step % 3) * 1000 +
                                     (name == "c" ? 2 * kMs : 0));
    }
  }
  const auto found = slow_networks_in(job);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().group, "c");
  EXPECT_NEAR(found.front().later_ns, 20e6, 0.1e6);
}

TEST(SlowNetworksTest, one_host_that_meets_on_its_processors_has_no_network) {
  Job job = job_with_transfers(8, 12, 1);
  CollectiveRow& row = job.collectives.emplace_back();
  row.on_host = true;
  row.matched = 120;
  for (RankOfJob& rank : job.ranks) {
    for (std::size_t step = 4; step < 8; ++step) rank.steps[step].transfer_ns += 20 * kMs;
  }
  EXPECT_THAT(slow_networks_in(job), IsEmpty());
}

}  // namespace
}  // namespace strobe::fleet

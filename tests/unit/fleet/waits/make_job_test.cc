#include "strobe/fleet/waits/make_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/support/job_sketch.h"
#include "tests/support/job_text.h"

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// One rank that computes, then meets the others.
RankDigest rank_of_pair(std::int32_t rank, std::int64_t work_ns, std::int64_t arrival_ns) {
  RankDigest digest = empty_digest(rank, 2);
  digest.steps = {{"step 1", {0, 1000}, 1}};
  digest.compute = {{100, 100 + work_ns}};
  digest.calls = {call_at(arrival_ns, 900)};
  return digest;
}

TEST(MakeJobTest, waiting_ends_when_the_last_rank_arrives) {
  const Job job = make_job(std::vector{rank_of_pair(0, 200, 300), rank_of_pair(1, 600, 700)});
  ASSERT_THAT(job.steps, ElementsAre("step 1"));
  ASSERT_THAT(job.ranks, SizeIs(2));
  const RankStep& early = job.ranks[0].steps[0];
  EXPECT_EQ(early.compute_ns, 200);
  EXPECT_EQ(early.wait_ns, 400);
  EXPECT_EQ(early.transfer_ns, 200);
  EXPECT_EQ(early.host_ns, 200);
  EXPECT_EQ(early.host_gaps, 2u);
  EXPECT_EQ(early.longest_host_gap_ns, 100);
  EXPECT_EQ(early.lateness_ns, -400);
  EXPECT_EQ(early.last, 0u);
  EXPECT_EQ(early.collectives, 1u);
  const RankStep& late = job.ranks[1].steps[0];
  EXPECT_EQ(late.wait_ns, 0);
  EXPECT_EQ(late.transfer_ns, 200);
  EXPECT_EQ(late.lateness_ns, 400);
  EXPECT_EQ(late.last, 1u);
  EXPECT_EQ(late.caused_wait_ns, 400);
  ASSERT_THAT(job.collectives, SizeIs(1));
  const CollectiveRow& row = job.collectives[0];
  EXPECT_EQ(row.kind, "all_reduce");
  EXPECT_EQ(row.ranks, 2u);
  EXPECT_EQ(row.wait_ns, 400);
  EXPECT_EQ(row.transfer_ns, 400);
  EXPECT_EQ(row.median_transfer_ns, 200);
  EXPECT_THAT(row.transfer_by_step, ElementsAre(200));
  // 1 MiB in 200 ns; an all-reduce of two ranks moves each byte once over the bus.
  EXPECT_DOUBLE_EQ(row.algorithm_bytes_per_s(), 1048576 / 200e-9);
  EXPECT_DOUBLE_EQ(row.bus_bytes_per_s(), 1048576 / 200e-9);
}

TEST(MakeJobTest, each_exchange_has_the_arrivals_of_its_ranks) {
  const std::vector digests = {rank_of_pair(0, 200, 300), rank_of_pair(1, 600, 700)};
  EXPECT_THAT(make_job(digests).exchanges, SizeIs(0));
  const Job job = make_job(digests, {.with_exchanges = true});
  ASSERT_THAT(job.exchanges, SizeIs(1));
  const Exchange& exchange = job.exchanges[0];
  EXPECT_EQ(exchange.row, 0u);
  EXPECT_EQ(exchange.step, 0u);
  EXPECT_EQ(exchange.median_transfer_ns, 200);
  const auto arrivals = job.arrivals_of(exchange);
  ASSERT_THAT(arrivals, SizeIs(2));
  EXPECT_EQ(arrivals[0].rank, 0u);
  EXPECT_EQ(arrivals[0].step, 0u);
  EXPECT_EQ(arrivals[0].interval, (Interval{300, 900}));
  EXPECT_EQ(arrivals[0].wait_ns, 400);
  EXPECT_EQ(arrivals[1].rank, 1u);
  EXPECT_EQ(arrivals[1].wait_ns, 0);
  EXPECT_EQ(job.ranks[0].exchanges, 1u);
}

TEST(MakeJobTest, steps_and_arrivals_lead_back_to_their_digest) {
  std::vector digests = {rank_of_pair(0, 200, 300), rank_of_pair(1, 600, 700)};
  digests[1].steps.insert(digests[1].steps.begin(), {"step 0", {-500, 0}, 0});
  digests[1].groups.push_back({.name = "other", .size = 2});
  ExchangeCall unmatched = call_at(100, 200);
  unmatched.group = 1;
  digests[1].calls.insert(digests[1].calls.begin(), unmatched);
  const Job job = make_job(digests, {.with_exchanges = true});
  EXPECT_THAT(job.ranks[0].own_steps, ElementsAre(0));
  EXPECT_THAT(job.ranks[1].own_steps, ElementsAre(1));
  ASSERT_THAT(job.arrivals, SizeIs(2));
  EXPECT_EQ(job.arrivals[0].call, 0u);
  EXPECT_EQ(job.arrivals[1].call, 1u);
}

TEST(MakeJobTest, each_moment_has_the_first_label_that_fits) {
  RankDigest digest = rank_of_pair(0, 200, 200);  // computes 100 to 300, waits from 200 on
  digest.copy = {{250, 400}};
  digest.input = {{0, 50}, {300, 950}};
  digest.operators = {{60, 120}, {960, 1000}};
  const Job job = make_job(std::vector{digest, rank_of_pair(1, 500, 600)});
  const RankStep& step = job.ranks[0].steps[0];
  EXPECT_EQ(step.compute_ns, 200);
  EXPECT_EQ(step.copy_ns, 100);
  EXPECT_EQ(step.wait_ns, 200);
  EXPECT_EQ(step.transfer_ns, 300);
  EXPECT_EQ(step.input_ns, 50 + 50);
  EXPECT_EQ(step.host_ns, 50 + 50);
  EXPECT_EQ(step.in_operators_ns, 40 + 40);
  EXPECT_EQ(job.ranks[1].steps[0].caused_wait_ns, 200) << "what computing does not hide";
}

TEST(MakeJobTest, a_rank_holds_others_up_from_the_arrival_of_the_next_to_last) {
  std::vector<RankDigest> digests = {empty_digest(0, 3), empty_digest(1, 3), empty_digest(2, 3)};
  for (RankDigest& digest : digests) digest.steps = {{"step", {0, 1000}, 0}};
  digests[0].calls = {call_at(100, 800)};
  digests[1].calls = {call_at(700, 800)};
  digests[2].calls = {call_at(500, 800)};
  const Job job = make_job(digests, {.align = false});
  EXPECT_EQ(job.ranks[1].steps[0].caused_wait_ns, 600 + 200);
  EXPECT_EQ(job.ranks[1].steps[0].held_up_ns, 200 + 200);
  EXPECT_EQ(job.ranks[2].steps[0].held_up_ns, 0);
}

TEST(MakeJobTest, a_rank_that_waits_twice_at_once_waits_for_who_comes_first) {
  std::vector<RankDigest> digests = {empty_digest(0, 2), empty_digest(1, 2), empty_digest(2, 2)};
  for (RankDigest& digest : digests) digest.steps = {{"step", {0, 1000}, 0}};
  digests[0].groups = {{.name = "a", .size = 2}, {.name = "b", .size = 2}};
  digests[1].groups = {{.name = "a", .size = 2}};
  digests[2].groups = {{.name = "b", .size = 2}};
  digests[0].calls = {call_at(100, 400), call_at(200, 700)};
  digests[0].calls[1].group = 1;
  digests[1].calls = {call_at(300, 400)};
  digests[2].calls = {call_at(600, 700)};
  const Job job = make_job(digests, {.align = false});
  EXPECT_EQ(job.ranks[0].steps[0].wait_ns, 200 + 200);
  EXPECT_EQ(job.ranks[0].steps[0].transfer_ns, 100 + 100) << "a transfer is no wait";
  EXPECT_EQ(job.ranks[1].steps[0].caused_wait_ns, 200);
  EXPECT_EQ(job.ranks[2].steps[0].caused_wait_ns, 200);
}

// A median would hide a rank that is late in less than half of the collectives.
TEST(MakeJobTest, lateness_is_the_mean_over_the_collectives_of_a_step) {
  std::vector<RankDigest> digests = {empty_digest(0, 2), empty_digest(1, 2)};
  for (RankDigest& digest : digests) digest.steps = {{"step", {0, 1000}, 0}};
  digests[0].calls = {call_at(90, 120), call_at(190, 220), call_at(290, 720)};
  digests[1].calls = {call_at(100, 120), call_at(200, 220), call_at(700, 720)};
  const Job job = make_job(digests, {.align = false});
  EXPECT_EQ(job.ranks[0].steps[0].lateness_ns, -(10 + 10 + 410) / 3);
  EXPECT_EQ(job.ranks[1].steps[0].lateness_ns, (10 + 10 + 410) / 3);
}

TEST(MakeJobTest, parts_of_every_step_add_up_whatever_the_clocks_are) {
  auto digests = planned_job({.ranks = 5, .noise_ns = 300'000, .seed = 4});
  for (RankDigest& digest : digests) set_clock(digest, 0, digest.rank * 1'234'567, 0);
  for (const bool align : {true, false}) {
    for (const RankOfJob& rank : make_job(digests, {.align = align}).ranks) {
      for (const RankStep& step : rank.steps) {
        EXPECT_EQ(step.own_ns() + step.wait_ns + step.transfer_ns, step.end_ns - step.start_ns);
      }
    }
  }
}

TEST(MakeJobTest, all_waiting_has_a_cause) {
  const Job job = make_job(planned_job({.ranks = 6, .noise_ns = 200'000, .seed = 9}));
  std::int64_t waited_ns = 0;
  std::int64_t caused_ns = 0;
  for (const RankOfJob& rank : job.ranks) {
    for (const RankStep& step : rank.steps) {
      waited_ns += step.wait_ns;
      caused_ns += step.caused_wait_ns;
    }
  }
  EXPECT_GT(waited_ns, 0);
  EXPECT_EQ(waited_ns, caused_ns);
}

TEST(MakeJobTest, the_order_of_the_digests_changes_nothing) {
  auto digests = planned_job({.ranks = 9, .steps = 4, .noise_ns = 200'000, .seed = 2});
  for (RankDigest& digest : digests) {
    set_clock(digest, digest.steps[0].interval.start_ns, digest.rank * 777'777, digest.rank * 4e-6);
  }
  digests[3].calls.erase(digests[3].calls.begin() + 5);
  digests[6].calls[7].bytes = 12;
  const std::string expected = text_of(make_job(digests));
  EXPECT_THAT(make_job(digests).mismatches, SizeIs(2));
  std::mt19937 random(5);
  for (int turn = 0; turn < 10; ++turn) {
    std::shuffle(digests.begin(), digests.end(), random);
    EXPECT_EQ(text_of(make_job(digests)), expected);
  }
}

TEST(MakeJobTest, one_rank_waits_for_nobody) {
  const Job job = make_job(std::vector{rank_of_pair(0, 200, 300)});
  const RankStep& step = job.ranks[0].steps[0];
  EXPECT_EQ(step.wait_ns, 0);
  EXPECT_EQ(step.transfer_ns, 600);
  EXPECT_EQ(step.collectives, 0u);
  EXPECT_THAT(job.collectives, IsEmpty());
}

TEST(MakeJobTest, messages_between_two_make_nobody_late) {
  std::vector<RankDigest> digests = {rank_of_pair(0, 100, 300), rank_of_pair(1, 100, 500)};
  digests[0].calls[0].kind = ExchangeKind::kReceive;
  digests[0].calls[0].peer = 1;
  digests[1].calls[0].kind = ExchangeKind::kSend;
  digests[1].calls[0].peer = 0;
  const Job job = make_job(digests, {.align = false});
  EXPECT_EQ(job.ranks[0].steps[0].wait_ns, 200);
  EXPECT_EQ(job.ranks[1].steps[0].last, 0u);
  EXPECT_EQ(job.ranks[1].steps[0].caused_wait_ns, 0);
  EXPECT_EQ(job.collectives.at(0).kind, "send");
}

}  // namespace
}  // namespace strobe::fleet

#include "strobe/compare/slow_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "strobe/stats/dice.h"

namespace strobe::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kCycleNs = 60'000'000;

// A rank that is in a library's exchange on the host for so many milliseconds of each cycle.
RankMeasure rank_that_waits(const std::vector<double>& waiting_ms,
                            const std::string& name = "gloo:all_reduce") {
  RankMeasure rank;
  FunctionCycles& exchange = rank.functions.emplace_back();
  exchange.key = {name, FunctionKind::kHostOperator, "Host"};
  for (const double ms : waiting_ms) {
    const std::int64_t start_ns = kCycleNs * static_cast<std::int64_t>(exchange.calls.size());
    rank.cycles.cycles.push_back({.interval = {start_ns, start_ns + kCycleNs}, .name = ""});
    exchange.covered_ns.push_back(static_cast<std::int64_t>(ms * 1e6));
    exchange.calls.push_back(5);
  }
  return rank;
}

// Ranks that wait for `usual_ms`, give or take `noise_ms`.
class Job {
 public:
  Job(std::size_t ranks, std::size_t cycles, double usual_ms, double noise_ms)
      : waiting_ms_(ranks), noise_ms_(noise_ms) {
    for (auto& of_rank : waiting_ms_) {
      for (std::size_t i = 0; i < cycles; ++i) of_rank.push_back(usual_ms + noise());
    }
  }
  Job& shorter(std::size_t rank, double by_ms) {
    for (double& ms : waiting_ms_[rank]) ms -= by_ms;
    return *this;
  }
  std::vector<RankMeasure> ranks() const {
    std::vector<RankMeasure> ranks;
    for (const auto& waiting_ms : waiting_ms_) {
      ranks.push_back(rank_that_waits(waiting_ms));
      ranks.back().rank = static_cast<std::int32_t>(ranks.size()) - 1;
    }
    return ranks;
  }

 private:
  double noise() { return noise_ms_ * (2 * dice_.share() - 1); }

  stats::Dice dice_{7};
  std::vector<std::vector<double>> waiting_ms_;
  double noise_ms_;
};

std::vector<std::int32_t> slow_among(const std::vector<RankMeasure>& ranks) {
  std::vector<std::int32_t> slow;
  for (const RankRow& row : judged_ranks(ranks)) {
    if (row.is_slow) slow.push_back(row.rank);
  }
  return slow;
}

TEST(SlowRanksTest, the_rank_that_waits_least_on_the_host_is_the_slow_one) {
  const std::vector<RankRow> rows = judged_ranks(Job(8, 16, 39, 3).shorter(5, 15).ranks());
  EXPECT_TRUE(rows[5].is_slow);
  EXPECT_EQ(rows[5].cycles_least, 16u);
  EXPECT_NEAR(rows[5].waiting_ms, 24, 2);
  EXPECT_NEAR(rows[5].peers_waiting_ms, 39, 2);
  EXPECT_NEAR(rows[5].own_ms, 36, 2);
  EXPECT_EQ(std::ranges::count(rows, true, &RankRow::is_slow), 1);
}

// The noise is so large that the own times of equal ranks are far apart.
TEST(SlowRanksTest, it_is_found_in_noise_that_hides_its_distance) {
  const Job job = Job(8, 16, 40, 18).shorter(2, 6).shorter(0, 3).shorter(3, -3).shorter(5, 22);
  const std::vector<RankRow> rows = judged_ranks(job.ranks());
  EXPECT_TRUE(rows[5].is_slow);
  EXPECT_EQ(std::ranges::count(rows, true, &RankRow::is_slow), 1);
}

TEST(SlowRanksTest, equal_ranks_in_noise_have_no_slow_one) {
  EXPECT_THAT(slow_among(Job(8, 16, 40, 18).ranks()), IsEmpty());
  EXPECT_THAT(slow_among(Job(2, 16, 30, 12).ranks()), IsEmpty());
  EXPECT_THAT(slow_among(Job(64, 12, 40, 18).ranks()), IsEmpty());
}

TEST(SlowRanksTest, of_two_ranks_the_one_that_waits_less_is_slow) {
  EXPECT_THAT(slow_among(Job(2, 12, 30, 3).shorter(1, 10).ranks()), ElementsAre(1));
}

TEST(SlowRanksTest, one_of_64_ranks_is_found_and_so_are_two) {
  EXPECT_THAT(slow_among(Job(64, 12, 40, 5).shorter(33, 20).ranks()), ElementsAre(33));
  EXPECT_THAT(slow_among(Job(64, 12, 40, 3).shorter(3, 20).shorter(60, 22).ranks()),
              ElementsAre(3, 60));
}

TEST(SlowRanksTest, another_order_of_the_ranks_gives_the_same_answer_in_that_order) {
  const std::vector<RankMeasure> ranks = Job(8, 16, 39, 10).shorter(5, 15).ranks();
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<RankRow> rows = judged_ranks(ranks);
  do {
    std::ranges::rotate(order, order.begin() + 3);
    std::vector<RankMeasure> moved;
    for (const std::size_t from : order) moved.push_back(ranks[from]);
    const std::vector<RankRow> moved_rows = judged_ranks(moved);
    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(moved_rows[i].rank, rows[order[i]].rank);
      EXPECT_EQ(moved_rows[i].is_slow, rows[order[i]].is_slow);
      EXPECT_EQ(moved_rows[i].cycles_least, rows[order[i]].cycles_least);
      EXPECT_DOUBLE_EQ(moved_rows[i].distance, rows[order[i]].distance);
    }
  } while (!std::ranges::is_sorted(order));
}

TEST(SlowRanksTest, a_rank_without_recorded_collectives_is_not_judged_by_its_own_time) {
  std::vector<RankMeasure> ranks = Job(4, 12, 40, 2).ranks();
  ranks[2].functions.clear();
  const std::vector<RankRow> rows = judged_ranks(ranks);
  EXPECT_FALSE(rows[2].is_comparable);
  EXPECT_FALSE(rows[2].is_slow);
  EXPECT_TRUE(rows[1].is_comparable);
  EXPECT_NEAR(rows[1].peers_waiting_ms, 40, 2);
}

TEST(SlowRanksTest, a_rank_that_calls_fewer_collectives_is_in_them_for_less_time_anyway) {
  // In noise, so that its distance proves nothing either.
  Job job = Job(8, 16, 40, 18).shorter(5, 22);
  std::vector<RankMeasure> ranks = job.shorter(2, 6).shorter(0, 3).shorter(3, -3).ranks();
  for (std::uint32_t& calls : ranks[5].functions.front().calls) calls = 2;
  EXPECT_EQ(judged_ranks(ranks)[5].cycles_least, 0u);
  EXPECT_THAT(slow_among(ranks), IsEmpty());
}

TEST(SlowRanksTest, waiting_least_by_a_little_is_nothing) {
  EXPECT_THAT(slow_among(Job(8, 16, 55, 0.1).shorter(5, 0.5).ranks()), IsEmpty());
}

TEST(SlowRanksTest, libraries_of_all_names_on_the_host_are_understood) {
  for (const char* name : {"gloo:all_gather", "mpi:all_reduce", "ucc:all_reduce"}) {
    std::vector<RankMeasure> ranks;
    for (const double waiting_ms : {40.0, 40.5, 20.0, 41.0}) {
      ranks.push_back(rank_that_waits(std::vector<double>(12, waiting_ms), name));
      ranks.back().rank = static_cast<std::int32_t>(ranks.size()) - 1;
    }
    EXPECT_THAT(slow_among(ranks), ElementsAre(2)) << name;
  }
}

}  // namespace
}  // namespace strobe::compare

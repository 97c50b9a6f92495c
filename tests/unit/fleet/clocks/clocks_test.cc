#include "strobe/fleet/clocks/clocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "strobe/fleet/waits/make_job.h"
#include "tests/support/job_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

struct Wrong {
  std::int64_t offset_ns = 0;
  double drift = 0;
};

// Up to 10 ms and 50 parts in a million.
std::vector<Wrong> wrong_clocks(std::size_t count, std::uint64_t seed) {
  stats::Dice dice(seed);
  std::vector<Wrong> clocks;
  for (std::size_t i = 0; i < count; ++i) {
    clocks.push_back(
        {static_cast<std::int64_t>((dice.share() * 2 - 1) * 1e7), (dice.share() * 2 - 1) * 50e-6});
  }
  return clocks;
}

Clocks fitted(const std::vector<RankDigest>& digests) {
  const auto sorted = by_rank(digests);
  return fit_clocks(sorted, match_exchanges(sorted));
}

// The largest distance between two ranks' clocks that is left, at the ends of all calls: what
// both call the same moment.
std::int64_t largest_error_ns(const std::vector<RankDigest>& truth,
                              const std::vector<RankDigest>& shown) {
  const Clocks clocks = fitted(shown);
  std::int64_t worst_ns = 0;
  for (std::size_t rank = 0; rank < truth.size(); ++rank) {
    for (std::size_t call = 0; call < truth[rank].calls.size(); ++call) {
      const std::int64_t true_ns = truth[rank].calls[call].interval.start_ns;
      const std::int64_t seen_ns =
          clocks.common_ns(rank, shown[rank].calls[call].interval.start_ns);
      // What the first rank's clock shows at that true moment.
      const std::int64_t first_ns =
          true_ns + shown[0].calls[call].interval.start_ns - truth[0].calls[call].interval.start_ns;
      worst_ns = std::max<std::int64_t>(worst_ns, std::abs(seen_ns - first_ns));
    }
  }
  return worst_ns;
}

TEST(ClocksTest, wrong_clocks_of_planned_jobs_are_found_within_20_us) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto truth = planned_job({.ranks = 6,
                                    .steps = 10,
                                    .calls = 8,
                                    .work_ns = 8'000'000,
                                    .noise_ns = 100'000,
                                    .seed = seed});
    auto shown = truth;
    const auto wrong = wrong_clocks(shown.size(), seed);
    const std::int64_t origin_ns = truth[0].steps[0].interval.start_ns;
    for (std::size_t rank = 0; rank < shown.size(); ++rank) {
      set_clock(shown[rank], origin_ns, wrong[rank].offset_ns, wrong[rank].drift);
    }
    EXPECT_LE(largest_error_ns(truth, shown), 20'000) << seed;
  }
}

TEST(ClocksTest, clocks_of_different_origins_are_tied_exactly) {
  const auto truth = planned_job({.ranks = 3});
  auto shown = truth;
  set_clock(shown[1], truth[0].steps[0].interval.start_ns, -1'600'000'000'000'000'000, 0);
  EXPECT_LE(largest_error_ns(truth, shown), 1);
}

TEST(ClocksTest, a_clock_that_is_right_stays) {
  const auto clocks = fitted(planned_job({.ranks = 3}));
  ASSERT_THAT(clocks.hosts, SizeIs(3));
  for (const HostClock& host : clocks.hosts) {
    EXPECT_EQ(host.offset_ns, 0);
    EXPECT_EQ(host.drift_ppm, 0);
  }
}

TEST(ClocksTest, one_wild_exchange_in_five_does_no_harm) {
  const auto truth = planned_job({.ranks = 4, .steps = 10, .calls = 5});
  auto shown = truth;
  for (std::size_t call = 0; call < shown[2].calls.size(); call += 5) {
    shown[2].calls[call].interval.end_ns += 30'000'000;
  }
  EXPECT_LE(largest_error_ns(truth, shown), 1000);
}

TEST(ClocksTest, noise_is_not_taken_for_drift) {
  const auto clocks = fitted(
      planned_job({.ranks = 4, .steps = 4, .calls = 4, .work_ns = 50'000, .noise_ns = 1'000'000}));
  for (const HostClock& host : clocks.hosts) EXPECT_NEAR(host.drift_ppm, 0, 5) << host.ranks[0];
}

TEST(ClocksTest, ranks_of_one_host_share_a_clock) {
  auto digests = planned_job({.ranks = 4});
  for (RankDigest& digest : digests) digest.host = digest.rank < 2 ? "a" : "b";
  set_clock(digests[2], 0, 4'000'000, 0);
  set_clock(digests[3], 0, 4'000'000, 0);
  const Clocks clocks = fitted(digests);
  ASSERT_THAT(clocks.hosts, SizeIs(2));
  EXPECT_THAT(clocks.hosts[1].ranks, ElementsAre(2, 3));
  EXPECT_EQ(clocks.hosts[1].offset_ns, 4'000'000);
  EXPECT_EQ(clocks.islands, 1u);
}

TEST(ClocksTest, a_chain_of_groups_ties_all_of_its_ranks) {
  const auto pair = planned_job({.ranks = 2, .steps = 4, .calls = 5});
  std::vector<RankDigest> truth;
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    RankDigest digest = empty_digest(rank, 2);
    digest.steps = pair[0].steps;
    digest.groups.clear();
    for (const std::int32_t other : {rank - 1, rank + 1}) {
      if (other < 0 || other > 3) continue;
      const std::int32_t lower = std::min(rank, other);
      for (ExchangeCall call : pair[rank > other ? 1 : 0].calls) {
        call.group = static_cast<std::uint32_t>(digest.groups.size());
        digest.calls.push_back(call);
      }
      digest.groups.push_back({.name = std::to_string(lower), .size = 2});
    }
    std::ranges::stable_sort(digest.calls, {},
                             [](const ExchangeCall& call) { return call.interval.start_ns; });
    truth.push_back(digest);
  }
  auto shown = truth;
  for (std::int32_t rank = 1; rank < 4; ++rank) {
    set_clock(shown[static_cast<std::size_t>(rank)], 0, rank * 1'000'000, 0);
  }
  const Clocks clocks = fitted(shown);
  EXPECT_EQ(clocks.islands, 1u);
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(clocks.hosts[static_cast<std::size_t>(rank)].offset_ns, rank * 1'000'000);
  }
}

TEST(ClocksTest, messages_in_both_directions_bound_a_clock_from_both_sides) {
  std::vector<RankDigest> digests = {empty_digest(0, 2), empty_digest(1, 2)};
  for (std::int64_t i = 0; i < 8; ++i) {
    const std::int64_t at_ns = i * 1'000'000;
    const std::size_t sender = static_cast<std::size_t>(i % 2);
    ExchangeCall send = call_at(at_ns, at_ns + 20'000, ExchangeKind::kSend, 64);
    send.peer = 1 - static_cast<std::int32_t>(sender);
    ExchangeCall receive = call_at(at_ns - 50'000, at_ns + 30'000, ExchangeKind::kReceive, 64);
    receive.peer = static_cast<std::int32_t>(sender);
    digests[sender].calls.push_back(send);
    digests[1 - sender].calls.push_back(receive);
  }
  for (RankDigest& digest : digests) digest.steps = {{"step", {0, 8'000'000}, 0}};
  set_clock(digests[1], 0, 5'000'000, 0);
  const Clocks clocks = fitted(digests);
  EXPECT_EQ(clocks.islands, 1u);
  const HostClock& clock = clocks.hosts[1];
  EXPECT_NEAR(static_cast<double>(clock.offset_ns), 5e6, 100);
  ASSERT_TRUE(clock.least_ns && clock.most_ns);
  EXPECT_NEAR(static_cast<double>(*clock.least_ns), 5e6 - 30e3, 100);
  EXPECT_NEAR(static_cast<double>(*clock.most_ns), 5e6 + 30e3, 100);
}

TEST(ClocksTest, what_nothing_ties_together_is_told_apart) {
  auto digests = planned_job({.ranks = 4});
  for (RankDigest& digest : digests) {
    digest.groups[0] = {.name = digest.rank < 2 ? "first" : "second", .size = 2};
  }
  set_clock(digests[3], 0, 700'000, 0);
  const Clocks clocks = fitted(digests);
  EXPECT_EQ(clocks.islands, 2u);
  EXPECT_EQ(clocks.hosts[1].island, clocks.hosts[0].island);
  EXPECT_NE(clocks.hosts[2].island, clocks.hosts[0].island);
  EXPECT_EQ(clocks.hosts[3].offset_ns, 700'000);
  EXPECT_EQ(clocks.common_ns(2, 123), 123) << "its own clock";
}

}  // namespace
}  // namespace strobe::fleet

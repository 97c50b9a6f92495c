#include "strobe/fleet/matching/matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "strobe/fleet/waits/make_job.h"
#include "tests/support/job_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Matching matched(const std::vector<RankDigest>& digests) {
  return match_exchanges(by_rank(digests));
}

std::vector<RankDigest> ranks_without_calls(std::size_t ranks) {
  std::vector<RankDigest> digests;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    digests.push_back(empty_digest(static_cast<std::int32_t>(rank), ranks));
    digests.back().steps = {{"step", {0, 1000}, 0}};
  }
  return digests;
}

ExchangeCall numbered(std::int64_t start_ns, std::int64_t sequence,
                      ExchangeKind kind = ExchangeKind::kAllReduce, std::uint64_t bytes = 64) {
  ExchangeCall call = call_at(start_ns, start_ns + 10, kind, bytes);
  call.sequence = sequence;
  return call;
}

TEST(MatchingTest, calls_of_one_number_are_one_exchange) {
  auto digests = planned_job({.ranks = 4, .steps = 2, .calls = 3});
  // The first call is not in the trace of rank 2: the order alone would match wrongly.
  digests[2].calls.erase(digests[2].calls.begin());
  const Matching matching = matched(digests);
  ASSERT_THAT(matching.exchanges, SizeIs(6));
  EXPECT_EQ(matching.exchanges[0].part_count, 3u);
  EXPECT_EQ(matching.exchanges[1].part_count, 4u);
  EXPECT_EQ(matching.parts_of(matching.exchanges[1])[2].call, 0u);
  EXPECT_EQ(matching.parts_of(matching.exchanges[1])[3].call, 1u);
  ASSERT_THAT(matching.mismatches, SizeIs(1));
  EXPECT_EQ(matching.mismatches[0].kind, MismatchKind::kNotRecorded);
  EXPECT_THAT(matching.mismatches[0].ranks, ElementsAre(2));
}

TEST(MatchingTest, without_numbers_the_nth_of_a_size_meets_the_nth) {
  const Matching matching = matched(planned_job({.ranks = 3, .has_sequences = false}));
  EXPECT_THAT(matching.exchanges, SizeIs(12));
  EXPECT_THAT(matching.mismatches, IsEmpty());
  EXPECT_EQ(matching.unmatched_calls, 0u);
}

TEST(MatchingTest, a_call_that_one_rank_leaves_out_is_missing) {
  auto digests = ranks_without_calls(3);
  for (std::int64_t sequence = 1; sequence <= 5; ++sequence) {
    for (std::size_t rank = 0; rank < 3; ++rank) {
      if (rank == 1 && sequence == 3) continue;
      digests[rank].calls.push_back(numbered(sequence * 20, sequence));
    }
  }
  const Matching matching = matched(digests);
  ASSERT_THAT(matching.mismatches, SizeIs(1));
  const Mismatch& missing = matching.mismatches[0];
  EXPECT_EQ(missing.kind, MismatchKind::kMissing);
  EXPECT_THAT(missing.ranks, ElementsAre(1));
  EXPECT_EQ(missing.calls, 1u);
  EXPECT_EQ(missing.first_sequence, 3);
  EXPECT_EQ(missing.exchange, "all_reduce");
}

TEST(MatchingTest, a_rank_that_makes_another_call_at_that_place_is_out_of_step) {
  auto digests = ranks_without_calls(3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const bool is_odd = rank == 2;
    digests[rank].calls = {
        numbered(0, 1),
        numbered(20, 2, is_odd ? ExchangeKind::kAllGather : ExchangeKind::kAllReduce, 128)};
  }
  const Matching matching = matched(digests);
  ASSERT_THAT(matching.exchanges, SizeIs(2));
  EXPECT_EQ(matching.exchanges[1].part_count, 2u);
  EXPECT_EQ(matching.unmatched_calls, 1u);
  ASSERT_FALSE(matching.mismatches.empty());
  EXPECT_EQ(matching.mismatches[0].kind, MismatchKind::kOtherOrder);
  EXPECT_THAT(matching.mismatches[0].ranks, ElementsAre(2));
  EXPECT_EQ(matching.mismatches[0].first, "all_gather of 128 B, not all_reduce of 128 B");
}

TEST(MatchingTest, a_rank_that_gives_another_size_is_told) {
  auto digests = ranks_without_calls(3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    digests[rank].calls = {numbered(0, 1, ExchangeKind::kAllReduce, rank == 0 ? 32 : 64)};
  }
  const Matching matching = matched(digests);
  EXPECT_EQ(matching.exchanges.at(0).part_count, 3u) << "they still wait for each other";
  ASSERT_THAT(matching.mismatches, SizeIs(1));
  EXPECT_EQ(matching.mismatches[0].kind, MismatchKind::kOtherSize);
  EXPECT_THAT(matching.mismatches[0].ranks, ElementsAre(0));
}

TEST(MatchingTest, uneven_parts_of_an_all_to_all_are_as_they_should_be) {
  auto digests = ranks_without_calls(2);
  digests[0].calls = {numbered(0, 1, ExchangeKind::kAllToAll, 32)};
  digests[1].calls = {numbered(0, 1, ExchangeKind::kAllToAll, 96)};
  const Matching matching = matched(digests);
  EXPECT_THAT(matching.mismatches, IsEmpty());
  EXPECT_EQ(matching.exchanges.at(0).bytes, 96u);
}

TEST(MatchingTest, without_numbers_another_order_is_still_seen) {
  auto digests = ranks_without_calls(3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const bool is_odd = rank == 1;
    digests[rank].calls = {call_at(0, 10, ExchangeKind::kAllReduce, is_odd ? 64 : 32),
                           call_at(20, 30, ExchangeKind::kAllReduce, is_odd ? 32 : 64)};
  }
  const Matching matching = matched(digests);
  ASSERT_THAT(matching.mismatches, SizeIs(1));
  EXPECT_EQ(matching.mismatches[0].kind, MismatchKind::kOtherOrder);
  EXPECT_THAT(matching.mismatches[0].ranks, ElementsAre(1));
}

TEST(MatchingTest, without_numbers_calls_meet_from_the_end_that_fits) {
  auto digests = planned_job({.ranks = 3, .has_sequences = false});
  digests[0].calls.erase(digests[0].calls.begin(), digests[0].calls.begin() + 2);
  const Matching matching = matched(digests);
  ASSERT_THAT(matching.exchanges, SizeIs(12));
  EXPECT_EQ(matching.exchanges.front().part_count, 2u);
  const auto last = matching.parts_of(matching.exchanges.back());
  ASSERT_THAT(last, SizeIs(3));
  EXPECT_EQ(last[0].call, 9u);
  EXPECT_EQ(last[1].call, 11u);
  ASSERT_THAT(matching.mismatches, SizeIs(1));
  EXPECT_EQ(matching.mismatches[0].kind, MismatchKind::kOtherCount);
  EXPECT_THAT(matching.mismatches[0].ranks, ElementsAre(0));
}

TEST(MatchingTest, what_is_sent_meets_what_is_received) {
  auto digests = ranks_without_calls(3);
  const auto message = [](std::int64_t start_ns, ExchangeKind kind, std::int32_t peer) {
    ExchangeCall call = call_at(start_ns, start_ns + 10, kind, 64);
    call.peer = peer;
    return call;
  };
  using enum ExchangeKind;
  digests[0].calls = {message(0, kSend, 1), message(20, kSend, 1), message(30, kReceive, 1)};
  digests[1].calls = {message(2, kReceive, 0), message(22, kReceive, 0), message(28, kSend, 0)};
  digests[2].calls = {message(5, kSend, 7), message(6, kSend, kNoPeer)};
  const Matching matching = matched(digests);
  ASSERT_THAT(matching.exchanges, SizeIs(3));
  EXPECT_EQ(matching.parts_of(matching.exchanges[1])[0].call, 1u);
  EXPECT_EQ(matching.parts_of(matching.exchanges[1])[1].call, 1u);
  ASSERT_THAT(matching.mismatches, SizeIs(2));
  EXPECT_EQ(matching.mismatches[0].kind, MismatchKind::kNoTrace);
  EXPECT_THAT(matching.mismatches[0].ranks, ElementsAre(7));
  EXPECT_EQ(matching.mismatches[1].kind, MismatchKind::kUnknownPeer);
  EXPECT_EQ(matching.unmatched_calls, 2u);
}

TEST(MatchingTest, a_rank_of_the_group_without_a_trace_is_told) {
  auto digests = planned_job({.ranks = 2});
  for (RankDigest& digest : digests) digest.groups[0].ranks = {0, 1, 2};
  const Matching matching = matched(digests);
  ASSERT_THAT(matching.mismatches, SizeIs(1));
  EXPECT_EQ(matching.mismatches[0].kind, MismatchKind::kNoTrace);
  EXPECT_THAT(matching.mismatches[0].ranks, ElementsAre(2));
}

TEST(MatchingTest, more_ranks_than_a_group_has_are_not_put_together) {
  auto digests = planned_job({.ranks = 4});
  for (RankDigest& digest : digests) digest.groups[0].size = 2;
  const Matching matching = matched(digests);
  EXPECT_THAT(matching.exchanges, IsEmpty());
  ASSERT_THAT(matching.mismatches, SizeIs(1));
  EXPECT_EQ(matching.mismatches[0].kind, MismatchKind::kUnknownGroup);
  EXPECT_THAT(matching.mismatches[0].ranks, ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace strobe::fleet

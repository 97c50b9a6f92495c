#include "strobe/fleet/digest/rank_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::HasSubstr;
using Named = std::vector<std::optional<std::int32_t>>;

RankDigest numbered(std::int32_t rank, std::string file) {
  RankDigest digest;
  digest.rank = rank;
  digest.file = std::move(file);
  return digest;
}

TEST(RankNumbersTest, names_tell_the_ranks_if_all_of_them_do_and_differ) {
  EXPECT_TRUE(names_tell_ranks(Named{0, 1, 5}));
  EXPECT_FALSE(names_tell_ranks(Named{0, 1, 1}));
  EXPECT_FALSE(names_tell_ranks(Named{0, std::nullopt, 1}));
  EXPECT_FALSE(names_tell_ranks(Named{3})) << "a single file may be called anything";
}

TEST(RankNumbersTest, digests_are_ordered_by_rank) {
  std::vector<RankDigest> digests = {numbered(10, "a"), numbered(2, "b")};
  ASSERT_TRUE(order_by_rank(digests, "job"));
  EXPECT_EQ(digests[0].file, "b");
  EXPECT_EQ(digests[1].file, "a");
}

TEST(RankNumbersTest, each_trace_must_be_of_a_rank_of_its_own) {
  std::vector<RankDigest> twice = {numbered(1, "a"), numbered(0, "c"), numbered(1, "b")};
  const auto again = order_by_rank(twice, "job");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(again.error().what, "two traces are of rank 1: 'a' and 'b'");
  EXPECT_EQ(again.error().where, "job");

  std::vector<RankDigest> unknown = {numbered(1, "a"), numbered(kNoRank, "b")};
  const auto silent = order_by_rank(unknown, "job");
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().where, "b");
  EXPECT_THAT(silent.error().what, HasSubstr("says its rank"));
}

TEST(RankNumbersTest, a_digest_has_the_rank_of_the_trace_and_no_place) {
  Sketch sketch;
  sketch.thread(1).slice("ProfilerStep#1", SliceKind::kStep, 0, 1000);
  const auto digest = digest_of(sketch.trace(), "run/x.json", "it is cut off");
  ASSERT_TRUE(digest) << digest.error().what;
  EXPECT_EQ(digest->rank, kNoRank);
  EXPECT_EQ(digest->file, "");
  EXPECT_EQ(digest->damage, "it is cut off");
  EXPECT_EQ(digest->steps.size(), 1u);
}

TEST(RankNumbersTest, a_trace_without_slices_has_no_digest) {
  Sketch sketch;
  const auto digest = digest_of(sketch.trace(), "run/x.json", "");
  ASSERT_FALSE(digest);
  EXPECT_EQ(digest.error().code, ErrorCode::kTooLittleData);
  EXPECT_EQ(digest.error().where, "run/x.json");
}

TEST(RankNumbersTest, one_rank_is_no_job) {
  const Error error = only_one_rank("here", "there");
  EXPECT_EQ(error.code, ErrorCode::kTooLittleData);
  EXPECT_EQ(error.where, "here");
  EXPECT_EQ(error.hint, "there");
}

}  // namespace
}  // namespace strobe::fleet

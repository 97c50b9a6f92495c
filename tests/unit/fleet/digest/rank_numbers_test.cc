#include "strobe/fleet/digest/rank_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;

DigestedFile file(std::string name, std::optional<std::int32_t> named,
                  std::int32_t traced = kNoRank) {
  RankDigest digest;
  digest.rank = traced;
  digest.file = std::move(name);
  return {named, std::move(digest)};
}

DigestedFile broken(std::string name, std::optional<std::int32_t> named) {
  return {named, Error{ErrorCode::kMalformed, "it is cut off", std::move(name), ""}};
}

// "rank:file" of each digest.
std::vector<std::string> ranks_of(const std::vector<DigestedFile>& files) {
  const auto found = number_ranks(files, "job");
  if (!found) return {found.error().where + ": " + found.error().what};
  std::vector<std::string> ranks;
  for (const RankDigest& one : found->digests) {
    ranks.push_back(std::to_string(one.rank) + ":" + one.file);
  }
  return ranks;
}

TEST(RankNumbersTest, names_tell_the_ranks_if_all_of_them_do_and_differ) {
  EXPECT_THAT(ranks_of({file("a", 10, 0), file("b", 2, 1)}), ElementsAre("2:b", "10:a"));
  EXPECT_THAT(ranks_of({file("a", 3, 1), file("b", 3, 0)}), ElementsAre("0:b", "1:a"));
  EXPECT_THAT(ranks_of({file("a", 7, 1), file("b", std::nullopt, 0)}), ElementsAre("0:b", "1:a"));
}

TEST(RankNumbersTest, a_single_file_may_be_called_anything) {
  EXPECT_THAT(ranks_of({file("a", 3, 5)}), ElementsAre("5:a"));
  EXPECT_THAT(ranks_of({file("a", 3)}), ElementsAre("0:a"));
}

TEST(RankNumbersTest, a_file_that_cannot_be_read_has_a_name_all_the_same) {
  EXPECT_THAT(ranks_of({file("a", 0), broken("b", 1), file("c", 2)}), ElementsAre("0:a", "2:c"));
  EXPECT_THAT(ranks_of({file("a", 0, 4), broken("b", 0), file("c", 2, 3)}),
              ElementsAre("3:c", "4:a"))
      << "two of one name: the traces tell";
}

TEST(RankNumbersTest, each_trace_must_be_of_a_rank_of_its_own) {
  EXPECT_THAT(ranks_of({file("a", std::nullopt, 1), file("c", std::nullopt, 0),
                        file("b", std::nullopt, 1)}),
              ElementsAre("job: two traces are of rank 1: 'a' and 'b'"));
  EXPECT_THAT(ranks_of({file("a", std::nullopt, 1), file("b", std::nullopt)}),
              ElementsAre("b: neither the name nor the content of a trace says its rank"));
}

TEST(RankNumbersTest, as_many_files_may_be_unreadable_as_the_user_allows) {
  const CompletenessHints hints = {.allow_missing = "missing=", .one_rank = "try another"};
  const auto found =
      number_ranks({broken("a", 0), file("b", 1), broken("c", 2), file("d", 3)}, "job");
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(check_complete(*found, 2, "job", hints));
  const auto result = check_complete(*found, 1, "job", hints);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "it is cut off (and 1 other file cannot be read)");
  EXPECT_EQ(result.error().where, "a");
  EXPECT_EQ(result.error().hint, "missing=2 answers for the other 2 ranks");
}

TEST(RankNumbersTest, one_rank_that_can_be_read_is_no_job) {
  const CompletenessHints hints = {.allow_missing = "missing=", .one_rank = "try another"};
  const auto alone = number_ranks({file("a", 0)}, "job");
  const auto left = number_ranks({file("a", 0), broken("b", 1)}, "job");
  const auto none = number_ranks({broken("a", 0), broken("b", 1)}, "job");
  ASSERT_TRUE(alone && left && none);
  for (const JobDigests& found : {*alone, *left}) {
    const auto result = check_complete(found, 1, "job", hints);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kTooLittleData);
    EXPECT_EQ(result.error().where, "job");
    EXPECT_EQ(result.error().hint, "try another");
  }
  const auto result = check_complete(*none, 2, "job", hints);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where, "a") << "says why nothing could be read";
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

}  // namespace
}  // namespace strobe::fleet

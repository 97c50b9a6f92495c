#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/one_run.h"
#include "strobe/readers/run_reader.h"

// Eight ranks that were trained over gloo on two cores, equal and with one that sleeps for 30 ms in
// each step (tests/support/record_ranks.py). Noise is large there.
namespace strobe::compare {
namespace {

const std::filesystem::path kRanks = STROBE_SOURCE_DIR "/tests/data/ranks";

Run recorded_ranks(const std::string& name) {
  auto run = readers::read_run(kRanks / name, {}, {});
  EXPECT_TRUE(run) << name << ": " << run.error().what;
  return std::move(*run);
}

// The rank of number n becomes (3 n + shift) mod 8, and stands there in the list.
std::int32_t new_number(std::int32_t rank, std::int32_t shift) { return (3 * rank + shift) % 8; }

Run renumbered(const Run& run, std::int32_t shift) {
  Run other = run;
  for (const RankCapture& capture : run.ranks) {
    const std::int32_t rank = new_number(capture.rank, shift);
    other.ranks[static_cast<std::size_t>(rank)] = capture;
    other.ranks[static_cast<std::size_t>(rank)].rank = rank;
  }
  return other;
}

TEST(RecordedRanksTest, the_rank_that_sleeps_is_named_whatever_its_number_is) {
  const strobe::Run run = recorded_ranks("rank_5_sleeps");
  ASSERT_EQ(run.ranks.size(), 8u);
  for (std::int32_t shift = 0; shift < 8; ++shift) {
    const auto found = find_stragglers(renumbered(run, shift));
    ASSERT_TRUE(found) << found.error().what;
    const std::int32_t sleeper = new_number(5, shift);
    EXPECT_EQ(found->slowest, sleeper);
    for (const RankRow& row : found->ranks) {
      EXPECT_EQ(row.is_slow, row.rank == sleeper) << row.rank;
      EXPECT_EQ(row.is_late, row.rank == sleeper) << row.rank;
    }
  }
}

TEST(RecordedRanksTest, of_equal_ranks_none_is_named) {
  const auto found = find_stragglers(recorded_ranks("equal"));
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->answer(), RankAnswer::kNoSlowRank);
}

TEST(RecordedRanksTest, against_a_normal_run_it_is_the_first_cause) {
  const strobe::Run normal = recorded_ranks("equal");
  const strobe::Run abnormal = recorded_ranks("rank_5_sleeps");
  for (const std::int32_t shift : {0, 3}) {
    const auto comparison = compare_runs(renumbered(normal, shift), renumbered(abnormal, shift));
    ASSERT_TRUE(comparison) << comparison.error().what;
    ASSERT_FALSE(comparison->causes.empty());
    const Cause& first = comparison->causes.front();
    EXPECT_EQ(word_of(first.kind), word_of(CauseKind::kStraggler));
    EXPECT_EQ(first.headline,
              "rank " + std::to_string(new_number(5, shift)) + " keeps the others waiting");
    EXPECT_GE(first.score, kConfidentScore);
  }
}

}  // namespace
}  // namespace strobe::compare

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "strobe/fleet/stragglers/stragglers.h"
#include "tests/support/jobs/job_generator.h"

// Jobs of known truth: one straggler of each kind and of many sizes, and none.
namespace strobe::fleet {
namespace {

constexpr std::array kKinds = {StragglerKind::kRank,    StragglerKind::kHost,
                               StragglerKind::kStage,   StragglerKind::kWandering,
                               StragglerKind::kBadStep, StragglerKind::kNetwork};
constexpr std::uint64_t kJobs = 100;
constexpr std::uint64_t kCleanJobs = 50;

// Whether exactly the planted straggler is named, and why it is slow.
bool is_right(const PlantedStraggler& planted, const std::vector<Straggler>& found) {
  if (found.size() != 1) return false;
  const Straggler& one = found.front();
  if (one.kind != planted.kind || one.reason != planted.reason) return false;
  switch (planted.kind) {
    case StragglerKind::kRank:
    case StragglerKind::kHost:
    case StragglerKind::kStage:
      return one.ranks == planted.ranks;
    case StragglerKind::kBadStep:
      return one.ranks == planted.ranks && one.first_step == planted.first_step;
    case StragglerKind::kNetwork:
      return one.ranks == planted.ranks && one.first_step < planted.end_step &&
             planted.first_step < one.end_step;
    case StragglerKind::kWandering:
      return true;
  }
  return false;
}

class StragglersTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(StragglersTest, of_100_planted_ones_98_are_named_with_their_reason) {
  std::size_t right = 0;
  std::vector<std::string> wrong;
  for (std::uint64_t i = 0; i < kJobs; ++i) {
    const StragglerKind kind = kKinds[i % kKinds.size()];
    const std::uint64_t seed = GetParam() + i;
    const GeneratedJob made = job_with(kind, seed);
    if (is_right(*made.planted, find_stragglers(made.job))) {
      ++right;
    } else {
      wrong.push_back(std::string(word_of(kind)) + ", seed " + std::to_string(seed));
    }
  }
  EXPECT_GE(right, 98u) << ::testing::PrintToString(wrong);
}

TEST_P(StragglersTest, of_50_clean_jobs_none_has_a_straggler) {
  for (std::uint64_t i = 0; i < kCleanJobs; ++i) {
    const std::uint64_t seed = GetParam() + kJobs + i;
    for (const Straggler& one : find_stragglers(clean_job(seed).job)) {
      ADD_FAILURE() << "seed " << seed << ": " << word_of(one.kind) << ", " << word_of(one.reason)
                    << ", " << one.lost_share;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StragglersTest, ::testing::Values(1'000, 2'000, 3'000));

}  // namespace
}  // namespace strobe::fleet

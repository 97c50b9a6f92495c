#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/comparison.h"
#include "strobe/readers/run_reader.h"

// One serving loop, recorded on an accelerator, healthy and with one fault at a time
// (tests/support/record_faults.py). The rules must always find these.
namespace strobe::compare {
namespace {

const std::filesystem::path kServing = STROBE_SOURCE_DIR "/examples/serving";
const std::filesystem::path kFaults = STROBE_SOURCE_DIR "/tests/data/faults";

Run run_at(const std::filesystem::path& path) {
  auto run = readers::read_run(path, {}, {});
  EXPECT_TRUE(run) << path << ": " << run.error().what;
  return std::move(*run);
}

struct Recorded {
  std::string fault;
  CauseKind cause;
};

class RecordedFaultTest : public ::testing::TestWithParam<Recorded> {};

TEST_P(RecordedFaultTest, its_cause_comes_first_and_is_sure) {
  const auto& [fault, cause] = GetParam();
  const auto comparison = compare_runs(run_at(kServing / "normal"), run_at(kFaults / fault));
  ASSERT_TRUE(comparison) << comparison.error().what;
  ASSERT_FALSE(comparison->causes.empty());
  EXPECT_EQ(word_of(comparison->causes.front().kind), word_of(cause));
  EXPECT_GE(comparison->causes.front().score, kConfidentScore);
  EXPECT_NE(comparison->answer, Answer::kNoChange);
}

INSTANTIATE_TEST_SUITE_P(Faults, RecordedFaultTest,
                         ::testing::Values(Recorded{"cpu_contention", CauseKind::kHostContention},
                                           Recorded{"core_shared", CauseKind::kHostContention},
                                           Recorded{"clock_locked", CauseKind::kClockDrop},
                                           Recorded{"allocator_churn", CauseKind::kMemoryPressure},
                                           Recorded{"slow_input", CauseKind::kInputPipeline},
                                           Recorded{"float32", CauseKind::kKernelMix},
                                           Recorded{"batch_doubled", CauseKind::kWorkload},
                                           Recorded{"sync_added", CauseKind::kSynchronisation},
                                           Recorded{"host_code", CauseKind::kLaunchBound},
                                           Recorded{"bus_contention", CauseKind::kPcie}),
                         [](const auto& one) { return one.param.fault; });

TEST(RecordedFaultsTest, another_process_is_named_before_the_clock_that_it_brought_down) {
  const auto comparison =
      compare_runs(run_at(kServing / "normal"), run_at(kServing / "gpu_contention"));
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->answer, Answer::kSlower);
  ASSERT_GE(comparison->causes.size(), 2u);
  EXPECT_EQ(comparison->causes[0].kind, CauseKind::kOtherTenant);
  EXPECT_EQ(comparison->causes[1].kind, CauseKind::kClockDrop);
}

TEST(RecordedFaultsTest, equal_runs_have_no_sure_cause) {
  const std::vector<std::filesystem::path> healthy = {kServing / "normal", kFaults / "none",
                                                      kFaults / "none_again"};
  for (const auto& normal : healthy) {
    for (const auto& other : healthy) {
      if (normal == other) continue;
      const auto comparison = compare_runs(run_at(normal), run_at(other));
      ASSERT_TRUE(comparison) << comparison.error().what;
      for (const Cause& cause : comparison->causes) {
        EXPECT_LT(cause.score, kConfidentScore) << normal << other << cause.headline;
      }
    }
  }
}

TEST(RecordedFaultsTest, a_run_compared_with_itself_did_not_change) {
  const auto comparison = compare_runs(run_at(kServing / "normal"), run_at(kServing / "normal"));
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->answer, Answer::kNoChange);
  EXPECT_TRUE(comparison->causes.empty());
}

}  // namespace
}  // namespace strobe::compare

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/digest/digest.h"

// Verdict and interval say the same, of every pair of recorded runs of one program.
namespace strobe::compare {
namespace {

const std::filesystem::path kRuns = STROBE_SOURCE_DIR "/tests/data/laboratory/runs";

using RunsOfProgram = std::map<std::filesystem::path, std::vector<std::filesystem::path>>;

RunsOfProgram recorded_runs() {
  RunsOfProgram runs;
  for (const auto& file : std::filesystem::recursive_directory_iterator(kRuns)) {
    if (file.is_regular_file()) runs[file.path().parent_path()].push_back(file.path());
  }
  for (auto& [program, files] : runs) std::ranges::sort(files);
  return runs;
}

Comparison judged(const std::filesystem::path& normal, const std::filesystem::path& abnormal) {
  auto normal_side = read_digest(normal.string());
  auto abnormal_side = read_digest(abnormal.string());
  EXPECT_TRUE(normal_side) << normal;
  EXPECT_TRUE(abnormal_side) << abnormal;
  auto comparison =
      compare_measures(std::move(*normal_side), std::move(*abnormal_side), {}, CompareOptions());
  EXPECT_TRUE(comparison) << normal << abnormal;
  judge(*comparison);
  return std::move(*comparison);
}

void expect_agreement(const Comparison& comparison) {
  const CycleRow& row = comparison.cycles.front();
  const stats::Shift& shown = row.shown();
  const bool excludes_zero = shown.low > 0 || shown.high < 0;
  const bool matters = std::abs(shown.shift) >= 0.02 * row.shown_normal_ms();
  EXPECT_TRUE(std::isfinite(shown.low) && std::isfinite(shown.high));
  EXPECT_LE(shown.low, shown.shift);
  EXPECT_GE(shown.high, shown.shift);
  switch (comparison.answer) {
    case Answer::kSlower:
      EXPECT_GT(shown.low, 0);
      break;
    case Answer::kFaster:
      EXPECT_LT(shown.high, 0);
      break;
    case Answer::kNoChange:
    case Answer::kShifted:
      EXPECT_FALSE(excludes_zero && matters);
      break;
    case Answer::kUnclear:
    case Answer::kCannotTell:
      break;
  }
}

TEST(VerdictIntervalTest, they_agree_on_recorded_runs) {
  const RunsOfProgram programs = recorded_runs();
  ASSERT_GE(programs.size(), 14u);
  for (const auto& [program, runs] : programs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto& other = runs[(i + runs.size() / 2) % runs.size()];
      if (other == runs[i]) continue;
      SCOPED_TRACE(runs[i].string() + " and " + other.string());
      expect_agreement(judged(runs[i], other));
      expect_agreement(judged(other, runs[i]));
    }
  }
}

TEST(VerdictIntervalTest, a_run_against_itself_is_no_change_and_has_no_cause) {
  for (const auto& [program, runs] : recorded_runs()) {
    SCOPED_TRACE(runs.front().string());
    const Comparison comparison = judged(runs.front(), runs.front());
    EXPECT_EQ(comparison.answer, Answer::kNoChange);
    EXPECT_TRUE(comparison.causes.empty());
  }
}

}  // namespace
}  // namespace strobe::compare

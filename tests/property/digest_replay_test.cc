#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/digest/digest.h"
#include "strobe/readers/run_reader.h"
#include "tests/property/shared_files.h"

// Digests of real runs give the answers of the runs themselves.
namespace strobe::compare {
namespace {

namespace fs = std::filesystem;

SideFacts recorded_side(const fs::path& path) {
  const auto run = readers::read_run(path, {}, {});
  EXPECT_TRUE(run) << run.error().what;
  auto side = measure_side(*run, {});
  EXPECT_TRUE(side) << side.error().what;
  return *std::move(side);
}

SideFacts through_digest_of(const SideFacts& side) {
  const auto packed = pack_digest(side);
  EXPECT_TRUE(packed) << packed.error().what;
  EXPECT_LT(packed->size(), 50'000u);
  auto read = unpack_digest(*packed);
  EXPECT_TRUE(read) << read.error().what;
  return *std::move(read);
}

Comparison judged(SideFacts normal, SideFacts abnormal) {
  auto comparison = compare_measures(std::move(normal), std::move(abnormal), {}, {});
  EXPECT_TRUE(comparison) << comparison.error().what;
  judge(*comparison);
  return *std::move(comparison);
}

// Rounded to a 4000th of the median of their column at most.
void expect_similar(const std::vector<std::int64_t>& read, const std::vector<std::int64_t>& kept,
                    const std::string& what) {
  ASSERT_EQ(read.size(), kept.size()) << what;
  std::vector<std::int64_t> times = kept;
  std::erase(times, 0);
  std::ranges::sort(times);
  const std::int64_t step =
      times.empty() ? 1 : std::max<std::int64_t>(1, times[times.size() / 2] / 3999);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_LE(std::abs(read[i] - kept[i]), kept[i] < step ? step : step / 2 + 1) << what;
    EXPECT_EQ(read[i] > 0, kept[i] > 0) << what;
  }
}

void expect_same_functions(const SideFacts& read, const SideFacts& kept) {
  ASSERT_EQ(read.ranks.size(), kept.ranks.size());
  for (std::size_t rank = 0; rank < kept.ranks.size(); ++rank) {
    const auto& functions = kept.ranks[rank].functions;
    ASSERT_EQ(read.ranks[rank].functions.size(), functions.size());
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const FunctionCycles& function = read.ranks[rank].functions[i];
      EXPECT_EQ(function.key, functions[i].key);
      EXPECT_EQ(function.calls, functions[i].calls);
      EXPECT_EQ(function.launched_calls, functions[i].launched_calls);
      EXPECT_EQ(function.copied_bytes, functions[i].copied_bytes);
      expect_similar(function.time_ns, functions[i].time_ns, function.key.name);
      expect_similar(function.covered_ns, functions[i].covered_ns, function.key.name);
      expect_similar(function.launched_ns, functions[i].launched_ns, function.key.name);
    }
  }
}

void expect_same_answers(const fs::path& normal_path, const fs::path& abnormal_path) {
  const SideFacts normal = recorded_side(normal_path);
  const SideFacts abnormal = recorded_side(abnormal_path);
  const SideFacts normal_read = through_digest_of(normal);
  const SideFacts abnormal_read = through_digest_of(abnormal);
  expect_same_functions(normal_read, normal);
  expect_same_functions(abnormal_read, abnormal);
  const Comparison runs = judged(normal, abnormal);
  const Comparison digests = judged(normal_read, abnormal_read);
  EXPECT_EQ(digests.answer, runs.answer);
  EXPECT_EQ(digests.quality, runs.quality);
  EXPECT_EQ(digests.functions.size(), runs.functions.size());
  ASSERT_EQ(digests.causes.size(), runs.causes.size());
  for (std::size_t i = 0; i < runs.causes.size(); ++i) {
    EXPECT_EQ(word_of(digests.causes[i].kind), word_of(runs.causes[i].kind));
    EXPECT_NEAR(digests.causes[i].score, runs.causes[i].score, 0.02);
    EXPECT_EQ(digests.causes[i].headline, runs.causes[i].headline);
  }
}

TEST(DigestReplayTest, the_example_of_a_serving_loop) {
  const fs::path serving = fs::path(STROBE_SOURCE_DIR) / "examples/serving";
  expect_same_answers(serving / "normal", serving / "gpu_contention");
}

TEST(DigestReplayTest, recorded_serving_loops) {
  STROBE_NEEDS_SHARED();
  const fs::path serve = fs::path(STROBE_SOURCE_DIR) / "../shared/traces/h200_serve";
  std::vector<fs::path> runs;
  for (const auto& entry : fs::directory_iterator(serve)) {
    if (entry.is_directory()) runs.push_back(entry.path());
  }
  std::ranges::sort(runs);
  ASSERT_GE(runs.size(), 2u);
  for (const fs::path& normal : runs) {
    for (const fs::path& abnormal : runs) {
      SCOPED_TRACE(normal.filename().string() + " and " + abnormal.filename().string());
      if (normal != abnormal) expect_same_answers(normal, abnormal);
    }
  }
}

}  // namespace
}  // namespace strobe::compare

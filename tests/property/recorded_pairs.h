#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <numeric>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/digest/digest.h"
#include "strobe/report/compare/compare_verdict.h"

// The recorded runs of the fault laboratory, as pairs of one program and one recorder.
namespace strobe::compare {

inline const std::filesystem::path kRecordedRuns = STROBE_SOURCE_DIR "/tests/data/laboratory/runs";

struct RecordedPair {
  std::filesystem::path normal;
  std::filesystem::path abnormal;

  std::string name() const {
    return abnormal.parent_path().parent_path().filename().string() + "/" +
           abnormal.parent_path().filename().string() + ": " + normal.stem().string() + " and " +
           abnormal.stem().string();
  }
};

inline bool is_fault(const std::filesystem::path& run) {
  const std::string name = run.stem().string();
  return !name.starts_with("none-") && !name.starts_with("pinned-");
}

// The run that a run is compared with: without a fault, and on a core of its own if the other is.
inline bool is_base_of(const std::filesystem::path& normal, const std::filesystem::path& abnormal) {
  const bool on_own_core = abnormal.stem().string().starts_with("own_core") ||
                           abnormal.stem().string().starts_with("pinned");
  return normal != abnormal &&
         normal.stem().string().starts_with(on_own_core ? "pinned-" : "none-");
}

// Each run with the first that it can be compared with; runs without a fault with another such run.
inline std::vector<RecordedPair> recorded_pairs() {
  std::map<std::filesystem::path, std::vector<std::filesystem::path>> programs;
  for (const auto& file : std::filesystem::recursive_directory_iterator(kRecordedRuns)) {
    if (file.is_regular_file()) programs[file.path().parent_path()].push_back(file.path());
  }
  std::vector<RecordedPair> pairs;
  for (auto& [program, runs] : programs) {
    std::ranges::sort(runs);
    for (const std::filesystem::path& run : runs) {
      const auto base = std::ranges::find_if(
          runs, [&](const std::filesystem::path& other) { return is_base_of(other, run); });
      if (base != runs.end()) pairs.push_back({*base, run});
    }
  }
  return pairs;
}

// Read once, however many tests look at it.
inline const SideFacts& recorded_run(const std::filesystem::path& digest) {
  static std::map<std::filesystem::path, SideFacts> runs;
  const auto [found, is_new] = runs.try_emplace(digest);
  if (is_new) {
    auto side = read_digest(digest.string());
    EXPECT_TRUE(side) << digest << ": " << side.error().what;
    if (side) found->second = *std::move(side);
  }
  return found->second;
}

// The kernel that takes the most time: its number among the functions. Every recorded run has one.
inline std::size_t longest_kernel(const RankMeasure& rank) {
  const auto time_of = [](const FunctionCycles& function) {
    const bool is_kernel = function.key.kind == FunctionKind::kKernel;
    return is_kernel ? std::accumulate(function.time_ns.begin(), function.time_ns.end(), 0LL) : -1;
  };
  return static_cast<std::size_t>(std::ranges::max_element(rank.functions, {}, time_of) -
                                  rank.functions.begin());
}

inline Comparison judged_sides(const SideFacts& normal, const SideFacts& abnormal) {
  auto comparison = compare_measures(normal, abnormal, {}, CompareOptions());
  EXPECT_TRUE(comparison) << comparison.error().what;
  judge(*comparison);
  return *std::move(comparison);
}

// What is said of a pair with confidence: the word, and the causes that are called confident.
struct Said {
  Answer answer = Answer::kNoChange;
  std::set<CauseKind> causes;

  bool operator==(const Said&) const = default;
};

inline Said said_of(const Comparison& comparison) {
  Said said = {.answer = comparison.answer, .causes = {}};
  for (const Cause& cause : comparison.causes) {
    if (cause.score >= kConfidentScore) said.causes.insert(cause.kind);
  }
  return said;
}

// Those of them that were recorded or counted.
inline std::set<CauseKind> confident_facts(const Comparison& comparison) {
  std::set<CauseKind> facts;
  for (const Cause& cause : comparison.causes) {
    if (cause.is_fact && cause.score >= kConfidentScore) facts.insert(cause.kind);
  }
  return facts;
}

// For messages of failed tests.
inline std::ostream& operator<<(std::ostream& out, const Said& said) {
  out << report::word_of(said.answer);
  for (const CauseKind kind : said.causes) out << ", " << word_of(kind);
  return out;
}

}  // namespace strobe::compare

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/comparison.h"
#include "strobe/readers/run_reader.h"
#include "tests/property/shared_files.h"

// One wild cycle, of any function or metric of a recorded run, must not change what is said.
namespace strobe::compare {
namespace {

namespace fs = std::filesystem;

const fs::path kServe = kShared / "traces/h200_serve";
constexpr int kWild = 20;

SideFacts measured(const fs::path& folder) {
  const auto run = readers::read_run(folder, {}, {});
  EXPECT_TRUE(run) << run.error().what;
  auto side = measure_side(*run, {});
  EXPECT_TRUE(side) << side.error().what;
  return std::move(side).value();
}

std::set<CauseKind> confident_causes(const SideFacts& normal, const SideFacts& abnormal) {
  auto comparison = compare_measures(normal, abnormal, {}, {});
  EXPECT_TRUE(comparison) << comparison.error().what;
  judge(*comparison);
  std::set<CauseKind> kinds;
  for (const Cause& cause : comparison->causes) {
    if (cause.score >= kConfidentScore) kinds.insert(cause.kind);
  }
  return kinds;
}

std::string words_of(const std::set<CauseKind>& kinds) {
  std::string words;
  for (const CauseKind kind : kinds) words += std::string(word_of(kind)) + " ";
  return words;
}

template <class Number>
void make_wild(std::vector<Number>& values, std::size_t cycle) {
  if (cycle < values.size()) values[cycle] *= kWild;
}

// What can be wild in a rank, by number: its functions, then its series.
std::size_t candidates(const RankMeasure& rank) {
  return rank.functions.size() + rank.series.size();
}

std::string make_wild(RankMeasure& rank, std::size_t which, std::size_t cycle) {
  if (which < rank.functions.size()) {
    FunctionCycles& function = rank.functions[which];
    make_wild(function.time_ns, cycle);
    make_wild(function.launched_ns, cycle);
    return function.key.name;
  }
  SeriesCycles& series = rank.series[which - rank.functions.size()];
  if (series.info.role == device::MetricRole::kThrottleReasons) return series.metric;  // no size
  make_wild(series.mean, cycle);
  make_wild(series.busy_mean, cycle);
  return series.metric;
}

class WildCycle : public ::testing::TestWithParam<std::pair<fs::path, fs::path>> {};

TEST_P(WildCycle, changes_no_confident_cause) {
  STROBE_NEEDS_SHARED();
  const SideFacts normal = measured(GetParam().first);
  const SideFacts abnormal = measured(GetParam().second);
  const std::set<CauseKind> told = confident_causes(normal, abnormal);
  std::mt19937 dice(7);
  const std::size_t all = candidates(normal.ranks.front());
  for (std::size_t which = 0; which < all; ++which) {
    for (const bool in_normal : {true, false}) {
      SideFacts spoilt = in_normal ? normal : abnormal;
      RankMeasure& rank = spoilt.ranks.front();
      if (which >= candidates(rank)) continue;
      const std::size_t cycle = dice() % rank.cycles.cycles.size();
      const std::string name = make_wild(rank, which, cycle);
      const std::set<CauseKind> now =
          in_normal ? confident_causes(spoilt, abnormal) : confident_causes(normal, spoilt);
      EXPECT_EQ(now, told) << name << " in cycle " << cycle << " of the "
                           << (in_normal ? "normal" : "abnormal") << " run: " << words_of(told)
                           << "became " << words_of(now);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, WildCycle,
                         ::testing::Values(std::pair(kServe / "normal", kServe / "cpu_contention"),
                                           std::pair(kServe / "normal", kServe / "gpu_contention"),
                                           std::pair(kServe / "normal", kServe / "normal")),
                         [](const auto& pair) {
                           return "with_" + pair.param.second.filename().string();
                         });

}  // namespace
}  // namespace strobe::compare

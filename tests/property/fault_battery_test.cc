#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "strobe/compare/comparison.h"
#include "tests/support/faults/pair.h"

// Tests every cause rule with simulated faults, whose cause is known.
namespace strobe::compare {
namespace {

// By strength.
constexpr int kPairsPerFault[] = {10, 10, 20};
constexpr int kHealthyPairs = 200;
constexpr double kBar = 0.95;

// The accepted names of a fault; the first is used in the table.
struct Expectation {
  std::vector<CauseKind> right;
  std::vector<CauseKind> also_true;  // also true for this fault, so reporting it is not wrong
};

Expectation expected_of(Fault fault) {
  using enum CauseKind;
  switch (fault) {
    case Fault::kNone:
    case Fault::kColdStart:
      return {};
    case Fault::kPowerCap:
    case Fault::kHeat:
    case Fault::kLockedClock:
      return {{kClockDrop}, {}};
    case Fault::kMemoryClock:
      return {{kMemoryBandwidth}, {}};
    case Fault::kComputeTenant:
      return {{kOtherTenant}, {}};
    case Fault::kBusTenant:
      return {{kPcie, kOtherTenant}, {}};
    case Fault::kSlowBus:
      return {{kPcie}, {}};
    case Fault::kSlowLinks:
      return {{kFabric}, {kCommunicationWait}};
    case Fault::kLateRank:
      return {{kStraggler, kCommunicationWait}, {kHostSlow}};
    case Fault::kCoreContention:
      return {{kHostContention}, {}};
    case Fault::kSlowCores:
      return {{kHostSlow}, {}};
    case Fault::kHostCode:
      return {{kLaunchBound}, {}};
    case Fault::kSynchronizations:
      return {{kSynchronisation}, {}};
    case Fault::kSlowDisk:
      return {{kDiskIo}, {kInputPipeline}};
    case Fault::kLateInput:
      return {{kInputPipeline}, {}};
    case Fault::kAllocations:
      return {{kMemoryPressure}, {kSynchronisation}};
    case Fault::kOtherKernels:
      return {{kKernelMix}, {}};
    case Fault::kMoreLayers:
    case Fault::kLargerBatch:
      return {{kWorkload}, {}};
    case Fault::kLostCycles:
    case Fault::kProfilerOverhead:
      return {{kMeasurement}, {}};
    case Fault::kQuota:
      return {{kHostContention}, {}};
    case Fault::kPaging:
      return {{kDiskIo}, {}};
  }
  return {};
}

std::vector<Fault> faults_with_a_cause() {
  std::vector<Fault> faults;
  std::ranges::copy_if(all_faults(), std::back_inserter(faults),
                       [](Fault fault) { return fault != Fault::kColdStart; });
  return faults;
}

bool contains(const std::vector<CauseKind>& kinds, CauseKind kind) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

struct Tally {
  int pairs = 0;
  int right_first = 0;
  int right_listed = 0;
  int confident_wrong = 0;

  void operator+=(const Tally& other) {
    pairs += other.pairs;
    right_first += other.right_first;
    right_listed += other.right_listed;
    confident_wrong += other.confident_wrong;
  }
};

// "Unattributed" means that no cause was found; it is not a cause.
Tally tally_of(const std::vector<Cause>& causes, const Expectation& expected) {
  Tally tally{.pairs = 1};
  bool is_first = true;
  for (const Cause& cause : causes) {
    if (cause.kind == CauseKind::kUnattributed) continue;
    const bool is_right = contains(expected.right, cause.kind);
    if (is_right) tally.right_listed = 1;
    if (is_right && is_first) tally.right_first = 1;
    if (!is_right && !contains(expected.also_true, cause.kind) && cause.score >= kConfidentScore) {
      tally.confident_wrong = 1;
    }
    is_first = false;
  }
  return tally;
}

struct Case {
  Fault fault = Fault::kNone;
  Strength strength = Strength::kStrong;
  std::uint64_t seed = 0;
  Tally tally = {};
  Answer answer = Answer::kNoChange;
};

void judge(std::vector<Case>& cases) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < cases.size(); i = next++) {
      Case& one = cases[i];
      const FaultPair pair = make_fault_pair(one.fault, one.strength, one.seed);
      const auto comparison = compare_runs(pair.normal, pair.abnormal);
      ASSERT_TRUE(comparison) << comparison.error().what;
      one.tally = tally_of(comparison->causes, expected_of(one.fault));
      one.answer = comparison->answer;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back(work);
  }
  for (std::thread& thread : threads) thread.join();
}

Tally sum_of(const std::vector<Case>& cases, Fault fault, Strength strength) {
  Tally sum;
  for (const Case& one : cases) {
    if (one.fault == fault && one.strength == strength) sum += one.tally;
  }
  return sum;
}

std::string percent(int part, int whole) { return fmt::format("{:.0f} %", 100.0 * part / whole); }
std::string share(int part, int whole) { return fmt::format("{} of {}", part, whole); }

using CellText = std::string (*)(int part, int whole);

std::string cells_of(const Tally& tally, CellText text) {
  return fmt::format(" {} | {} | {} |", text(tally.right_first, tally.pairs),
                     text(tally.right_listed, tally.pairs),
                     text(tally.confident_wrong, tally.pairs));
}

constexpr Strength kStrengths[] = {Strength::kWeak, Strength::kMedium, Strength::kStrong};

std::string markdown_of(const std::vector<Case>& cases) {
  std::string table =
      "| fault | cause | weak: first | listed | wrong | medium: first | listed | wrong | strong: "
      "first | listed | wrong |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  Tally totals[std::size(kStrengths)];
  for (const Fault fault : faults_with_a_cause()) {
    table +=
        fmt::format("| {} | `{}` |", sentence_of(fault), word_of(expected_of(fault).right.front()));
    for (std::size_t i = 0; i < std::size(kStrengths); ++i) {
      const Tally tally = sum_of(cases, fault, kStrengths[i]);
      table += cells_of(tally, percent);
      totals[i] += tally;
    }
    table += '\n';
  }
  table += "| all | |";
  for (const Tally& total : totals) table += cells_of(total, share);
  return table + '\n';
}

void expect_documented(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::ifstream file(STROBE_SOURCE_DIR "/docs/compare.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(page.find(text), std::string::npos)
      << "docs/compare.md does not have this text as printed above";
}

TEST(FaultBattery, strong_faults_are_called_by_their_name) {
  std::vector<Case> cases;
  for (const Fault fault : faults_with_a_cause()) {
    for (std::size_t i = 0; i < std::size(kStrengths); ++i) {
      for (int seed = 1; seed <= kPairsPerFault[i]; ++seed) {
        cases.push_back({fault, kStrengths[i], static_cast<std::uint64_t>(seed)});
      }
    }
  }
  judge(cases);
  Tally strong;
  for (const Fault fault : faults_with_a_cause()) strong += sum_of(cases, fault, Strength::kStrong);
  EXPECT_GE(faults_with_a_cause().size(), 12u);
  EXPECT_GE(strong.right_first, kBar * strong.pairs);
  for (const Fault fault : faults_with_a_cause()) {
    const Tally tally = sum_of(cases, fault, Strength::kStrong);
    EXPECT_GE(tally.right_first, 0.8 * tally.pairs) << sentence_of(fault);
  }
  expect_documented(markdown_of(cases));
}

TEST(FaultBattery, equal_runs_have_no_confident_cause) {
  std::vector<Case> cases(kHealthyPairs);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].seed = i + 1;
  judge(cases);
  const Tally sum = sum_of(cases, Fault::kNone, Strength::kStrong);
  EXPECT_GE(sum.pairs - sum.confident_wrong, kBar * sum.pairs);
  const auto called = std::ranges::count_if(cases, [](const Case& one) {
    return one.answer == Answer::kSlower || one.answer == Answer::kFaster;
  });
  EXPECT_LE(static_cast<double>(called), (1 - kBar) * sum.pairs);
  expect_documented(
      fmt::format("Of {} pairs of equal runs {} are called slower or faster, and {} have a "
                  "confident cause.",
                  sum.pairs, called, sum.confident_wrong));
}

TEST(FaultBattery, cold_first_cycles_change_no_verdict) {
  int left_out = 0;
  int called = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const FaultPair pair = make_fault_pair(Fault::kColdStart, Strength::kStrong, seed);
    const auto comparison = compare_runs(pair.normal, pair.abnormal);
    ASSERT_TRUE(comparison) << comparison.error().what;
    called += comparison->answer == Answer::kSlower || comparison->answer == Answer::kFaster;
    EXPECT_EQ(tally_of(comparison->causes, {}).confident_wrong, 0) << seed;
    for (const std::string& remark : comparison->quality) {
      left_out += remark.find("left out as warm-up") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_LE(called, 1) << "no more than of equal runs";
  EXPECT_GE(left_out, 18);
}

bool has_recorder(const Run& run) {
  return std::ranges::any_of(run.ranks.front().metrics, [](const MetricSeries& series) {
    return series.metric == "gpu_foreign_usage";
  });
}

// The first evidence of a cause, and all texts of all causes, in strong faults that were recorded.
struct RecordedEvidence {
  int pairs = 0;
  std::vector<std::string> first;
  std::string all;
};

RecordedEvidence recorded_evidence(Fault fault, CauseKind kind) {
  RecordedEvidence recorded;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const FaultPair pair = make_fault_pair(fault, Strength::kStrong, seed);
    if (!has_recorder(pair.abnormal)) continue;
    ++recorded.pairs;
    const auto comparison = compare_runs(pair.normal, pair.abnormal);
    for (const Cause& cause : comparison->causes) {
      if (cause.kind == kind) recorded.first.push_back(cause.evidence.front().text);
      recorded.all += cause.headline;
      for (const Evidence& evidence : cause.evidence) recorded.all += evidence.text;
    }
  }
  return recorded;
}

// A compositor, a neighbour of both runs and strobe itself are in the lists as well.
void expect_only_named(const RecordedEvidence& recorded, const std::string& who) {
  EXPECT_GE(recorded.pairs, 5);
  EXPECT_EQ(std::ssize(recorded.first), recorded.pairs);
  for (const std::string& text : recorded.first) EXPECT_TRUE(text.starts_with(who)) << text;
  for (const char* const other : {"Xorg", "train (2048)", "strobe (", "systemd"}) {
    EXPECT_EQ(recorded.all.find(other), std::string::npos) << other;
  }
}

TEST(FaultBattery, who_was_seen_is_named_first_and_nobody_else) {
  expect_only_named(recorded_evidence(Fault::kComputeTenant, CauseKind::kOtherTenant),
                    "python3 (7077) used ");
  expect_only_named(recorded_evidence(Fault::kCoreContention, CauseKind::kHostContention),
                    "stress (901) used ");
}

TEST(FaultBattery, the_devices_own_reason_is_told_first) {
  for (const auto& [fault, reason] :
       {std::pair(Fault::kPowerCap, "power cap"), std::pair(Fault::kHeat, "heat")}) {
    for (const std::string& text : recorded_evidence(fault, CauseKind::kClockDrop).first) {
      EXPECT_TRUE(
          text.starts_with(fmt::format("the device limits its clock ({}: in 0 -> ", reason)))
          << text;
    }
  }
}

}  // namespace
}  // namespace strobe::compare

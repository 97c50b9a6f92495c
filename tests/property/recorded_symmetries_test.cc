#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/recorded_pairs.h"

// What must not matter to the answer: which run is called normal, in which order the cycles stand,
// how long a second is.
namespace strobe::compare {
namespace {

// Each is compared twice: a third of them takes long enough.
std::vector<RecordedPair> every_third_pair() {
  std::vector<RecordedPair> pairs;
  const std::vector<RecordedPair> all = recorded_pairs();
  for (std::size_t i = 0; i < all.size(); i += 3) pairs.push_back(all[i]);
  return pairs;
}

Comparison judged_pair(const RecordedPair& pair) {
  return judged_sides(recorded_run(pair.normal), recorded_run(pair.abnormal));
}

void expect_same_number(double a, double b, const std::string& what) {
  if (std::isinf(a) || std::isnan(a)) {
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << what << ": " << a << " and " << b;
  } else {
    EXPECT_NEAR(a, b, 1e-9 * std::max(1.0, std::abs(a))) << what;
  }
}

// A run against itself.

TEST(RecordedSymmetry, no_run_differs_from_itself_in_anything) {
  for (const auto& file : std::filesystem::recursive_directory_iterator(kRecordedRuns)) {
    if (!file.is_regular_file()) continue;
    SCOPED_TRACE(file.path().string());
    const SideFacts& run = recorded_run(file.path());
    const Comparison comparison = judged_sides(run, run);
    EXPECT_EQ(comparison.answer, Answer::kNoChange);
    EXPECT_TRUE(comparison.causes.empty());
    for (const CycleRow& row : comparison.cycles) {
      EXPECT_EQ(row.ms.core_difference(), 0);
      EXPECT_LE(row.shown().low, 0);
      EXPECT_GE(row.shown().high, 0);
    }
    for (const FunctionRow& row : comparison.functions) {
      EXPECT_EQ(row.verdict, Verdict::kSame) << row.key.name;
    }
    for (const MetricRow& row : comparison.metrics) {
      EXPECT_FALSE(row.all.q < kSignificant) << row.metric;
    }
  }
}

// Sides swapped.

Answer mirrored(Answer answer) {
  if (answer == Answer::kSlower) return Answer::kFaster;
  return answer == Answer::kFaster ? Answer::kSlower : answer;
}

void expect_mirrored(const stats::Shift& shift, const stats::Shift& swapped) {
  expect_same_number(swapped.shift, -shift.shift, "shift");
  expect_same_number(swapped.low, -shift.high, "low end");
  expect_same_number(swapped.high, -shift.low, "high end");
}

TEST(RecordedSymmetry, swapped_runs_are_faster_where_they_were_slower) {
  for (const RecordedPair& pair : every_third_pair()) {
    SCOPED_TRACE(pair.name());
    const Comparison comparison = judged_pair(pair);
    const Comparison swapped = judged_pair({pair.abnormal, pair.normal});
    const CycleRow& row = comparison.cycles.front();
    const CycleRow& swapped_row = swapped.cycles.front();
    expect_mirrored(row.ms.shift, swapped_row.ms.shift);
    expect_mirrored(row.ms.core_shift, swapped_row.ms.core_shift);
    expect_same_number(swapped_row.ms.rank.p, row.ms.rank.p, "p");
    // What equal runs differ by is a part of the normal cycle, and that is the other one now. What
    // was added without making the cycle longer has no name where it is missing.
    const bool is_within_noise = swapped.noise.covers(swapped_row);
    const bool stays = swapped.answer == Answer::kNoChange || swapped.answer == Answer::kShifted;
    if (comparison.answer == Answer::kNoChange || comparison.answer == Answer::kShifted) {
      EXPECT_TRUE(stays) << said_of(comparison) << " became " << said_of(swapped);
    } else if (swapped.answer != Answer::kUnclear || !is_within_noise) {
      EXPECT_EQ(swapped.answer, mirrored(comparison.answer))
          << said_of(comparison) << " became " << said_of(swapped);
    }
  }
}

// Cycles in another order.

template <class Value>
void rearrange(std::vector<Value>& values, const std::vector<std::size_t>& order) {
  if (values.size() != order.size()) return;  // a vector without values
  std::vector<Value> rearranged;
  for (const std::size_t place : order) rearranged.push_back(values[place]);
  values = std::move(rearranged);
}

// The same cycles, one after the other.
void rearrange_cycles(std::vector<analysis::Cycle>& cycles, const std::vector<std::size_t>& order) {
  std::int64_t start_ns = cycles.front().interval.start_ns;
  rearrange(cycles, order);
  for (analysis::Cycle& cycle : cycles) {
    const std::int64_t end_ns = start_ns + cycle.interval.length_ns();
    cycle.interval = {start_ns, end_ns};
    start_ns = end_ns;
  }
}

SideFacts shuffled(SideFacts side, std::mt19937& dice) {
  for (RankMeasure& rank : side.ranks) {
    std::vector<std::size_t> order(rank.cycles.cycles.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[dice() % i]);
    rearrange_cycles(rank.cycles.cycles, order);
    for (FunctionCycles& one : rank.functions) {
      for (auto* times : {&one.time_ns, &one.covered_ns, &one.copied_bytes, &one.launched_ns}) {
        rearrange(*times, order);
      }
      rearrange(one.calls, order);
      rearrange(one.launched_calls, order);
    }
    for (DeviceCycles& one : rank.devices) {
      rearrange(one.busy_ns, order);
      rearrange(one.slices, order);
      rearrange(one.is_partial, order);
      rearrange(one.launched_ns, order);
    }
    for (SeriesCycles& one : rank.series) {
      rearrange(one.mean, order);
      rearrange(one.busy_mean, order);
      rearrange(one.sample_of, order);
    }
    for (IdleCycles& one : rank.idle) rearrange(one.idle_ns, order);
    for (LaunchCycles& one : rank.launches) {
      rearrange(one.median_delay_ns, order);
      rearrange(one.mean_queue, order);
    }
  }
  return side;
}

// All that does not look at neighbours.
void expect_same_without_order(const Change& change, const Change& other, const std::string& what) {
  expect_same_number(other.normal.mean, change.normal.mean, what + ": mean");
  expect_same_number(other.abnormal.mean, change.abnormal.mean, what + ": mean");
  expect_same_number(other.normal_median, change.normal_median, what + ": median");
  expect_same_number(other.abnormal_median, change.abnormal_median, what + ": median");
  expect_same_number(other.welch.p, change.welch.p, what + ": Welch's p");
  expect_same_number(other.rank.p, change.rank.p, what + ": p");
  expect_same_number(other.cliffs_delta, change.cliffs_delta, what + ": delta");
  expect_same_number(other.shift.shift, change.shift.shift, what + ": shift");
}

void expect_same_rows_without_order(const Comparison& comparison, const Comparison& other) {
  ASSERT_EQ(other.functions.size(), comparison.functions.size());
  std::map<std::pair<FunctionKey, analysis::CycleType>, const FunctionRow*> rows;
  for (const FunctionRow& row : other.functions) rows[{row.key, row.type}] = &row;
  for (const FunctionRow& row : comparison.functions) {
    const auto found = rows.find({row.key, row.type});
    ASSERT_NE(found, rows.end()) << row.key.name;
    const FunctionRow& same = *found->second;
    expect_same_without_order(row.ms, same.ms, row.key.name);
    expect_same_without_order(row.beta, same.beta, row.key.name);
    expect_same_number(same.calls_normal, row.calls_normal, row.key.name + ": calls");
    expect_same_number(same.calls_abnormal, row.calls_abnormal, row.key.name + ": calls");
    expect_same_number(same.beta.q, row.beta.q, row.key.name + ": q");
  }
  ASSERT_EQ(other.metrics.size(), comparison.metrics.size());
  for (std::size_t i = 0; i < other.metrics.size(); ++i) {
    expect_same_without_order(comparison.metrics[i].all, other.metrics[i].all,
                              comparison.metrics[i].metric);
  }
}

// In another order a drift is gone, so neighbours no longer resemble each other and the same
// difference is surer: an interval may become narrower, and "unclear" or "no change" become more.
// The means of stretches move inside their intervals. Nothing that was said before is taken back,
// but new code of the host: only times tell it, and where the kernels are surely slower as well, it
// may not be the reason.
TEST(RecordedSymmetry, the_order_of_cycles_tells_how_sure_an_answer_is_and_nothing_else) {
  std::mt19937 dice(7);
  for (const RecordedPair& pair : every_third_pair()) {
    SCOPED_TRACE(pair.name());
    const Comparison comparison = judged_pair(pair);
    const Comparison other = judged_sides(shuffled(recorded_run(pair.normal), dice),
                                          shuffled(recorded_run(pair.abnormal), dice));
    expect_same_without_order(comparison.cycles.front().ms, other.cycles.front().ms, "cycle");
    expect_same_rows_without_order(comparison, other);
    const stats::Shift& was = comparison.cycles.front().ms.core_shift;
    const stats::Shift& is = other.cycles.front().ms.core_shift;
    EXPECT_TRUE(is.low <= was.high && was.low <= is.high);
    if (comparison.answer == Answer::kSlower || comparison.answer == Answer::kFaster) {
      EXPECT_EQ(other.answer, comparison.answer) << said_of(other);
    }
    Said told = said_of(comparison);
    const Said now = said_of(other);
    told.causes.erase(CauseKind::kLaunchBound);
    EXPECT_TRUE(std::ranges::includes(now.causes, told.causes)) << told << " became " << now;
  }
}

// A slower machine.

void scale(std::vector<std::int64_t>& times_ns, double factor) {
  for (std::int64_t& time_ns : times_ns) {
    time_ns = std::llround(static_cast<double>(time_ns) * factor);
  }
}

SideFacts scaled(SideFacts side, double factor) {
  const auto stretch = [&](std::int64_t& time_ns) {
    time_ns = std::llround(static_cast<double>(time_ns) * factor);
  };
  for (RankMeasure& rank : side.ranks) {
    for (analysis::Cycle& cycle : rank.cycles.cycles) {
      stretch(cycle.interval.start_ns);
      stretch(cycle.interval.end_ns);
    }
    for (FunctionCycles& one : rank.functions) {
      for (auto* times : {&one.time_ns, &one.covered_ns, &one.launched_ns}) scale(*times, factor);
    }
    for (DeviceCycles& one : rank.devices) {
      scale(one.busy_ns, factor);
      scale(one.launched_ns, factor);
      stretch(one.overhang_ns);
    }
    for (IdleCycles& one : rank.idle) scale(one.idle_ns, factor);
    for (LaunchCycles& one : rank.launches) {
      for (double& delay_ns : one.median_delay_ns) delay_ns *= factor;
    }
  }
  return side;
}

// All thresholds on times are parts of a cycle.
TEST(RecordedSymmetry, a_slower_machine_gives_the_same_answers) {
  std::mt19937 dice(7);
  for (const RecordedPair& pair : every_third_pair()) {
    SCOPED_TRACE(pair.name());
    const double factor = dice() % 2 == 0 ? 0.1 : 10;
    EXPECT_EQ(said_of(judged_sides(scaled(recorded_run(pair.normal), factor),
                                   scaled(recorded_run(pair.abnormal), factor))),
              said_of(judged_pair(pair)))
        << "all times x " << factor;
  }
}

}  // namespace
}  // namespace strobe::compare

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/judge/cell_verdict.h"
#include "strobe/stats/dice.h"
#include "tests/support/bench_sketch.h"

namespace strobe::bench {
namespace {

// Times in single precision, of a clock that ticks every 32 ns.
std::vector<double> ticking(double from_us, int ticks, std::size_t n) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < n; ++i) {
    const auto tick = static_cast<double>(i % static_cast<std::size_t>(ticks));
    samples.push_back(static_cast<float>(from_us + 0.032 * tick));
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

TEST(TimeStep, a_ticking_clock_shows_its_step) {
  EXPECT_NEAR(time_step(ticking(2.56, 4, 100)), 0.032, 1e-5);
}

TEST(TimeStep, continuous_times_have_none) {
  stats::Dice dice(1);
  std::vector<double> samples;
  for (int i = 0; i < 500; ++i) samples.push_back(2.5 + 0.1 * dice.share());
  std::sort(samples.begin(), samples.end());
  EXPECT_EQ(time_step(samples), 0);
}

TEST(TimeStep, a_step_that_is_nothing_beside_the_time_is_none) {
  EXPECT_EQ(time_step(ticking(100, 4, 100)), 0);
}

TEST(TimeStep, two_modes_and_a_constant_are_no_steps) {
  std::vector<double> modes(50, 100.0);
  modes.insert(modes.end(), 50, 104.0);
  EXPECT_EQ(time_step(modes), 0);
  EXPECT_EQ(time_step(std::vector<double>(100, 3)), 0);
}

TEST(TimeStep, gaps_that_share_no_step_are_none) {
  std::vector<double> samples;
  for (int i = 0; i < 30; ++i) samples.insert(samples.end(), {2.0, 2.03, 2.047});
  std::sort(samples.begin(), samples.end());
  EXPECT_EQ(time_step(samples), 0);
}

TEST(TimeStep, few_samples_tell_no_step) {
  EXPECT_EQ(time_step(ticking(2.56, 3, 19)), 0);
  EXPECT_EQ(time_step({}), 0);
}

using ::testing::HasSubstr;

const Cell kCell = {"softmax", {{4096, 4096}}, DType::kF32, "cuda-fused"};

CellRecord record(double us, double spread, std::size_t n, std::uint64_t seed) {
  stats::Dice dice(seed);
  return noisy_cell(kCell, us, n, {.spread = spread, .interrupted = 0.01}, dice);
}

CellDiff judged(const CellRecord& before, const CellRecord& after) {
  return judge_cell(before, after, {}).diff;
}

TEST(CellVerdict, a_clear_change_is_named_by_its_direction) {
  const CellRecord before = record(100, 0.01, 500, 1);
  const CellRecord after = record(105, 0.01, 500, 2);
  EXPECT_EQ(judged(before, after).verdict, CellVerdict::kSlower);
  EXPECT_EQ(judged(after, before).verdict, CellVerdict::kFaster);
  EXPECT_NEAR(judged(before, after).ratio, 1.05, 0.004);
  EXPECT_EQ(judged(before, after).source, RatioSource::kSamples);
}

TEST(CellVerdict, the_same_law_twice_is_the_same) {
  const CellDiff diff = judged(record(100, 0.01, 500, 1), record(100, 0.01, 500, 2));
  EXPECT_EQ(diff.verdict, CellVerdict::kSame);
  EXPECT_TRUE(diff.reason.empty());
}

TEST(CellVerdict, one_measurement_compared_with_itself_is_the_same_however_noisy) {
  const CellRecord noisy = record(100, 0.3, 20, 1);
  EXPECT_EQ(judged(noisy, noisy).verdict, CellVerdict::kSame);
  CellRecord single = record(100, 0.3, 1, 1);
  EXPECT_EQ(judged(single, single).verdict, CellVerdict::kSame);
}

TEST(CellVerdict, a_wide_interval_is_unclear_and_tells_how_to_narrow_it) {
  const CellDiff diff = judged(record(100, 0.08, 60, 1), record(100, 0.08, 60, 2));
  EXPECT_EQ(diff.verdict, CellVerdict::kUnclear);
  EXPECT_THAT(diff.reason, HasSubstr("neither inside ±1 % nor outside"));
  EXPECT_THAT(diff.advice, HasSubstr("--stop median:0.3%"));
}

TEST(CellVerdict, more_samples_are_not_advised_if_they_would_take_too_long) {
  CellRecord before = record(100, 1.0, 60, 1);
  before.flags = {CellFlag::kNoisy};
  const CellDiff diff = judged(before, record(100, 1.0, 60, 2));
  EXPECT_EQ(diff.advice,
            "the cell is noisy: measure both again on a quiet machine and with a steady clock");
}

// Some of the calls wait for other work: less than half in one run, more in the other.
TEST(CellVerdict, a_noisy_cell_of_which_most_calls_take_as_long_has_met_other_load) {
  const auto disturbed = [](double us, double waiting, std::uint64_t seed) {
    stats::Dice dice(seed);
    std::vector<double> samples;
    for (int i = 0; i < 200; ++i) {
      samples.push_back(us * (1 + 0.002 * dice.share()) * (dice.share() < waiting ? 3 : 1));
    }
    CellRecord record = noisy_cell(kCell, us, 6, {}, dice);
    record.times[TimeMode::kDevice] = summarise(std::move(samples));
    record.flags = {CellFlag::kNoisy};
    return record;
  };
  const CellDiff diff = judged(disturbed(100, 0.3, 1), disturbed(100, 0.7, 2));
  EXPECT_EQ(diff.verdict, CellVerdict::kUnclear);
  EXPECT_THAT(diff.reason, HasSubstr(" %, but the cell is noisy: three fifths of its calls took"));
  // A cell slower than all the waiting is slower.
  EXPECT_EQ(judged(disturbed(100, 0.3, 1), disturbed(400, 0.7, 2)).verdict, CellVerdict::kSlower);
}

// As seen on an H200: a third of the calls in one group, the others 1.8 % above, and an interval of
// the median that touches both.
TEST(CellVerdict, two_heaps_that_lie_where_they_lay_are_the_same) {
  const auto heaps = [](double shift, std::size_t n) {
    CellRecord record = sketched_cell("softmax", {{4096, 4096}}, "cuda-fused", 62.4);
    record.times[TimeMode::kDevice] = {.p50 = 62.4 * shift,
                                       .p20 = 61.2 * shift,
                                       .p80 = 62.6 * shift,
                                       .min = 60.9 * shift,
                                       .mad = 0.4,
                                       .n = n,
                                       .ci95 = {61.4 * shift, 62.5 * shift}};
    return record;
  };
  const CellRecord before = heaps(1, 2000);
  EXPECT_EQ(judged(before, heaps(1.002, 700)).verdict, CellVerdict::kSame);
  EXPECT_EQ(judged(before, heaps(1.008, 700)).verdict, CellVerdict::kUnclear);
  EXPECT_EQ(judged(before, heaps(1.05, 700)).verdict, CellVerdict::kSlower);
  EXPECT_EQ(judged(before, heaps(1.002, 100)).verdict, CellVerdict::kUnclear);
  CellRecord wider = heaps(1.002, 700);
  wider.times[TimeMode::kDevice].p80 = 64;
  EXPECT_EQ(judged(before, wider).verdict, CellVerdict::kUnclear);
}

TEST(CellVerdict, of_a_noisy_cell_the_advice_counts_the_samples) {
  CellRecord before = record(100, 0.08, 60, 1);
  before.flags = {CellFlag::kNoisy};
  const CellDiff diff = judged(before, record(100, 0.08, 60, 2));
  EXPECT_THAT(diff.advice, HasSubstr("times the samples (--stop samples:"));
}

TEST(CellVerdict, five_samples_cannot_tell) {
  const CellDiff diff = judged(record(100, 0.001, 5, 1), record(200, 0.001, 500, 2));
  EXPECT_EQ(diff.verdict, CellVerdict::kUnclear);
  EXPECT_THAT(diff.reason, HasSubstr("5 samples have no 95 % interval"));
}

TEST(CellVerdict, without_samples_the_intervals_speak_and_it_says_so) {
  const CellRecord before = sketched_cell("softmax", {{4096, 4096}}, "cuda-fused", 100);
  const CellRecord after = sketched_cell("softmax", {{4096, 4096}}, "cuda-fused", 104);
  const CellDiff diff = judged(before, after);
  EXPECT_EQ(diff.verdict, CellVerdict::kSlower);
  EXPECT_EQ(diff.source, RatioSource::kIntervals);
  // Both known to 0.2 %: the ratio to 0.2 sqrt(2) = 0.28 %.
  EXPECT_NEAR(diff.ratio_ci95[0], 1.04 * (1 - 0.0028), 1e-4);
  CellRecord bare = after;
  bare.times[TimeMode::kDevice].ci95 = {0, 0};
  EXPECT_EQ(judged(before, bare).verdict, CellVerdict::kUnclear);
  EXPECT_THAT(judged(before, bare).advice, HasSubstr("--samples"));
}

TEST(CellVerdict, a_throttled_side_gives_no_verdict_of_a_change) {
  CellRecord after = record(130, 0.01, 500, 2);
  after.flags = {CellFlag::kThrottled};
  const CellDiff diff = judged(record(100, 0.01, 500, 1), after);
  EXPECT_EQ(diff.verdict, CellVerdict::kUnclear);
  EXPECT_THAT(diff.reason, HasSubstr("the second run was throttled"));
}

TEST(CellVerdict, a_change_that_the_clock_explains_is_unclear) {
  CellRecord before = record(100, 0.01, 500, 1);
  CellRecord after = record(105, 0.01, 500, 2);
  before.clocks.sm_mhz = 1980;
  after.clocks.sm_mhz = 1886;  // 1980 / 1.05
  EXPECT_EQ(judged(before, after).verdict, CellVerdict::kUnclear);
  EXPECT_THAT(judged(before, after).reason, HasSubstr("1980 MHz before and 1886 MHz after"));
  // Twenty percent is more than it explains, and a higher clock cannot explain a slower cell.
  after.times[TimeMode::kDevice] = record(120, 0.01, 500, 3).times[TimeMode::kDevice];
  EXPECT_EQ(judged(before, after).verdict, CellVerdict::kSlower);
  after.clocks.sm_mhz = 2100;
  EXPECT_EQ(judged(before, after).verdict, CellVerdict::kSlower);
}

TEST(CellVerdict, one_step_of_the_clock_is_no_change) {
  const auto ticking = [](double from_us) {
    std::vector<double> samples;
    for (int i = 0; i < 400; ++i)
      samples.push_back(from_us + 0.032 * (i % 20 == 0 ? i / 20 % 2 : 0) +
                        (i % 33 == 0 ? 0.064 : 0));
    CellRecord cell = sketched_cell("softmax", {{4096, 4096}}, "cuda-fused", 0);
    cell.times[TimeMode::kDevice] = summarise(std::move(samples));
    return cell;
  };
  const CellDiff step = judged(ticking(2.56), ticking(2.592));
  EXPECT_EQ(step.verdict, CellVerdict::kUnclear);
  EXPECT_THAT(step.reason, HasSubstr("one step of the clock (0.032 us)"));
  EXPECT_EQ(judged(ticking(2.56), ticking(2.56 + 3 * 0.032)).verdict, CellVerdict::kSlower);
}

TEST(CellVerdict, samples_that_drift_prove_no_change) {
  // Both sides drift up by 10 %; the second began later in the drift. As independent samples, 400
  // of each would make the 4 % between them certain.
  const auto climbing = [](double from_us) {
    std::vector<double> samples;
    for (int i = 0; i < 400; ++i) samples.push_back(from_us * (1 + 0.1 * i / 400));
    CellRecord cell = sketched_cell("softmax", {{4096, 4096}}, "cuda-fused", 0);
    cell.times[TimeMode::kDevice] = summarise(std::move(samples));
    return cell;
  };
  EXPECT_EQ(judged(climbing(100), climbing(104)).verdict, CellVerdict::kUnclear);
}

TEST(CellVerdict, what_has_no_time_is_not_comparable_and_broken_if_it_had_one) {
  const CellRecord ok = record(100, 0.01, 50, 1);
  const CellRecord gone =
      sketched_gap("softmax", {{4096, 4096}}, "cuda-fused", CellStatus::kOom, "asked for 16 GiB");
  EXPECT_EQ(judged(ok, gone).verdict, CellVerdict::kNotComparable);
  EXPECT_EQ(judged(ok, gone).reason, "ok before, oom after: asked for 16 GiB");
  EXPECT_TRUE(judged(ok, gone).is_broken);
  EXPECT_FALSE(judged(gone, ok).is_broken);
  CellRecord wrong = record(50, 0.01, 50, 1);
  wrong.status = CellStatus::kWrong;
  EXPECT_EQ(judged(ok, wrong).verdict,
            CellVerdict::kNotComparable);  // quick and wrong is not faster
  EXPECT_TRUE(judged(ok, wrong).is_broken);
}

TEST(CellVerdict, only_the_same_kind_of_time_is_compared) {
  const CellRecord device = record(100, 0.01, 50, 1);
  CellRecord host = record(100, 0.01, 50, 1);
  host.times[TimeMode::kCall] = host.times[TimeMode::kDevice];
  host.times.erase(TimeMode::kDevice);
  EXPECT_EQ(judged(device, host).verdict, CellVerdict::kNotComparable);
  EXPECT_EQ(judged(host, host).mode, TimeMode::kCall);
  RunDiffOptions options;
  options.mode = TimeMode::kGraph;
  EXPECT_THAT(judge_cell(device, device, options).diff.reason, HasSubstr("no graph time"));
}

TEST(CellVerdict, a_device_time_is_the_same_within_what_two_runs_of_it_lie_apart) {
  const CellRecord before = record(4, 0.01, 500, 1);
  const CellRecord after = record(4.12, 0.01, 500, 2);
  EXPECT_EQ(judged(before, after).verdict, CellVerdict::kSlower);
  const RunDiffOptions coarse = {.mode = {}, .resolution_us = 0.2};
  const CellDiff diff = judge_cell(before, after, coarse).diff;
  EXPECT_EQ(diff.verdict, CellVerdict::kSame);
  EXPECT_NEAR(diff.band, 0.01 + 0.05, 1e-3);
  EXPECT_EQ(judge_cell(before, record(4.4, 0.01, 500, 2), coarse).diff.verdict,
            CellVerdict::kSlower);
  // For long calls it is small.
  const CellDiff large =
      judge_cell(record(100, 0.01, 500, 1), record(105, 0.01, 500, 2), coarse).diff;
  EXPECT_EQ(large.verdict, CellVerdict::kSlower);
  EXPECT_NEAR(large.band, 0.01 + 0.002, 1e-4);
}

TEST(CellVerdict, at_the_edge_of_what_is_resolved_a_graph_decides) {
  const CellRecord before = record(4, 0.01, 100, 1);
  const CellDiff diff =
      judge_cell(before, record(4.24, 0.01, 100, 2), {.mode = {}, .resolution_us = 0.2}).diff;
  EXPECT_EQ(diff.verdict, CellVerdict::kUnclear);
  EXPECT_THAT(diff.reason, HasSubstr("neither inside ±6"));
  EXPECT_THAT(diff.advice, HasSubstr("`--mode graph`"));
}

TEST(CellVerdict, a_time_of_zero_has_no_ratio) {
  CellRecord zero = record(100, 0.01, 50, 1);
  zero.times[TimeMode::kDevice] = summarise(std::vector<double>(50, 0.0));
  EXPECT_EQ(judged(zero, record(100, 0.01, 50, 2)).verdict, CellVerdict::kNotComparable);
}

TEST(CellVerdict, the_chance_is_that_of_a_cell_at_the_edge_of_the_band) {
  JudgedCell cell;
  cell.diff.ratio = 1.01 * std::exp(1.96 * 0.01);
  cell.error = 0.01;
  EXPECT_NEAR(chance_of(cell), 0.025, 1e-4);
  cell.diff.ratio = 1.005;
  EXPECT_EQ(chance_of(cell), 1);
  cell.diff.ratio = 0.9;
  cell.error = 0;
  EXPECT_EQ(chance_of(cell), 0);
}

TEST(CellVerdict, the_seed_and_the_cell_alone_make_the_interval) {
  const CellRecord before = record(100, 0.02, 100, 1);
  const CellRecord after = record(101, 0.02, 100, 2);
  EXPECT_EQ(judged(before, after).ratio_ci95, judged(before, after).ratio_ci95);
  RunDiffOptions other;
  other.seed = 2;
  EXPECT_NE(judge_cell(before, after, other).diff.ratio_ci95, judged(before, after).ratio_ci95);
}

}  // namespace

}  // namespace strobe::bench

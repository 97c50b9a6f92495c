#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/judge/run_diff.h"
#include "tests/support/bench_sketch.h"
#include "tests/support/run_diff_sketch.h"

namespace strobe::bench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RunDiff, a_run_with_itself_is_the_same_throughout) {
  const BenchRun run = measured_run(100, 1);
  EXPECT_EQ(diff_of(run, run).count(CellVerdict::kSame), 100u);
}

TEST(RunDiff, one_cell_slowed_by_five_percent_is_found_alone) {
  const BenchRun before = calm_run(300, 1);
  BenchRun after = calm_run(300, 2);
  stats::Dice dice(3);
  after.cells[137] = noisy_cell(cell_number(137), 1.05 * (30 + 137 % 7), 660, {}, dice);
  const RunDiff diff = diff_of(before, after);
  EXPECT_EQ(diff.cells[137].verdict, CellVerdict::kSlower);
  EXPECT_EQ(diff.count(CellVerdict::kSlower), 1u);
  EXPECT_EQ(diff.count(CellVerdict::kFaster), 0u);
  const auto cells = caught(diff, *parse_speed_gate("slower:3%"));
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0]->cell, cell_number(137));
}

TEST(RunDiff, one_of_its_own_cells_slowed_is_the_only_one_not_the_same) {
  const BenchRun before = measured_run(100, 5);
  BenchRun after = before;
  TimeSummary& time = after.cells[40].times[TimeMode::kDevice];
  std::vector<double> slowed;
  for (const float sample : time.samples_us) slowed.push_back(1.05 * double(sample));
  time = summarise(slowed);
  const RunDiff diff = diff_of(before, after);
  EXPECT_EQ(diff.cells[40].verdict, CellVerdict::kSlower);
  EXPECT_EQ(diff.count(CellVerdict::kSame), 99u);
}

TEST(RunDiff, a_run_says_how_near_its_short_calls_can_be_told_apart) {
  BenchRun before = measured_run(2, 5);
  BenchRun after = before;
  TimeSummary& time = after.cells[1].times[TimeMode::kDevice];
  std::vector<double> slowed;
  for (const float sample : time.samples_us) slowed.push_back(1.05 * double(sample));
  time = summarise(slowed);
  EXPECT_EQ(diff_of(before, after).cells[1].verdict, CellVerdict::kSlower);
  EXPECT_EQ(diff_of(before, after).resolution_us, 0);
  before.header.floors.stream_spread = 0.06 * time.p50;
  after.header.floors.stream_spread = 0.01;
  const RunDiff diff = diff_of(before, after);
  EXPECT_EQ(diff.cells[1].verdict, CellVerdict::kSame);
  EXPECT_EQ(diff.resolution_us, 0.06 * time.p50);
  EXPECT_GT(diff.cells[1].band, 0.06);
}

// One cell of 400 is just outside by its own interval; alone it would count as changed.
TEST(RunDiff, what_chance_gives_one_of_many_cells_is_not_believed) {
  BenchRun before;
  BenchRun after;
  for (std::size_t i = 0; i < 400; ++i) {
    CellRecord record = sketched_cell("softmax", cell_number(i).shape, "cuda-fused", 100);
    record.times[TimeMode::kDevice].ci95 = {98, 102};
    before.cells.push_back(record);
    // Error of the ratio 2 sqrt(2) / 1.96 = 1.44 %: 4.5 % is 2.4 errors beyond the band.
    if (i == 7)
      record.times[TimeMode::kDevice] = {.p50 = 104.5,
                                         .p20 = 100,
                                         .p80 = 110,
                                         .min = 98,
                                         .mad = 1,
                                         .n = 40,
                                         .ci95 = {102.4, 106.6}};
    after.cells.push_back(record);
  }
  const RunDiff many = diff_of(before, after);
  EXPECT_EQ(many.cells[7].verdict, CellVerdict::kUnclear);
  EXPECT_THAT(many.cells[7].reason, HasSubstr("may be chance among 400 cells"));
  before.cells = {before.cells[7]};
  after.cells = {after.cells[7]};
  EXPECT_EQ(diff_of(before, after).cells[0].verdict, CellVerdict::kSlower);
}

TEST(RunDiff, a_partial_overlap_is_compared_and_counted) {
  BenchRun before = calm_run(5, 1);
  BenchRun after = calm_run(7, 2);
  before.cells.erase(before.cells.begin());
  before.cells.push_back(sketched_cell("layernorm", {{1, 1}}, "cpu", 3));
  const RunDiff diff = diff_of(before, after);
  EXPECT_EQ(diff.cells.size(), 4u);
  EXPECT_EQ(diff.only_before, 1u);
  EXPECT_EQ(diff.only_after, 3u);
}

TEST(RunDiff, runs_without_a_common_cell_cannot_be_compared) {
  BenchRun other;
  other.cells = {sketched_cell("layernorm", {{1, 1}}, "cpu", 3)};
  const auto diff = diff_runs(calm_run(2, 1), other, {});
  ASSERT_FALSE(diff);
  EXPECT_EQ(diff.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(diff.error().hint, HasSubstr("layernorm 1x1 f32 cpu"));
  EXPECT_FALSE(diff_runs({}, {}, {}));
}

TEST(RunDiff, another_cache_is_refused_unless_forced) {
  const BenchRun before = calm_run(2, 1);
  BenchRun after = before;
  after.header.method.flush = "hot";
  const auto refused = diff_runs(before, after, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(refused.error().what, HasSubstr("cold before, hot after"));
  RunDiffOptions forced;
  forced.is_forced = true;
  EXPECT_THAT(diff_of(before, after, forced).warnings,
              Contains(HasSubstr("the cache states differ")));
}

TEST(RunDiff, a_queue_that_was_not_held_is_refused_unless_forced) {
  const BenchRun before = calm_run(2, 1);
  BenchRun after = before;
  after.header.method.hold = Hold::kNone;
  const auto refused = diff_runs(before, after, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(refused.error().what,
              HasSubstr("held for each call in the first run and not held in the second"));
  EXPECT_THAT(refused.error().hint, HasSubstr("--profile"));
  RunDiffOptions forced;
  forced.is_forced = true;
  EXPECT_THAT(diff_of(before, after, forced).warnings,
              Contains("the queues differ: held for each call before, not held after"));
  EXPECT_TRUE(diff_runs(after, after, {}));
}

TEST(RunDiff, calls_behind_each_other_are_refused_beside_single_ones_unless_all_is_the_hosts) {
  BenchRun before = calm_run(2, 1);
  BenchRun after = before;
  before.header.method.hold = Hold::kCalls;
  const auto refused = diff_runs(before, after, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("short calls take longer in one of them"));
  EXPECT_THAT(refused.error().hint, HasSubstr("measure the older one again"));
  for (BenchRun* run : {&before, &after}) run->header.method.modes = {TimeMode::kGraph};
  EXPECT_FALSE(diff_runs(before, after, {}));
  for (BenchRun* run : {&before, &after}) run->header.method.modes = {TimeMode::kCpu};
  EXPECT_THAT(diff_of(before, after).warnings, IsEmpty());
}

TEST(RunDiff, other_circumstances_are_warned_about) {
  BenchRun before = calm_run(1, 1);
  BenchRun after = before;
  EXPECT_THAT(diff_of(before, after).warnings, IsEmpty());
  before.header.device = "NVIDIA H200";
  before.header.libraries = {{"nvrtc", "12.8"}};
  after.header.libraries = {{"nvrtc", "13.0"}};
  after.header.method.stop = "samples:100";
  const auto warnings = diff_of(before, after).warnings;
  EXPECT_THAT(warnings, Contains("the devices differ: NVIDIA H200 before, unknown after"));
  EXPECT_THAT(warnings, Contains("the nvrtc versions differ: 12.8 before, 13.0 after"));
  EXPECT_THAT(warnings, Contains("the stop rules differ: median:0.5% before, samples:100 after"));
}

TEST(RunDiff, the_mean_ratio_is_geometric_and_of_comparable_cells) {
  BenchRun before;
  BenchRun after;
  for (const double ratio : {2.0, 0.5, 1.0}) {
    const Cell cell = cell_number(before.cells.size());
    before.cells.push_back(sketched_cell("softmax", cell.shape, "cuda-fused", 100));
    after.cells.push_back(sketched_cell("softmax", cell.shape, "cuda-fused", 100 * ratio));
  }
  before.cells.push_back(sketched_cell("softmax", {{9, 9}}, "cuda-fused", 100));
  after.cells.push_back(sketched_gap("softmax", {{9, 9}}, "cuda-fused", CellStatus::kOom));
  const RunDiff diff = diff_of(before, after);
  EXPECT_EQ(diff.compared(), 3u);
  EXPECT_EQ(diff.broken(), 1u);
  EXPECT_NEAR(diff.mean_ratio(), 1, 1e-12);
}

TEST(RunDiff, a_cell_measured_twice_counts_as_it_was_last) {
  BenchRun before = calm_run(1, 1);
  BenchRun after = before;
  after.cells.insert(after.cells.begin(), 2,
                     sketched_cell("softmax", cell_number(0).shape, "cuda-fused", 900));
  const RunDiff diff = diff_of(before, after);
  ASSERT_EQ(diff.cells.size(), 1u);
  EXPECT_EQ(diff.cells[0].verdict, CellVerdict::kSame);
  EXPECT_THAT(diff.warnings, Contains(HasSubstr("has 1 cell more than once")));
}

RunDiff diff_of(CellVerdict verdict, double low, double high) {
  RunDiff diff;
  CellDiff& cell = diff.cells.emplace_back();
  cell.verdict = verdict;
  cell.ratio = (low + high) / 2;
  cell.ratio_ci95 = {low, high};
  return diff;
}

TEST(SpeedGate, what_is_typed_is_understood) {
  const auto gate = parse_speed_gate("slower:3%");
  ASSERT_TRUE(gate);
  EXPECT_EQ(gate->verdict, CellVerdict::kSlower);
  EXPECT_DOUBLE_EQ(gate->by, 0.03);
  EXPECT_EQ(parse_speed_gate("slower")->by, 0);
  EXPECT_EQ(parse_speed_gate("faster:2.5%")->verdict, CellVerdict::kFaster);
  EXPECT_EQ(parse_speed_gate("broken")->verdict, CellVerdict::kNotComparable);
}

TEST(SpeedGate, nonsense_is_a_wrong_command_line_that_shows_the_gates) {
  for (const char* text : {"", "slow", "slower:", "slower:3", "slower:-3%", "slower:nan%",
                           "slower:3%%", "broken:3%", "faster:100%", "slower:x%"}) {
    const auto gate = parse_speed_gate(text);
    ASSERT_FALSE(gate) << text;
    EXPECT_EQ(gate.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(gate.error().hint, ::testing::HasSubstr("slower:3%"));
  }
}

TEST(SpeedGate, the_interval_and_not_the_estimate_must_lie_beyond_it) {
  const SpeedGate gate = *parse_speed_gate("slower:3%");
  EXPECT_EQ(caught(diff_of(CellVerdict::kSlower, 1.031, 1.05), gate).size(), 1u);
  EXPECT_TRUE(caught(diff_of(CellVerdict::kSlower, 1.029, 1.09), gate).empty());
}

TEST(SpeedGate, only_a_verdict_is_caught) {
  const SpeedGate gate = *parse_speed_gate("slower:3%");
  EXPECT_TRUE(caught(diff_of(CellVerdict::kUnclear, 1.05, 1.09), gate).empty());
  EXPECT_TRUE(caught(diff_of(CellVerdict::kFaster, 0.9, 0.92), gate).empty());
  EXPECT_EQ(caught(diff_of(CellVerdict::kFaster, 0.9, 0.92), *parse_speed_gate("faster:7%")).size(),
            1u);
}

TEST(SpeedGate, broken_catches_what_lost_its_time) {
  RunDiff diff = diff_of(CellVerdict::kNotComparable, 1, 1);
  EXPECT_TRUE(caught(diff, *parse_speed_gate("broken")).empty());  // had none before either
  diff.cells[0].is_broken = true;
  EXPECT_EQ(caught(diff, *parse_speed_gate("broken")).size(), 1u);
  EXPECT_TRUE(caught(diff, *parse_speed_gate("slower")).empty());
}

}  // namespace

}  // namespace strobe::bench

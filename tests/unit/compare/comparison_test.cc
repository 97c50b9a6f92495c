#include "strobe/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/side_sketch.h"
#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

using namespace literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::vector<double> kTen(5, 10);

Comparison compared(const SideSketch& normal, const SideSketch& abnormal, More<SideFacts> more = {},
                    const CompareOptions& options = {}) {
  auto comparison = compare_measures(normal.side(), abnormal.side(), std::move(more), options);
  EXPECT_TRUE(comparison) << comparison.error().what;
  return std::move(comparison).value();
}

const FunctionRow& row_of(const Comparison& comparison, const std::string& name) {
  for (const FunctionRow& row : comparison.functions) {
    if (row.key.name == name) return row;
  }
  ADD_FAILURE() << "no row " << name;
  static const FunctionRow kNone;
  return kNone;
}

// 2 of 10 ms against 4 of 10: 20 % against 40 %, one call each.
TEST(ComparisonTest, a_slower_kernel_has_changed) {
  SideSketch normal("normal", kTen);
  normal.device("GPU 0").function("gemm", {2, 2.1, 2, 1.9, 2});
  SideSketch abnormal("abnormal", kTen);
  abnormal.device("GPU 0").function("gemm", {4, 4.1, 4, 3.9, 4});
  const Comparison comparison = compared(normal, abnormal);
  ASSERT_EQ(comparison.functions.size(), 1u);
  const FunctionRow& row = comparison.functions[0];
  EXPECT_NEAR(row.beta.normal.mean, 20, 1e-12);
  EXPECT_NEAR(row.beta.abnormal.mean, 40, 1e-12);
  EXPECT_NEAR(row.impact_ms(), 2, 1e-12);
  EXPECT_NEAR(row.call_slowdown(), 2, 1e-12);
  EXPECT_EQ(row.verdict, Verdict::kChanged);
  EXPECT_TRUE(std::isnan(row.between_runs_p));
  EXPECT_THAT(row.ms_per_cycle_normal, ElementsAre(2, 2.1, 2, 1.9, 2));
}

TEST(ComparisonTest, a_function_of_one_run_has_observed_zeros_in_the_other) {
  SideSketch normal("normal", kTen);
  normal.device("GPU 0").function("old", {2, 2, 2, 2, 2});
  SideSketch abnormal("abnormal", kTen);
  abnormal.device("GPU 0").function("young", {3, 3, 3, 3, 3});
  const Comparison comparison = compared(normal, abnormal);
  EXPECT_EQ(row_of(comparison, "old").verdict, Verdict::kVanished);
  EXPECT_EQ(row_of(comparison, "old").beta.abnormal.n, 5u);
  EXPECT_EQ(row_of(comparison, "old").beta.abnormal.mean, 0);
  EXPECT_EQ(row_of(comparison, "young").verdict, Verdict::kNew);
  EXPECT_TRUE(std::isnan(row_of(comparison, "young").call_slowdown()));
}

TEST(ComparisonTest, partial_cycles_of_a_device_do_not_count_there) {
  SideSketch normal("normal", kTen);
  normal.function("oncpu", {5, 5, 5, 5, 5}, FunctionKind::kScheduling);
  normal.device("GPU 0").function("gemm", {0.5, 2, 2, 2, 2}).partial(0);
  const Comparison comparison = compared(normal, normal);
  EXPECT_EQ(row_of(comparison, "gemm").beta.normal.n, 4u);
  EXPECT_NEAR(row_of(comparison, "gemm").beta.normal.mean, 20, 1e-12);
  EXPECT_EQ(row_of(comparison, "oncpu").beta.normal.n, 5u);
  EXPECT_EQ(comparison.cycles[0].ms.normal.n, 5u) << "the cycle itself was whole";
  EXPECT_THAT(comparison.quality,
              Contains(HasSubstr("normal: 1 of 5 cycles left out on GPU 0: 1 (cycle 1")));
}

TEST(ComparisonTest, a_function_that_only_ran_in_cycles_left_out_has_no_row) {
  SideSketch normal("normal", kTen);
  normal.device("GPU 0").function("warm up", {5, 0, 0, 0, 0}).partial(0);
  EXPECT_THAT(compared(normal, normal).functions, IsEmpty());
}

TEST(ComparisonTest, a_cycle_without_samples_counts_for_time_and_not_for_the_metric) {
  const double none = std::nan("");
  SideSketch normal("normal", kTen);
  normal.device("GPU 0").function("gemm", {2, 2.1, 2, 1.9, 2}).metric("clock", {9, 9, none, 9, 9});
  SideSketch abnormal("abnormal", kTen);
  abnormal.device("GPU 0").function("gemm", {4, 4, 4, 4, 4}).metric("clock", {5, 5, 5, 5, 5});
  const Comparison comparison = compared(normal, abnormal);
  ASSERT_EQ(comparison.triplets.size(), 1u);
  const TripletRow& row = comparison.triplets[0];
  EXPECT_EQ(row.mu.normal.n, 4u);
  EXPECT_EQ(row.mu.normal.mean, 9);
  EXPECT_DOUBLE_EQ(row.log_mu.abnormal.mean, std::log1p(5.0));
  EXPECT_DOUBLE_EQ(row.coverage_normal, 0.8);
  EXPECT_EQ(comparison.functions[0].beta.normal.n, 5u);
  ASSERT_EQ(comparison.metrics.size(), 1u);
  EXPECT_EQ(comparison.metrics[0].busy.abnormal.mean, 5);
}

// Sixteen cycles with a clock that falls by half, read from `samples` samples.
SideSketch sampled_clock(const char* label, double clock, std::size_t samples) {
  SideSketch sketch(label, std::vector<double>(16, 10));
  std::vector<double> values;
  for (std::size_t cycle = 0; cycle < 16; ++cycle) {
    values.push_back(clock + static_cast<double>(cycle % 3));
  }
  sketch.device("GPU 0").function("gemm", std::vector<double>(16, 2)).metric("clock", values);
  for (std::size_t cycle = 0; cycle < 16; ++cycle) {
    sketch.measure().series.back().sample_of.push_back(cycle * samples / 16);
  }
  return sketch;
}

TEST(ComparisonTest, cycles_that_share_a_sample_are_one_observation_of_a_metric) {
  const Comparison comparison =
      compared(sampled_clock("normal", 1980, 2), sampled_clock("abnormal", 990, 3));
  ASSERT_EQ(comparison.metrics.size(), 1u);
  const MetricRow& row = comparison.metrics[0];
  for (const MetricTime time : {MetricTime::kCycle, MetricTime::kBusy}) {
    EXPECT_TRUE(row.shares_samples(time));
    EXPECT_EQ(row.tested(time).normal.n, 2u);
    EXPECT_EQ(row.tested(time).abnormal.n, 3u);
    EXPECT_TRUE(row.tested(time).too_few);
    EXPECT_TRUE(std::isnan(row.tested(time).q));
    EXPECT_FALSE(std::isfinite(row.tested(time).shift.low));
  }
  EXPECT_EQ(row.all.normal.n, 16u) << "rules still see the cycles";
  EXPECT_TRUE(std::isnan(row.all.q)) << "which are not tested";
  ASSERT_EQ(comparison.triplets.size(), 1u);
  EXPECT_EQ(comparison.triplets[0].tested().abnormal.n, 3u);
  EXPECT_TRUE(std::isnan(comparison.triplets[0].tested().q));
  EXPECT_EQ(comparison.triplets[0].mu.normal.n, 16u);
}

TEST(ComparisonTest, enough_samples_are_tested_and_those_of_every_cycle_as_before) {
  const Comparison slow =
      compared(sampled_clock("normal", 1980, 8), sampled_clock("abnormal", 990, 8));
  EXPECT_EQ(slow.metrics[0].tested(MetricTime::kBusy).normal.n, 8u);
  EXPECT_LT(slow.metrics[0].tested(MetricTime::kBusy).q, 0.05);
  EXPECT_LT(slow.triplets[0].tested().q, 0.05);
  const Comparison fast =
      compared(sampled_clock("normal", 1980, 16), sampled_clock("abnormal", 990, 16));
  EXPECT_FALSE(fast.metrics[0].shares_samples(MetricTime::kBusy));
  EXPECT_EQ(&fast.metrics[0].tested(MetricTime::kBusy), &fast.metrics[0].busy);
  EXPECT_LT(fast.metrics[0].busy.q, 0.05);
}

TEST(ComparisonTest, a_metric_of_one_run_stays_with_an_empty_side) {
  SideSketch normal("normal", kTen);
  normal.device("GPU 0").function("gemm", {2, 2, 2, 2, 2}).metric("clock", {9, 9, 9, 9, 9});
  SideSketch abnormal("abnormal", kTen);
  abnormal.device("GPU 0").function("gemm", {4, 4, 4, 4, 4});
  const Comparison comparison = compared(normal, abnormal);
  ASSERT_EQ(comparison.triplets.size(), 1u);
  EXPECT_EQ(comparison.triplets[0].mu.abnormal.n, 0u);
  EXPECT_EQ(comparison.triplets[0].log_mu.z, 0);
  EXPECT_TRUE(std::isnan(comparison.triplets[0].mu.q));
}

TEST(ComparisonTest, one_cycle_a_side_says_so_in_every_row) {
  SideSketch normal("normal", {10});
  normal.device("GPU 0").function("gemm", {2});
  const Comparison comparison = compared(normal, normal);
  EXPECT_EQ(comparison.functions[0].verdict, Verdict::kTooFew);
  EXPECT_THAT(comparison.quality.front(), HasSubstr("1 against 1 cycles are too few"));
}

TEST(ComparisonTest, no_cycles_are_an_error) {
  const auto refused = compare_measures(SideSketch("normal", {10}).side(),
                                        SideSketch("abnormal", {}).side(), {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(refused.error().what, HasSubstr("abnormal"));
}

// Two runs that swing slowly by 5 ms around 100 and 102: as 40 independent cycles each they would
// differ, but each is only one swing; the interval must agree.
TEST(ComparisonTest, the_interval_of_a_drifting_cycle_time_agrees_with_the_answer) {
  const auto run = [](const char* label, double middle_ms) {
    std::vector<double> cycles;
    for (int i = 0; i < 40; ++i) cycles.push_back(middle_ms + 5 * std::sin(0.157 * i));
    return SideSketch(label, cycles);
  };
  const Comparison comparison = compared(run("normal", 100), run("abnormal", 102));
  const Change& ms = comparison.cycles.front().ms;
  EXPECT_LT(ms.welch.p, 0.05);
  EXPECT_GT(ms.drift_p, 0.05);
  EXPECT_NEAR(ms.shift.shift, 2, 0.1);
  EXPECT_LT(ms.shift.low, 0);
  EXPECT_GT(ms.shift.high, 4);
}

// Three normal runs of 20, 24 and 28 ms vary as much as the abnormal one is away.
TEST(ComparisonTest, what_differs_between_normal_runs_anyway_is_no_change) {
  const auto run = [](const char* label, double ms) {
    SideSketch sketch(label, std::vector<double>(5, 100));
    sketch.device("GPU 0").function("gemm", {ms, ms + 0.1, ms - 0.1, ms + 0.2, ms});
    return sketch;
  };
  EXPECT_EQ(compared(run("normal", 20), run("abnormal", 30)).functions[0].verdict,
            Verdict::kChanged);
  const Comparison wide = compared(run("normal", 20), run("abnormal", 30),
                                   {.normal = {run("b", 24).side(), run("c", 28).side()}});
  EXPECT_EQ(wide.functions[0].beta.normal.n, 15u);
  EXPECT_EQ(wide.normal.runs, 3u);
  EXPECT_GT(wide.functions[0].between_runs_p, 0.05);
  EXPECT_EQ(wide.functions[0].verdict, Verdict::kSame);
  const Comparison narrow = compared(run("normal", 20), run("abnormal", 30),
                                     {.normal = {run("b", 20.1).side(), run("c", 19.9).side()}});
  EXPECT_LT(narrow.functions[0].between_runs_p, 0.05);
  EXPECT_EQ(narrow.functions[0].verdict, Verdict::kChanged);
}

TEST(ComparisonTest, types_of_cycles_are_compared_with_their_own_kind) {
  const auto run = [](const char* label, double short_ms, double long_ms) {
    SideSketch sketch(label, {10, 10, 10, 10, 10, 10, 100, 100, 100, 100, 100});
    for (std::size_t i = 0; i < 11; ++i) {
      sketch.measure().cycles.cycles[i].type =
          i < 6 ? analysis::CycleType::kShort : analysis::CycleType::kLong;
    }
    std::vector<double> ms(11, short_ms);
    for (std::size_t i = 6; i < 11; ++i) ms[i] = long_ms;
    sketch.device("GPU 0").function("gemm", ms);
    return sketch;
  };
  const Comparison comparison = compared(run("normal", 2, 50), run("abnormal", 2, 70));
  ASSERT_EQ(comparison.cycles.size(), 2u);
  EXPECT_EQ(comparison.cycles[0].type, analysis::CycleType::kShort) << "the most frequent";
  ASSERT_EQ(comparison.functions.size(), 2u);
  for (const FunctionRow& row : comparison.functions) {
    const bool is_long = row.type == analysis::CycleType::kLong;
    EXPECT_EQ(row.beta.normal.n, is_long ? 5u : 6u);
    EXPECT_EQ(row.verdict, is_long ? Verdict::kChanged : Verdict::kSame);
  }
}

TEST(ComparisonTest, devices_are_compared_by_position_on_request) {
  SideSketch normal("normal", kTen);
  normal.device("GPU 0").function("gemm", {2, 2, 2, 2, 2});
  SideSketch abnormal("abnormal", kTen);
  abnormal.device("GPU 7").function("gemm", {2, 2, 2, 2, 2});
  EXPECT_FALSE(compare_measures(normal.side(), abnormal.side(), {}, {}));
  CompareOptions options;
  options.align_devices = true;
  const Comparison comparison = compared(normal, abnormal, {}, options);
  ASSERT_EQ(comparison.functions.size(), 1u);
  EXPECT_EQ(comparison.functions[0].key.device, "GPU 0");
  EXPECT_THAT(comparison.quality, Contains(HasSubstr("compared by position")));
}

TEST(ComparisonTest, ranks_that_wait_for_each_other_are_one_observation_of_the_cycle) {
  SideFacts normal = SideSketch("normal", {10, 20}).side();
  normal.ranks.push_back(SideSketch("", {20, 40}).rank(1).side().ranks[0]);
  const auto comparison = compare_measures(normal, normal, {}, {});
  ASSERT_TRUE(comparison);
  EXPECT_THAT(comparison->cycles[0].ms_normal, ElementsAre(15, 30));
}

TEST(ComparisonTest, a_busy_device_leaves_the_rest_of_the_cycle_idle) {
  SideSketch normal("normal", kTen);
  normal.device("GPU 0").function("gemm", {2, 2, 2, 2, 2});
  normal.measure().devices[1].busy_ns.assign(5, 4_ms);
  const Comparison comparison = compared(normal, normal);
  ASSERT_EQ(comparison.devices.size(), 2u);
  EXPECT_DOUBLE_EQ(comparison.devices[1].busy_share.normal.mean, 40);
  EXPECT_DOUBLE_EQ(comparison.devices[1].idle_ms.normal.mean, 6);
}

TEST(ComparisonTest, runs_are_measured_rank_by_rank) {
  Sketch sketch;
  for (int i = 0; i < 5; ++i) {
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, 10_ms * i, 10_ms);
    sketch.stream(0, 1).slice("gemm", SliceKind::kKernel, 10_ms * i + 2_ms, 2_ms);
  }
  strobe::Run run;
  run.label = "normal";
  run.ranks.emplace_back();
  run.ranks[0].trace = std::make_shared<const Trace>(sketch.trace());
  const auto comparison = compare_runs(run, run);
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->functions[0].verdict, Verdict::kSame);
  CompareOptions options;
  options.only_rank = 4;
  const auto refused = compare_runs(run, run, {}, options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("no rank 4"));
}

// Five cycles of 2 ms in which the host launches 20 ms of work: in one run it waits, in the other
// it does not.
SideSketch launching(const char* label, const std::vector<double>& inside_ms, bool outlasts) {
  SideSketch sketch(label, std::vector<double>(5, outlasts ? 2 : 22));
  sketch.device("GPU 0").function("gemm", inside_ms);
  const std::vector<std::int64_t> launched_ns(5, 20'000'000);
  sketch.measure().functions.back().launched_ns = launched_ns;
  sketch.measure().functions.back().launched_calls = {100, 100, 100, 100, 100};
  sketch.measure().devices.back().launched_ns = launched_ns;
  sketch.measure().devices.back().outlasts_cycles = outlasts;
  return sketch;
}

TEST(ComparisonTest, work_that_the_host_runs_ahead_of_is_compared_by_the_cycle_that_launched_it) {
  const Comparison comparison = compared(launching("normal", {1.9, 2, 2, 2, 2}, true),
                                         launching("abnormal", {20, 20, 20, 20, 20}, false));
  const FunctionRow& row = row_of(comparison, "gemm");
  EXPECT_TRUE(row.launched.decides);
  EXPECT_NEAR(row.ms.abnormal.mean, 20, 1e-9) << "the time inside the cycles stays as it is";
  EXPECT_NEAR(row.own_ms().core_ratio(), 1, 1e-9);
  EXPECT_EQ(row.verdict, Verdict::kSame);
  const DeviceRow& device = comparison.devices.back();
  EXPECT_TRUE(device.outlasts_cycles);
  EXPECT_NEAR(device.launched_ms.core_ratio(), 1, 1e-9);
}

TEST(ComparisonTest, a_run_that_waits_is_compared_inside_its_cycles) {
  const Comparison comparison = compared(launching("normal", {20, 20, 20, 20, 20}, false),
                                         launching("abnormal", {20, 20, 20, 20, 20}, false));
  const FunctionRow& row = row_of(comparison, "gemm");
  EXPECT_TRUE(row.launched.is_known);
  EXPECT_FALSE(row.launched.decides);
  EXPECT_EQ(&row.own_ms(), &row.ms);
}

}  // namespace

}  // namespace strobe::compare

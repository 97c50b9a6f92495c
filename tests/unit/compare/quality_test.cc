#include "strobe/compare/comparison_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/side_sketch.h"

namespace strobe::compare {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

Comparison comparison_of(const SideSketch& normal, const SideSketch& abnormal) {
  auto comparison = compare_measures(normal.side(), abnormal.side(), {}, {});
  EXPECT_TRUE(comparison);
  return std::move(comparison).value();
}

SideSketch plain(const char* label) {
  SideSketch sketch(label, {10, 10, 10, 10, 10});
  sketch.device("GPU 0").function("gemm", {2, 2, 2, 2, 2});
  sketch.measure().cycles.method = analysis::CycleMethod::kSteps;
  sketch.measure().cycles.confidence = analysis::CycleConfidence::kHigh;
  return sketch;
}

TEST(QualityTest, how_the_runs_were_cut_is_always_told) {
  SideSketch normal = plain("normal");
  normal.measure().cycles.marker = "Step#N";
  normal.measure().cycles.inner = analysis::InnerPeriod{27, 0.948};
  const auto quality = comparison_of(normal, plain("abnormal")).quality;
  EXPECT_THAT(quality, Contains(HasSubstr("normal: 5 cycles by step annotations 'Step#N', high "
                                          "confidence; inside them a period of 27 kernels")));
  EXPECT_THAT(quality, Each(Not(HasSubstr("cut in different ways"))));
}

TEST(QualityTest, runs_cut_in_different_ways_come_first) {
  SideSketch abnormal = plain("abnormal");
  abnormal.measure().cycles.method = analysis::CycleMethod::kKernelSequence;
  const auto quality = comparison_of(plain("normal"), abnormal).quality;
  EXPECT_THAT(quality.front(), HasSubstr("cut in different ways"));
}

TEST(QualityTest, runs_with_little_in_common_are_doubted) {
  SideSketch normal = plain("normal");
  normal.function("norm", {1, 1, 1, 1, 1}).function("add", {1, 1, 1, 1, 1});
  EXPECT_THAT(
      comparison_of(normal, plain("abnormal")).quality,
      Contains(
          "only 1 of 3 functions run on both sides: check that both runs have the same workload"));
  EXPECT_THAT(comparison_of(normal, normal).quality, Each(Not(HasSubstr("one workload"))));
}

TEST(QualityTest, a_sampler_slower_than_the_cycle_is_told_once_per_device) {
  const double none = std::nan("");
  SideSketch normal = plain("normal");
  normal.metric("clock", {9, none, 9, none, 9}).metric("power", {1, 1, 1, 1, 1});
  for (SeriesCycles& series : normal.measure().series) series.period_ns = 15e6;
  const auto quality = comparison_of(normal, plain("abnormal")).quality;
  EXPECT_THAT(quality,
              Contains("normal, GPU 0: sampled less often than once per cycle (up to 15 ms "
                       "between samples, cycle 10 ms): 2 of 5 cycles have no clock"));
  EXPECT_THAT(quality, Contains("GPU 0: cycles with a mean in normal and abnormal: 3 and 0 for "
                                "clock; 5 and 0 for power"));
}

TEST(QualityTest, too_few_samples_for_a_test_are_told_with_their_number) {
  const auto sampled = [](const char* label, std::vector<std::size_t> sample_of) {
    SideSketch sketch = plain(label);
    sketch.metric("clock", {9, 9, 9, 9, 9});
    sketch.measure().series[0].period_ns = 25e6;
    sketch.measure().series[0].sample_of = std::move(sample_of);
    return sketch;
  };
  const auto quality =
      comparison_of(sampled("normal", {0, 0, 0, 1, 1}), sampled("abnormal", {0, 0, 1, 1, 2}))
          .quality;
  EXPECT_THAT(quality,
              Contains("normal, GPU 0: sampled less often than once per cycle (up to 25 ms between "
                       "samples, cycle 10 ms): every cycle still has a value, but neighbours share "
                       "one"));
  EXPECT_THAT(quality, Contains("GPU 0: cycles with a mean in normal and abnormal: 5 and 5 from 2 "
                                "and 3 samples, too few for a test, for clock"));
}

TEST(QualityTest, remarks_and_the_clock_of_samples_are_passed_on) {
  SideSketch normal = plain("normal");
  normal.metric("clock", {9, 9, 9, 9, 9});
  normal.measure().series[0].time_base = TimeBase::kWallClock;
  normal.measure().remarks.emplace_back("line 3 is no number");
  const auto quality = comparison_of(normal, plain("abnormal")).quality;
  EXPECT_THAT(quality, Contains("normal: line 3 is no number"));
  EXPECT_THAT(quality, Contains(HasSubstr("use the wall clock")));
}

TEST(QualityTest, a_device_that_goes_on_after_the_cycles_is_told) {
  SideSketch late = plain("abnormal");
  late.measure().devices.back().overhang_ns = 590'000'000;
  EXPECT_THAT(comparison_of(plain("normal"), late).quality, Each(Not(HasSubstr("goes on"))));
  late.measure().devices.back().outlasts_cycles = true;
  EXPECT_THAT(comparison_of(plain("normal"), late).quality.front(),
              HasSubstr("abnormal: GPU 0 goes on for 590 ms after the last cycle, all cycles "
                        "together take 50 ms: the host does not wait for the device, and the "
                        "cycle time is host time"));
}

}  // namespace
}  // namespace strobe::compare

#include <gtest/gtest.h>

#include "strobe/compare/causes/cause_rules.h"
#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

std::vector<Cause> device_causes(const CauseSketch& sketch) {
  return sketch.said_by(device_cause_rules());
}

// Two kernels that take `slowdown` times as long at `clock` times the clock.
CauseSketch clocked(double clock, double slowdown) {
  return CauseSketch(10, 10)
      .metric("GPU 0", "gpu_sm_frequency", 1980, 1980 * clock)
      .metric("GPU 0", "gpu_mem_frequency", 3201, 3201)
      .kernel("gemm", 3, 3 * slowdown)
      .kernel("norm", 1, 1 * slowdown);
}

TEST(ClockDrop, a_lower_clock_that_explains_slower_kernels_is_sure) {
  const auto causes = device_causes(clocked(0.5, 1.8));
  const Cause* cause = find(causes, CauseKind::kClockDrop);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 1, 1e-9);
  EXPECT_EQ(cause->headline, "the clock of GPU 0 dropped from 1980 to 990 MHz");
  EXPECT_TRUE(mentions(cause->evidence, "1980 -> 990 MHz (x 0.50)"));
  EXPECT_TRUE(mentions(cause->evidence, "the lower clock explains all of the extra kernel time"));
  EXPECT_TRUE(cause->against.empty());
}

TEST(ClockDrop, the_less_of_the_kernels_it_explains_the_less_sure_it_is) {
  auto partly = clocked(0.5, 1.8).kernel("unmoved", 8, 8);
  EXPECT_LT(score_of(device_causes(partly), CauseKind::kClockDrop), 0.9);
  EXPECT_GE(score_of(device_causes(partly), CauseKind::kClockDrop), kListedScore);
  EXPECT_TRUE(mentions(device_causes(partly).front().evidence,
                       "explains the extra time of kernels that make up 33 % of the kernel time"));
}

TEST(ClockDrop, a_shallow_drop_is_listed_but_not_sure) {
  const double score = score_of(device_causes(clocked(0.93, 1.06)), CauseKind::kClockDrop);
  EXPECT_GE(score, kListedScore);
  EXPECT_LT(score, kConfidentScore);
}

TEST(ClockDrop, kernels_that_slowed_by_more_than_the_clock_speak_against_it) {
  const auto causes = device_causes(clocked(0.8, 3));
  const Cause* cause = find(causes, CauseKind::kClockDrop);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->against, "more than the clock explains"));
  EXPECT_LT(cause->score, kListedScore);
}

TEST(ClockDrop, a_higher_clock_is_told_as_a_rise) {
  const auto causes = device_causes(clocked(1.5, 0.7));
  ASSERT_NE(find(causes, CauseKind::kClockDrop), nullptr);
  EXPECT_EQ(causes.front().headline, "the clock of GPU 0 rose from 1980 to 2970 MHz");
  EXPECT_TRUE(
      mentions(causes.front().evidence, "the higher clock explains all of the saved kernel time"));
}

TEST(ClockDrop, the_reason_is_named_where_the_device_tells_it) {
  const auto reason = [](const CauseSketch& sketch) {
    const auto causes = device_causes(sketch);
    std::string all;
    for (const Evidence& one : causes.front().evidence) all += one.text + "; ";
    return all;
  };
  EXPECT_NE(reason(clocked(0.5, 1.8).metric("GPU 0", "gpu_throttle_reasons", 0, 4))
                .find("power: the device is at its power cap"),
            std::string::npos);
  EXPECT_NE(
      reason(clocked(0.5, 1.8).metric("GPU 0", "gpu_throttle_reasons", 0, 32)).find("thermal"),
      std::string::npos);
  EXPECT_NE(reason(clocked(0.5, 1.8).metric("GPU 0", "gpu_temperature_c", 50, 90)).find("thermal"),
            std::string::npos);
  EXPECT_NE(reason(clocked(0.5, 1.8).chip("NVIDIA H200").metric("GPU 0", "gpu_power_w", 400, 695))
                .find("near the board's 700 W"),
            std::string::npos);
  EXPECT_NE(reason(clocked(345.0 / 1980, 4).chip("NVIDIA H200")).find("floor of 345 MHz"),
            std::string::npos);
}

TEST(ClockDrop, a_clock_that_does_not_move_at_all_looks_locked) {
  auto sketch = clocked(0.5, 1.8);
  Change& clock = sketch.edit().metrics.front().busy;
  clock = change_between(CauseSketch::around(1980), std::vector<double>(12, 990));
  EXPECT_TRUE(mentions(device_causes(sketch).front().evidence, "as if it were locked"));
}

TEST(ClockDrop, a_memory_clock_that_moved_too_speaks_against_it) {
  auto sketch = CauseSketch(10, 10)
                    .metric("GPU 0", "gpu_sm_frequency", 1980, 990)
                    .metric("GPU 0", "gpu_mem_frequency", 3201, 1600)
                    .kernel("gemm", 3, 5);
  const auto causes = device_causes(sketch);
  EXPECT_TRUE(mentions(find(causes, CauseKind::kClockDrop)->against, "the memory clock moved too"));
  EXPECT_NEAR(find(causes, CauseKind::kClockDrop)->score, 0.9, 1e-9);
}

TEST(ClockDrop, is_silent_while_the_clock_stays) {
  EXPECT_EQ(find(device_causes(clocked(1, 1.8)), CauseKind::kClockDrop), nullptr);
  EXPECT_TRUE(device_causes(clocked(0.98, 1)).empty());
}

TEST(ClockDrop, is_silent_without_a_clock_to_look_at) {
  EXPECT_TRUE(device_causes(CauseSketch(10, 10).kernel("gemm", 3, 6)).empty());
}

TEST(MemoryBandwidth, a_lower_memory_clock_is_surer_the_more_kernels_slowed) {
  const auto with = [](double slowdown) {
    return device_causes(CauseSketch(10, 10)
                             .metric("GPU 0", "gpu_mem_frequency", 3200, 1600)
                             .kernel("norm", 3, 3 * slowdown));
  };
  EXPECT_NEAR(score_of(with(1.7), CauseKind::kMemoryBandwidth), 0.95, 1e-9);
  EXPECT_NEAR(score_of(with(1), CauseKind::kMemoryBandwidth), 0.6, 1e-9);
  EXPECT_EQ(with(1.7).front().headline, "the memory clock of GPU 0 dropped from 3200 to 1600 MHz");
  EXPECT_TRUE(mentions(with(1.7).front().evidence, "100 % of kernel time"));
}

TEST(MemoryBandwidth, is_silent_while_the_memory_clock_stays_or_rises) {
  for (const double clock : {3200.0, 3150.0, 3600.0}) {
    EXPECT_TRUE(device_causes(CauseSketch(10, 10)
                                  .metric("GPU 0", "gpu_mem_frequency", 3200, clock)
                                  .kernel("norm", 3, 5))
                    .empty());
  }
}

// In the trace the device is busy half of the cycle; its counter says `use` percent.
CauseSketch used(double use) {
  return CauseSketch(10, 10)
      .device("GPU 0", 5, 5)
      .metric("GPU 0", "gpu_usage", 50, use)
      .kernel("gemm", 4, 4);
}

TEST(OtherTenant, use_beyond_the_traces_own_work_belongs_to_another_process) {
  const auto causes = device_causes(used(98));
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_EQ(cause->headline, "another process uses GPU 0");
  EXPECT_TRUE(
      mentions(cause->evidence,
               "fills 50 -> 50 % of the cycle, so another process uses 0 -> 48 % of the time"));
  EXPECT_TRUE(mentions(cause->against, "own kernels did not get slower"));
}

IdleCauseRow waiting_work_row(double normal_ms, double abnormal_ms) {
  IdleCauseRow row;
  row.cause = {analysis::IdleKind::kLaunched, "", ""};
  row.ms_per_cycle_normal = CauseSketch::around(normal_ms);
  row.ms_per_cycle_abnormal = CauseSketch::around(abnormal_ms);
  row.ms = change_between(row.ms_per_cycle_normal, row.ms_per_cycle_abnormal);
  return row;
}

// The cycle takes 3 ms longer, the kernels only 0.5 ms: the rest is launched work that waits while
// the device does the work of the other process.
CauseSketch delayed(double use) {
  CauseSketch sketch = CauseSketch(10, 13)
                           .device("GPU 0", 5, 5.5)
                           .metric("GPU 0", "gpu_usage", 50, use)
                           .kernel("gemm", 4, 4.5);
  sketch.edit().idle = {waiting_work_row(0.1, 6.6)};
  sketch.edit().launches = {
      {.device = "GPU 0",
       .rank = 0,
       .delay_us = change_between(CauseSketch::around(1.5), CauseSketch::around(2250)),
       .queue = {}}};
  return sketch;
}

TEST(OtherTenant, launched_work_that_waits_is_what_it_costs) {
  const auto causes = find_causes(delayed(98).comparison());
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->evidence,
                       "its work delays the start of ours: 0.1 -> 6.60 ms per cycle in which "
                       "launched work waits and none of ours runs (+6.50 ms)"));
  EXPECT_TRUE(mentions(cause->evidence, "launch delay: 1.50 us -> 2.25 ms"));
  EXPECT_TRUE(mentions(cause->evidence, "own kernels themselves, once they run: 4.00 -> 4.50 ms"));
  // Work waits 6.5 ms longer, but the device is idle only 2.5 ms longer.
  EXPECT_NEAR(cause->explains_ms, 0.5 + 2.5, 0.01);
  EXPECT_TRUE(mentions(cause->evidence, "it explains +3.00 of +3.00 ms per cycle, 100 %"));
  EXPECT_FALSE(mentions(cause->against, "explains"));
}

TEST(OtherTenant, waiting_work_changes_what_it_explains_and_not_how_sure_it_is) {
  CauseSketch without = delayed(98);
  without.edit().idle.clear();
  const auto causes = device_causes(without);
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->explains_ms, 0.5, 0.01);
  EXPECT_EQ(cause->score, score_of(device_causes(delayed(98)), CauseKind::kOtherTenant));
}

TEST(OtherTenant, work_that_waits_as_long_as_before_is_not_its_doing) {
  CauseSketch same = delayed(98);
  same.edit().idle = {waiting_work_row(0.1, 0.12)};
  const auto causes = device_causes(same);
  EXPECT_FALSE(mentions(find(causes, CauseKind::kOtherTenant)->evidence, "its work delays"));
}

TEST(OtherTenant, a_counter_that_misses_own_work_is_doubted) {
  const auto causes = device_causes(CauseSketch(10, 10)
                                        .device("GPU 0", 2.4, 2)
                                        .metric("GPU 0", "gpu_usage", 0, 99)
                                        .kernel("gemm", 2, 2));
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->against,
                       "the counter missed own work of the normal run: it shows 0 %, and the "
                       "trace's work alone fills 24 % of the cycle"));
  EXPECT_FALSE(mentions(find(device_causes(used(98)), CauseKind::kOtherTenant)->against,
                        "the counter missed"));
}

TEST(OtherTenant, the_more_use_the_surer) {
  const double some = score_of(device_causes(used(75)), CauseKind::kOtherTenant);
  EXPECT_GE(some, kListedScore);
  EXPECT_LT(some, score_of(device_causes(used(98)), CauseKind::kOtherTenant));
}

TEST(OtherTenant, power_and_memory_make_it_surer) {
  const double alone = score_of(device_causes(used(80)), CauseKind::kOtherTenant);
  const auto more = device_causes(
      used(80).metric("GPU 0", "gpu_power_w", 200, 400).metric("GPU 0", "gpu_mem_used", 10, 20));
  EXPECT_NEAR(score_of(more, CauseKind::kOtherTenant), alone + 0.08, 1e-9);
  EXPECT_TRUE(mentions(more.front().evidence, "power drawn for the same work: 200 -> 400 W"));
  EXPECT_TRUE(mentions(more.front().evidence, "device memory in use: 10.0 -> 20.0 %"));
}

TEST(OtherTenant, a_clock_that_drops_with_it_is_its_consequence) {
  auto sketch = used(98).metric("GPU 0", "gpu_sm_frequency", 1980, 1500).kernel("norm", 1, 1.3);
  const auto causes = device_causes(sketch);
  const Cause* clock = find(causes, CauseKind::kClockDrop);
  ASSERT_NE(clock, nullptr);
  EXPECT_LE(clock->score, 0.8);
  EXPECT_TRUE(mentions(clock->evidence, "the clock dropped together with the other process"));
}

TEST(OtherTenant, is_silent_when_the_trace_itself_explains_the_use) {
  EXPECT_TRUE(device_causes(CauseSketch(10, 10)
                                .device("GPU 0", 5, 9)
                                .metric("GPU 0", "gpu_usage", 50, 92)
                                .kernel("gemm", 4, 8))
                  .empty());
}

TEST(OtherTenant, is_silent_about_a_rise_that_a_coarse_counter_makes) {
  EXPECT_TRUE(device_causes(used(62)).empty());
}

CauseSketch uniformly(double factor) {
  return CauseSketch(10, 10 * factor)
      .device("GPU 0", 9.8, 9.8 * factor)
      .kernel("gemm", 5, 5 * factor)
      .kernel("norm", 4, 4 * factor);
}

TEST(SlowerKernels, the_same_calls_that_all_take_longer_are_named_as_an_effect) {
  const auto causes = device_causes(uniformly(1.57));
  const Cause* cause = find(causes, CauseKind::kSlowerKernels);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "the same kernels take longer on GPU 0 (x 1.57, same calls)");
  EXPECT_GE(cause->score, kListedScore);
  EXPECT_LT(cause->score, kConfidentScore);
  EXPECT_FALSE(cause->improves);
}

TEST(SlowerKernels, the_same_calls_that_all_take_less_time_are_an_improvement) {
  const auto causes = device_causes(uniformly(0.64));
  const Cause* cause = find(causes, CauseKind::kSlowerKernels);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(cause->improves);
}

TEST(SlowerKernels, a_counter_that_explains_them_comes_first) {
  const auto causes =
      find_causes(uniformly(1.5).metric("GPU 0", "gpu_sm_frequency", 1980, 1320).comparison());
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.front().kind, CauseKind::kClockDrop);
  EXPECT_EQ(find(causes, CauseKind::kSlowerKernels), nullptr);
}

TEST(SlowerKernels, is_silent_about_other_calls_and_about_little) {
  EXPECT_EQ(find(device_causes(uniformly(1.02)), CauseKind::kSlowerKernels), nullptr);
  EXPECT_EQ(find(device_causes(CauseSketch(10, 15).kernel("gemm", 5, 10).calls(10, 20)),
                 CauseKind::kSlowerKernels),
            nullptr);
}

}  // namespace
}  // namespace strobe::compare

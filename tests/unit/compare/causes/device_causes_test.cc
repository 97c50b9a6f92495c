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

TEST(ClockDrop, a_lower_clock_makes_nothing_faster) {
  const auto causes = CauseSketch(20, 10)
                          .device("GPU 0", 18, 9)
                          .kernel("gemm", 18, 9)
                          .metric("GPU 0", "gpu_sm_frequency", 1980, 1500)
                          .said_by(device_cause_rules());
  EXPECT_EQ(find(causes, CauseKind::kClockDrop), nullptr);
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

// In the trace the device is busy half of the cycle; its counter says `use` percent. Kernels take a
// little longer.
CauseSketch used(double use, double kernel_ms = 4.2) {
  return CauseSketch(10, 10)
      .device("GPU 0", 5, 5)
      .metric("GPU 0", "gpu_usage", 50, use)
      .kernel("gemm", 4, kernel_ms);
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
  EXPECT_TRUE(mentions(cause->evidence, "own kernels: 4.00 -> 4.20 ms per cycle"));
}

TEST(OtherTenant, is_no_cause_where_nothing_became_slower) {
  EXPECT_EQ(find(device_causes(used(98, 4)), CauseKind::kOtherTenant), nullptr);
}

// The list of processes saw the program itself and `others` percent of someone else.
CauseSketch listed(CauseSketch sketch, double others_before, double others) {
  return sketch.metric("GPU 0", "gpu_process_usage", 45, 45)
      .metric("GPU 0", "gpu_foreign_usage", others_before, others)
      .metric("GPU 0", "gpu_foreign_process_usage python3 (4711)", others_before, others);
}

// Always busy, so that the counter of its use cannot rise: the memory of the device is fuller, and
// all kernels take longer at the same clock.
CauseSketch crowded(double memory, double clock) {
  return CauseSketch(10, 20)
      .device("GPU 0", 9.8, 19.6)
      .metric("GPU 0", "gpu_usage", 60, 62)
      .metric("GPU 0", "gpu_sm_frequency", 1980, clock)
      .metric("GPU 0", "gpu_mem_util", 20, 60)
      .metric("GPU 0", "gpu_mem_used", 40, memory)
      .kernel("gemm", 9, 18);
}

TEST(OtherTenant, kernels_and_memory_show_it_where_the_counter_lags) {
  const auto causes = device_causes(crowded(50, 1980));
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause, &causes.front());
  EXPECT_LT(cause->score, kConfidentScore);
  EXPECT_TRUE(mentions(cause->evidence, "take longer, at the same clocks"));
  EXPECT_TRUE(mentions(cause->evidence, "device memory in use: 40.0 -> 50.0 %"));
  EXPECT_TRUE(mentions(cause->evidence, "memory of the device busy: 20.0 -> 60.0 %"));
  EXPECT_EQ(find(device_causes(crowded(40, 1980)), CauseKind::kOtherTenant), nullptr);
  EXPECT_EQ(find(device_causes(crowded(50, 990)), CauseKind::kOtherTenant), nullptr);
  EXPECT_EQ(find(device_causes(listed(crowded(50, 1980), 0, 0)), CauseKind::kOtherTenant), nullptr)
      << "the list of processes knows better";
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
                                        .kernel("gemm", 2, 2.1));
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

CauseSketch slowed_kernels(double cycle, double factor) {
  return CauseSketch(10, cycle).device("GPU 0", 5, 5 * factor).kernel("gemm", 4, 4 * factor);
}

TEST(SeenTenant, is_named_first_and_sure_where_kernels_are_slower) {
  const auto causes = device_causes(listed(slowed_kernels(14, 1.8), 0, 48));
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_EQ(cause->headline, "python3 (4711) uses GPU 0");
  EXPECT_EQ(cause->evidence.front().text,
            "python3 (4711) used 48 % of GPU 0 in the abnormal run, none in the normal run");
  EXPECT_TRUE(mentions(cause->evidence, "own kernels: 4.00 -> 7.20 ms"));
  EXPECT_TRUE(cause->against.empty());
}

TEST(SeenTenant, several_of_them_use_the_device) {
  const auto headline = [](const std::string& key) {
    return device_causes(
               slowed_kernels(14, 1.8)
                   .metric("GPU 0", "gpu_foreign_usage", 0, 60)
                   .metric("GPU 0", "gpu_foreign_process_usage " + key, 0, 30)
                   .metric("GPU 0", "gpu_foreign_process_usage b (2)", 0, key == "a (1)" ? 30 : 0))
        .front()
        .headline;
  };
  EXPECT_EQ(headline("a (1)"), "a (1) and b (2) use GPU 0");
  EXPECT_EQ(headline("a (12 processes)"), "a (12 processes) use GPU 0");
}

TEST(SeenTenant, a_little_use_that_is_felt_is_enough) {
  const auto causes = device_causes(listed(slowed_kernels(11, 1.1), 0, 9));
  EXPECT_GE(score_of(causes, CauseKind::kOtherTenant), kConfidentScore);
}

TEST(SeenTenant, launched_work_that_waits_is_felt_too) {
  const auto causes = device_causes(listed(delayed(98), 0, 48));
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_TRUE(mentions(cause->evidence, "its work delays the start of ours"));
}

TEST(SeenTenant, is_no_cause_where_nothing_became_slower) {
  EXPECT_TRUE(device_causes(listed(slowed_kernels(10, 1), 0, 48)).empty());
}

TEST(SeenTenant, is_only_mentioned_where_the_cycle_is_slower_for_another_reason) {
  const auto causes = device_causes(listed(slowed_kernels(14, 1), 0, 48));
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, kListedScore, 1e-9);
  EXPECT_TRUE(mentions(cause->against, "own kernels did not get slower"));
}

TEST(SeenTenant, who_is_there_in_both_runs_is_no_cause) {
  EXPECT_EQ(find(device_causes(listed(slowed_kernels(14, 1.8), 30, 31)), CauseKind::kOtherTenant),
            nullptr);
}

TEST(SeenTenant, a_desktop_is_no_cause) {
  EXPECT_EQ(find(device_causes(listed(slowed_kernels(14, 1.8), 0, 1)), CauseKind::kOtherTenant),
            nullptr);
}

TEST(SeenTenant, kernels_that_slowed_by_more_than_its_share_speak_against_it) {
  const auto causes = device_causes(listed(slowed_kernels(30, 4), 0, 8));
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->against, "x 4.00 as long: more than its share"));
  EXPECT_LT(cause->score, kConfidentScore);
}

TEST(OtherTenant, a_list_without_another_process_speaks_against_the_counter) {
  const auto causes = device_causes(listed(used(98), 0, 0));
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "another process uses GPU 0");
  EXPECT_TRUE(mentions(cause->against,
                       "the list of the device's processes shows no other one that computes more: "
                       "0.0 -> 0.0 %"));
  EXPECT_LE(cause->score, kListedScore);
}

TEST(OtherTenant, a_list_of_one_run_only_says_nothing_against_the_counter) {
  auto sketch = used(98).metric("GPU 0", "gpu_foreign_usage", 0, 0);
  sketch.edit().metrics.back().all = change_between({}, std::vector<double>(12, 0.0));
  const auto causes = device_causes(sketch);
  EXPECT_EQ(score_of(causes, CauseKind::kOtherTenant),
            score_of(device_causes(used(98)), CauseKind::kOtherTenant));
  EXPECT_FALSE(mentions(causes.front().against, "the list of the device's processes"));
}

// Cycles with bits, as the measurement gives them.
CauseSketch with_limits(CauseSketch sketch, double normal_bits, double abnormal_bits) {
  sketch.metric("GPU 0", "gpu_throttle_reasons", normal_bits, abnormal_bits);
  Comparison& comparison = sketch.edit();
  for (const auto& [side, bits] : {std::pair(&comparison.normal, normal_bits),
                                   std::pair(&comparison.abnormal, abnormal_bits)}) {
    RankMeasure& measure = side->ranks.front();
    measure.cycles.cycles.assign(12, {.interval = {0, 10}, .name = ""});
    SeriesCycles series;
    series.device = "GPU 0";
    series.metric = "gpu_throttle_reasons";
    series.info = device::metric_info(series.metric, series.device);
    series.mean = series.busy_mean = std::vector<double>(12, bits);
    measure.series.push_back(series);
  }
  return sketch;
}

TEST(ClockDrop, the_devices_own_reason_comes_first) {
  const auto causes = device_causes(with_limits(clocked(0.5, 1.8), 0, 4));
  EXPECT_EQ(causes.front().evidence.front().text,
            "the device limits its clock (power cap: in 0 -> 100 % of the cycles)");
  EXPECT_EQ(causes.front().evidence.front().metric, "gpu_throttle_reasons");
  const auto setting = device_causes(with_limits(clocked(0.5, 1.8), 0, 2));
  EXPECT_TRUE(mentions(setting.front().evidence, "(application clocks: in 0 -> 100 %"));
}

TEST(ClockDrop, a_shallow_drop_that_the_device_explains_is_sure) {
  EXPECT_GE(
      score_of(device_causes(with_limits(clocked(0.93, 1.06), 0, 0x20)), CauseKind::kClockDrop),
      kConfidentScore);
  EXPECT_LT(score_of(device_causes(with_limits(clocked(0.93, 1.06), 4, 4)), CauseKind::kClockDrop),
            kConfidentScore)
      << "limited so in both runs";
}

TEST(ClockDrop, a_lowered_power_limit_is_told) {
  auto sketch = with_limits(clocked(0.8, 1.2), 4, 4);
  sketch.metric("GPU 0", "gpu_power_limit_mw", 700, 500);
  EXPECT_EQ(device_causes(sketch).front().evidence.front().text,
            "the power limit was lowered: 700 -> 500 W (x 0.71)");
}

TEST(ClockDrop, a_device_that_names_no_limit_speaks_against_it) {
  const auto wandering = [] {
    CauseSketch sketch = clocked(0.5, 1.8);
    const std::vector<double> mhz = {960,  1020, 990, 970,  1010, 950,
                                     1030, 990,  980, 1000, 960,  1020};
    sketch.edit().metrics.front().busy = change_between(CauseSketch::around(1980), mhz);
    return sketch;
  };
  const auto causes = device_causes(with_limits(wandering(), 0, 0));
  EXPECT_TRUE(mentions(causes.front().against, "the device names no limit of its clock"));
  EXPECT_NEAR(causes.front().score, 0.9, 1e-9);
  EXPECT_TRUE(device_causes(wandering()).front().against.empty()) << "it was not asked";
}

TEST(ClockDrop, a_limit_without_a_lower_clock_is_no_cause) {
  EXPECT_EQ(find(device_causes(with_limits(clocked(1, 1.8), 0, 4)), CauseKind::kClockDrop),
            nullptr);
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

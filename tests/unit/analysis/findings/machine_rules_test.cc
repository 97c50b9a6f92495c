#include "strobe/analysis/findings/machine_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kSteps = 10;

// Ten steps of 100 ms. Thread 1 launches a kernel every 10 ms, which starts `delay_ns` later and
// runs for `kernel_ns`.
Sketch launching_loop(std::int64_t kernel_ns, std::int64_t delay_ns = 6_us) {
  Sketch sketch;
  std::uint32_t id = 1;
  for (int i = 0; i < kSteps; ++i) {
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, 100_ms * i, 100_ms);
    for (int k = 0; k < 10; ++k) {
      const std::int64_t start_ns = 100_ms * i + 10_ms * k;
      sketch.thread(1).slice("xLaunchKernel", kCall, start_ns, 5_us).correlation(id);
      sketch.stream(0, 7).slice("k", kKernel, start_ns + delay_ns, kernel_ns).correlation(id++);
    }
  }
  return sketch;
}

// A sample every 20 ms, from before the first step until after the last.
template <class Value>
void add_samples(Sketch& sketch, const std::string& metric, const std::string& key, Value value) {
  for (std::int64_t time_ns = -40_ms; time_ns <= 1040_ms; time_ns += 20_ms) {
    sketch.counter(metric, key.empty() ? metric : key, time_ns, value(time_ns));
  }
}
void add_constant(Sketch& sketch, const std::string& metric, const std::string& key, double value) {
  add_samples(sketch, metric, key, [value](std::int64_t) { return value; });
}

// --- Waiting for a core.

// In each step thread 1 waits four times for 5 ms, at the end of the time between two launches.
void add_waits(Sketch& sketch, const std::string& track, const std::string& name) {
  sketch.track(track, TrackKind::kOther);
  for (int i = 0; i < kSteps; ++i) {
    for (int k = 0; k < 4; ++k) {
      sketch.slice(name, SliceKind::kCondition, 100_ms * i + 10_ms * k + 5_ms, 5_ms);
    }
  }
}

TEST(CoresTakenTest, who_ran_instead_is_named) {
  Sketch sketch = launching_loop(1_ms);
  add_waits(sketch, "1 waits for a core", "waits: stress (88) runs");
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("cores_taken"));
  const Finding& finding = findings.at("cores_taken");
  EXPECT_EQ(finding.headline,
            "thread 1, which launches, waited for a core 20.0 % of the 10 steps (200 ms) in 40 "
            "waits, mostly while stress (88) ran");
  EXPECT_EQ(finding.weight, FindingWeight::kMatters);
  EXPECT_NEAR(finding.share, 0.2, 1e-9);
  EXPECT_THAT(finding.against, IsEmpty());
}

TEST(CoresTakenTest, own_threads_are_no_strangers) {
  Sketch sketch = launching_loop(1_ms);
  add_waits(sketch, "1 waits for a core", "waits: python3 (1) runs");
  EXPECT_THAT(findings_of(sketch).at("cores_taken").headline,
              HasSubstr("mostly while other threads of the process ran"));
}

TEST(CoresTakenTest, nobody_is_named_where_nobody_was_seen) {
  Sketch sketch = launching_loop(1_ms);
  add_waits(sketch, "1 waits for a core", "waits for a core");
  EXPECT_THAT(findings_of(sketch).at("cores_taken").headline, Not(HasSubstr("while")));
}

TEST(CoresTakenTest, waits_beside_a_busy_device_cost_little) {
  Sketch sketch = launching_loop(9_ms);
  add_waits(sketch, "1 waits for a core", "waits: stress (88) runs");
  const Finding finding = findings_of(sketch).at("cores_taken");
  EXPECT_EQ(finding.weight, FindingWeight::kNote);
  EXPECT_THAT(finding.against, ElementsAre(HasSubstr("of these waits: they cost little")));
}

TEST(CoresTakenTest, threads_that_launch_nothing_may_wait) {
  Sketch sketch = launching_loop(1_ms);
  add_waits(sketch, "2 waits for a core", "waits: stress (88) runs");
  EXPECT_FALSE(findings_of(sketch).contains("cores_taken"));
}

TEST(CoresTakenTest, a_few_waits_and_those_outside_of_steps_are_no_finding) {
  Sketch few = launching_loop(1_ms);
  few.track("1 waits for a core", TrackKind::kOther);
  for (int i = 0; i < 9; ++i) {
    few.slice("waits: stress (88) runs", SliceKind::kCondition, 100_ms * i + 20_ms, 20_ms);
  }
  EXPECT_FALSE(findings_of(few).contains("cores_taken"));
  Sketch outside = launching_loop(1_ms);
  outside.track("1 waits for a core", TrackKind::kOther);
  for (int i = 0; i < 40; ++i) {
    outside.slice("waits: stress (88) runs", SliceKind::kCondition, -1000_ms + 10_ms * i, 8_ms);
  }
  EXPECT_FALSE(findings_of(outside).contains("cores_taken"));
}

TEST(CoresTakenTest, samples_tell_it_where_the_exact_times_are_missing) {
  Sketch sketch = launching_loop(1_ms);
  add_constant(sketch.thread(1), "waiting_for_core_pct", "", 31);
  add_constant(sketch.thread(2), "waiting_for_core_pct", "", 90);
  sketch.track("metrics", TrackKind::kOther);
  add_constant(sketch, "foreign_process_cpu_usage", "stress (88)", 390);
  add_constant(sketch, "foreign_process_cpu_usage", "strobe (7)", 800);
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("cores_taken"));
  EXPECT_EQ(findings.at("cores_taken").headline,
            "thread 1, which launches, waited for a core 31.0 % of the 10 steps; of the processes "
            "outside of the program, stress (88) used most, 3.9 cores");
}

TEST(CoresTakenTest, samples_of_little_waiting_are_no_finding) {
  Sketch sketch = launching_loop(1_ms);
  add_constant(sketch.thread(1), "waiting_for_core_pct", "", 3);
  EXPECT_FALSE(findings_of(sketch).contains("cores_taken"));
}

// --- A quota.

TEST(CpuQuotaTest, time_in_which_the_process_was_stopped_is_told_with_the_quota) {
  Sketch sketch = launching_loop(1_ms);
  sketch.track("metrics", TrackKind::kOther);
  add_samples(sketch, "cpu_quota_throttled_us", "", [](std::int64_t time_ns) {
    return 1e6 + 0.25 * static_cast<double>(time_ns) / 1000;
  });
  add_constant(sketch, "cpu_quota_cores", "", 2);
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("cpu_quota"));
  EXPECT_EQ(findings.at("cpu_quota").headline,
            "a CPU quota of 2.0 cores stopped the process for 25.0 % of the 10 steps, cores added "
            "up");
  EXPECT_EQ(findings.at("cpu_quota").weight, FindingWeight::kMatters);
}

TEST(CpuQuotaTest, a_quota_that_never_stops_the_process_is_no_finding) {
  Sketch sketch = launching_loop(1_ms);
  sketch.track("metrics", TrackKind::kOther);
  add_constant(sketch, "cpu_quota_throttled_us", "", 1e6);
  add_constant(sketch, "cpu_quota_cores", "", 2);
  EXPECT_FALSE(findings_of(sketch).contains("cpu_quota"));
}

// --- The clock.

Sketch limited_loop(double bits_from_step_2, double limited_mhz) {
  Sketch sketch = launching_loop(6_ms);
  sketch.stream(0, 99);
  add_samples(sketch, "gpu_throttle_reasons", "", [=](std::int64_t time_ns) {
    return time_ns < 0 ? 1 : time_ns < 200_ms ? 0 : bits_from_step_2;
  });
  add_samples(sketch, "gpu_sm_frequency", "", [=](std::int64_t time_ns) {
    return time_ns < 0 ? 345 : time_ns < 200_ms ? 1980 : limited_mhz;
  });
  return sketch;
}

TEST(ClockLimitedTest, the_reason_and_its_share_of_the_busy_time_are_told) {
  Sketch sketch = limited_loop(0x4, 1485);
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("clock_limited"));
  const Finding& finding = findings.at("clock_limited");
  EXPECT_EQ(finding.headline,
            "the clock of GPU 0 was limited (power cap) for 80.0 % of the 600 ms in which it "
            "worked: 1,485 MHz then, 1,980 MHz at most");
  EXPECT_NEAR(finding.share, 0.8 * 0.25, 1e-3);
  EXPECT_EQ(finding.weight, FindingWeight::kMatters);
  EXPECT_THAT(finding.against, IsEmpty());
}

TEST(ClockLimitedTest, heat_has_its_own_advice) {
  Sketch sketch = limited_loop(0x24, 1485);
  const Finding finding = findings_of(sketch).at("clock_limited");
  EXPECT_THAT(finding.headline, HasSubstr("(heat, power cap)"));
  EXPECT_THAT(finding.advice, HasSubstr("cooling"));
}

TEST(ClockLimitedTest, a_limit_that_hardly_lowers_the_clock_is_a_note) {
  Sketch sketch = limited_loop(0x4, 1965);
  const Finding finding = findings_of(sketch).at("clock_limited");
  EXPECT_EQ(finding.weight, FindingWeight::kNote);
  EXPECT_THAT(finding.against, ElementsAre(HasSubstr("costs little")));
}

TEST(ClockLimitedTest, idle_devices_and_chosen_clocks_are_not_limited) {
  for (const double bits : {0.0, 1.0, 2.0}) {
    Sketch sketch = limited_loop(bits, 1485);
    EXPECT_FALSE(findings_of(sketch).contains("clock_limited")) << bits;
  }
}

TEST(ClockLimitedTest, limits_outside_of_the_work_do_not_count) {
  Sketch sketch = launching_loop(1_ms);
  sketch.stream(0, 99);
  add_samples(sketch, "gpu_throttle_reasons", "",
              [](std::int64_t time_ns) { return time_ns > 1000_ms ? 4 : 0; });
  EXPECT_FALSE(findings_of(sketch).contains("clock_limited"));
}

TEST(ClockLimitedTest, nine_samples_are_too_few) {
  Sketch sketch = launching_loop(6_ms);
  sketch.stream(0, 99);
  for (int i = 0; i <= 9; ++i) {
    sketch.counter("gpu_throttle_reasons", "gpu_throttle_reasons", 111_ms * i, 4);
  }
  EXPECT_FALSE(findings_of(sketch).contains("clock_limited"));
}

// --- Other processes on the device.

Sketch shared_loop(double others, double own = 58) {
  Sketch sketch = launching_loop(6_ms);
  sketch.stream(0, 99);
  add_constant(sketch, "gpu_foreign_usage", "", others);
  add_constant(sketch, "gpu_process_usage", "", own);
  return sketch;
}

TEST(DeviceSharedTest, the_process_is_named) {
  Sketch sketch = shared_loop(49);
  add_constant(sketch, "gpu_foreign_process_usage", "Xorg (12)", 1);
  add_constant(sketch, "gpu_foreign_process_usage", "python3 (4711)", 48);
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("device_shared"));
  const Finding& finding = findings.at("device_shared");
  EXPECT_EQ(finding.headline,
            "another process used GPU 0: 49.0 % of it on average during the 10 steps, most of it "
            "python3 (4711)");
  EXPECT_EQ(finding.weight, FindingWeight::kMatters);
  EXPECT_THAT(finding.against, ElementsAre(HasSubstr("start within 1.00 us of their launch")));
}

TEST(DeviceSharedTest, the_largest_of_many_is_not_most_of_it) {
  Sketch sketch = shared_loop(60);
  for (const char* const key : {"a (1)", "b (2)", "c (3)"}) {
    add_constant(sketch, "gpu_foreign_process_usage", key, key[0] == 'b' ? 24 : 18);
  }
  EXPECT_THAT(findings_of(sketch).at("device_shared").headline,
              HasSubstr("during the 10 steps, the largest part b (2)"));
}

TEST(DeviceSharedTest, work_that_waits_for_its_turn_leaves_nothing_against_it) {
  Sketch sketch = launching_loop(5_ms, 3_ms);
  sketch.stream(0, 99);
  add_constant(sketch, "gpu_foreign_usage", "", 49);
  EXPECT_THAT(findings_of(sketch).at("device_shared").against, IsEmpty());
}

TEST(DeviceSharedTest, a_desktop_is_no_finding) {
  Sketch sketch = shared_loop(1.5);
  EXPECT_FALSE(findings_of(sketch).contains("device_shared"));
}

TEST(DeviceSharedTest, a_device_that_the_trace_does_not_use_may_be_used_by_others) {
  Sketch sketch = launching_loop(6_ms);
  sketch.stream(3, 99);
  add_constant(sketch, "gpu_foreign_usage", "", 90);
  EXPECT_FALSE(findings_of(sketch).contains("device_shared"));
}

TEST(DeviceSharedTest, a_list_that_takes_the_program_for_a_stranger_is_not_believed) {
  Sketch sketch = shared_loop(58, 0);
  EXPECT_FALSE(findings_of(sketch).contains("device_shared"));
}

TEST(MachineRulesTest, a_trace_without_samples_has_none_of_them) {
  Sketch sketch = launching_loop(6_ms);
  const auto findings = findings_of(sketch);
  for (const char* const code : {"cores_taken", "cpu_quota", "clock_limited", "device_shared"}) {
    EXPECT_FALSE(findings.contains(code)) << code;
  }
}

}  // namespace
}  // namespace strobe::analysis

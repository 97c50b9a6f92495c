#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "strobe/analysis/findings/idle_rules.h"
#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// --- The profiler's own work.

TEST(ProfilerOverheadTest, what_the_profiler_holds_up_is_not_blamed_on_the_program) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kOverhead, "Buffer Flush", 4, 80_ms));
  add_idle(summary, idle_row(IdleKind::kOverhead, "Activity Buffer Request", 1, 10_ms));
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::linear", 50, 200_us));
  const auto findings = findings_in(summary);
  ASSERT_TRUE(findings.contains("profiler_overhead"));
  const Finding& finding = findings.at("profiler_overhead");
  EXPECT_EQ(finding.weight, FindingWeight::kMatters);
  EXPECT_DOUBLE_EQ(finding.share, 0.33);
  EXPECT_EQ(finding.headline,
            "the profiler itself held up the program for 330 ms: GPU idle 33.0 % of the 5 steps, "
            "mostly in Buffer Flush, 4 times, 80.0 ms on average, 80.0 ms at most");
  EXPECT_THAT(finding.advice, StartsWith("leave this time out"));
  EXPECT_THAT(finding.against, IsEmpty());
  for (const char* code : {"idle_in_host_code", "work_without_launches", "idle_mostly_one_cause",
                           "scattered_idle", "host_stalls"}) {
    EXPECT_FALSE(findings.contains(code)) << code;
  }
}

TEST(ProfilerOverheadTest, a_small_part_of_the_steps_is_no_finding) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kOverhead, "Buffer Flush", 4, 10_ms));
  EXPECT_FALSE(findings_in(summary).contains("profiler_overhead"));
}

TEST(ProfilerOverheadTest, the_first_buffers_are_asked_for_in_the_first_step) {
  Summary summary = five_steps();
  IdleRow row = idle_row(IdleKind::kOverhead, "Activity Buffer Request", 1, 70_ms);
  row.longest = {10_ms, 80_ms};
  add_idle(summary, row);
  const Finding finding = findings_in(summary).at("profiler_overhead");
  EXPECT_THAT(finding.headline, HasSubstr("in Activity Buffer Request, once for 70.0 ms"));
  EXPECT_THAT(finding.against, ElementsAre("most of it lies in the first step: it may be warm-up"));
}

// Four steps of 10 ms. Each launches 40 kernels and then flushes the profiler's buffers for 8 ms,
// in the middle of an operator.
TEST(ProfilerOverheadTest, a_trace_with_a_flush_in_each_step) {
  Sketch sketch;
  std::uint32_t id = 1;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t start_ns = 10_ms * i;
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 10_ms);
    for (int k = 0; k < 40; ++k) {
      const std::int64_t call_ns = start_ns + 30_us * k;
      sketch.thread(1).slice("xLaunchKernel", kCall, call_ns, 5_us).correlation(id);
      sketch.stream(0, 7).slice("k", kKernel, call_ns + 6_us, 30_us).correlation(id++);
    }
    sketch.thread(1).slice("aten::linear", kOp, start_ns + 1250_us, 8500_us);
    sketch.thread(0, -1).slice("Buffer Flush", SliceKind::kOverhead, start_ns + 1300_us, 8_ms);
  }
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("profiler_overhead"));
  EXPECT_THAT(findings.at("profiler_overhead").headline,
              StartsWith("the profiler itself held up the program for 32.0 ms: GPU idle 80.0 % of "
                         "the 4 steps, in Buffer Flush, 4 times, 8.00 ms on average"));
  EXPECT_FALSE(findings.contains("idle_in_host_code"));
}

// --- Launches that wait for their kernels.

// Kernels of 205 us, one every 260 us. Their launches last 215 us, or 5 us.
Sketch launches_of(std::int64_t call_length_ns, int kernels = 40) {
  Sketch sketch;
  sketch.thread(1).slice("Step#0", SliceKind::kStep, 0_us, 260_us * kernels);
  for (int k = 0; k < kernels; ++k) {
    const auto id = static_cast<std::uint32_t>(k + 1);
    const std::int64_t start_ns = 260_us * k;
    sketch.thread(1).slice("aten::mm", kOp, start_ns, 250_us);
    sketch.slice("xLaunchKernel", kCall, start_ns + 20_us, call_length_ns).correlation(id);
    sketch.stream(0, 7).slice("k", kKernel, start_ns + 26_us, 205_us).correlation(id);
  }
  return sketch;
}

TEST(BlockingLaunchesTest, calls_that_last_until_their_kernel_ends_are_told) {
  Sketch sketch = launches_of(215_us);
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("blocking_launches"));
  const Finding& finding = findings.at("blocking_launches");
  EXPECT_EQ(finding.weight, FindingWeight::kMatters);
  EXPECT_THAT(finding.headline,
              StartsWith("launches wait for their kernels (a setting for debugging?): "
                         "40 of 40 kernels run inside the call that launches them"));
  EXPECT_THAT(finding.headline, HasSubstr("the GPU is idle 21.2 % of the step (2.20 ms)"));
  EXPECT_THAT(finding.advice, StartsWith("record again without"));
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
  EXPECT_FALSE(findings.contains("idle_mostly_one_cause"));
  EXPECT_FALSE(findings.contains("scattered_idle"));
}

TEST(BlockingLaunchesTest, calls_that_return_before_do_not_wait) {
  Sketch sketch = launches_of(5_us);
  EXPECT_FALSE(findings_of(sketch).contains("blocking_launches"));
}

// A slow first launch, or a few, are nothing that a setting causes.
TEST(BlockingLaunchesTest, some_calls_that_wait_are_not_enough) {
  Sketch few = launches_of(215_us, 9);
  EXPECT_FALSE(findings_of(few).contains("blocking_launches"));
  Sketch mixed = launches_of(215_us, 40);
  for (std::uint32_t id = 41; id < 46; ++id) {
    const std::int64_t start_ns = 260_us * id;
    mixed.thread(1).slice("xLaunchKernel", kCall, start_ns, 5_us).correlation(id);
    mixed.stream(0, 7).slice("k", kKernel, start_ns + 6_us, 20_us).correlation(id);
  }
  EXPECT_FALSE(findings_of(mixed).contains("blocking_launches"));
}

}  // namespace

}  // namespace strobe::analysis

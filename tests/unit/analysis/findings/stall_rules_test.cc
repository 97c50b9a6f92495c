#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "strobe/analysis/findings/finding_rules.h"
#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Summary five_blocking_copies() {
  Summary summary = five_steps();
  IdleRow row =
      idle_row(IdleKind::kRuntimeCall, "xMemcpyAsync", {139_ms, 141_ms, 143_ms, 145_ms, 147_ms});
  row.inside = "aten::copy_";
  row.source = "/job/src/train.py(31): step";
  add_idle(summary, row);
  add_delay(summary, 4_us, 6_us);
  return summary;
}

TEST(BlockingCallTest, the_call_its_operator_and_its_line_are_named) {
  const auto findings = findings_in(five_blocking_copies());
  ASSERT_TRUE(findings.contains("blocking_call"));
  const Finding& finding = findings.at("blocking_call");
  EXPECT_EQ(finding.weight, FindingWeight::kMatters);
  EXPECT_DOUBLE_EQ(finding.share, 0.715);
  EXPECT_EQ(finding.headline,
            "GPU idle 71.5 % of the 5 steps (715 ms) while the host is in xMemcpyAsync: 5 times, "
            "143 ms on average, 147 ms at most, in aten::copy_ at train.py(31): step");
  EXPECT_THAT(finding.against, IsEmpty());
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
  EXPECT_FALSE(findings.contains("scattered_idle"));
}

TEST(BlockingCallTest, the_advice_depends_on_what_the_call_is_for) {
  const auto advice_for = [](const std::string& call, int times) {
    Summary summary = five_steps();
    add_idle(summary, idle_row(IdleKind::kRuntimeCall, call, times, 60_ms));
    return findings_in(summary).at("blocking_call").advice;
  };
  EXPECT_THAT(advice_for("xStreamSynchronize", 5), StartsWith("remove the synchronisation"));
  EXPECT_THAT(advice_for("xMalloc", 5), StartsWith("allocate once"));
  EXPECT_THAT(advice_for("xFree", 5), StartsWith("allocate once"));
  EXPECT_THAT(advice_for("xModuleLoadData", 5), StartsWith("the first use of a kernel"));
  EXPECT_THAT(advice_for("xLaunchKernel", 1), StartsWith("the first use of a kernel"));
  EXPECT_THAT(advice_for("xDeviceGetStreamPriorityRange", 1),
              StartsWith("this looks like initialisation"));
  EXPECT_THAT(advice_for("xIpcOpenMemHandle", 5), StartsWith("find out who calls it"));
}

TEST(BlockingCallTest, a_wait_for_an_idle_device_may_be_due_to_another_process) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kRuntimeCall, "xStreamSynchronize", 5, 60_ms));
  EXPECT_THAT(findings_in(summary).at("blocking_call").against,
              Contains(HasSubstr("another process may use it")));
}

// 9,000 calls of 20 us: the host is busy, not stuck.
TEST(BlockingCallTest, short_calls_do_not_block) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kRuntimeCall, "xMemcpyAsync", 9000, 20_us));
  add_idle(summary, idle_row(IdleKind::kRuntimeCall, "xLaunchKernel", 9000, 20_us));
  EXPECT_FALSE(findings_in(summary).contains("blocking_call"));
}

TEST(BlockingCallTest, a_twentieth_of_the_steps_is_where_it_starts) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kRuntimeCall, "xMalloc", 5, 9_ms));
  EXPECT_FALSE(findings_in(summary).contains("blocking_call"));
  Summary more = five_steps();
  add_idle(more, idle_row(IdleKind::kRuntimeCall, "xMalloc", 5, 11_ms));
  EXPECT_EQ(findings_in(more).at("blocking_call").weight, FindingWeight::kWorthALook);
}

TEST(BlockingCallTest, one_long_call_among_many_short_ones_counts_alone) {
  Summary summary = five_steps();
  IdleRow row = idle_row(IdleKind::kRuntimeCall, "xLaunchKernel", 1000, 10_us);
  row.idle.add(190_ms);
  row.in_steps_ns += 190_ms;
  row.longest = {0, 190_ms};
  add_idle(summary, row);
  const Finding finding = findings_in(summary).at("blocking_call");
  EXPECT_DOUBLE_EQ(finding.share, 0.19);
  EXPECT_EQ(finding.headline,
            "GPU idle 19.0 % of the 5 steps (190 ms) while the host is in xLaunchKernel: once for "
            "190 ms");
  EXPECT_THAT(finding.against, Contains("most of it lies in the first step: it may be warm-up"));
}

TEST(BlockingCallTest, the_same_time_in_every_step_is_no_warm_up) {
  Summary summary = five_blocking_copies();
  summary.waits.idle[0].longest = {0, 147_ms};
  EXPECT_THAT(findings_in(summary).at("blocking_call").against, IsEmpty());
}

TEST(BlockingCallTest, rows_of_one_call_add_up_and_a_second_call_is_named) {
  Summary summary = five_steps();
  IdleRow small = idle_row(IdleKind::kRuntimeCall, "xMemcpyAsync", 1, 40_ms);
  small.inside = "aten::item";
  IdleRow large = idle_row(IdleKind::kRuntimeCall, "xMemcpyAsync", 2, 100_ms);
  large.inside = "aten::copy_";
  add_idle(summary, small);
  add_idle(summary, large);
  add_idle(summary, idle_row(IdleKind::kRuntimeCall, "xMalloc", 1, 60_ms));
  const Finding finding = findings_in(summary).at("blocking_call");
  EXPECT_EQ(finding.headline,
            "GPU idle 24.0 % of the 5 steps (240 ms) while the host is in xMemcpyAsync: 3 times, "
            "80.0 ms on average, 100 ms at most, mostly in aten::copy_; another 6.0 % in xMalloc");
  EXPECT_THAT(finding.against, IsEmpty()) << "both are named";
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 1000, 100_us));
  EXPECT_THAT(findings_in(summary).at("blocking_call").against,
              Contains("25.0 % of the idle time has other causes"));
}

TEST(BlockingCallTest, only_time_inside_steps_counts) {
  Summary summary = five_steps();
  summary.extent = {0, 3000_ms};
  summary.span_ns = 3000_ms;
  IdleRow row = idle_row(IdleKind::kRuntimeCall, "xDeviceSynchronize", {1500_ms});
  row.in_steps_ns = 10_ms;
  add_idle(summary, row);
  EXPECT_FALSE(findings_in(summary).contains("blocking_call"));
}

// 3,000 short stretches in the steps, 0.1 ms each, and one of 500 ms before them.
TEST(IdleInHostCodeTest, the_longest_stretch_is_not_told_of_steps_that_it_is_not_in) {
  Summary summary = five_steps();
  summary.extent = {-600_ms, 1000_ms};
  summary.span_ns = 1600_ms;
  IdleRow row = idle_row(IdleKind::kOperator, "aten::add", 3000, 100_us);
  row.idle.add(500_ms);
  row.longest = {-600_ms, -100_ms};
  add_idle(summary, row);
  const auto findings = findings_in(summary);
  EXPECT_FALSE(findings.contains("idle_in_host_code"));
  EXPECT_FALSE(findings.contains("blocking_call"));
}

TEST(BlockingCallTest, times_outside_the_steps_are_told) {
  Summary summary = five_steps();
  summary.extent = {0, 2000_ms};
  summary.span_ns = 2000_ms;
  IdleRow row = idle_row(IdleKind::kRuntimeCall, "xMalloc", 6, 60_ms);
  row.in_steps_ns = 300_ms;
  add_idle(summary, row);
  EXPECT_THAT(findings_in(summary).at("blocking_call").against,
              Contains("another 60.0 ms of it is outside the steps: the times given here include "
                       "it"));
}

// Steps of 20 ms with a copy of 10 ms that blocks, of this name on the device.
std::string advice_for_copy(const std::string& copy) {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::int64_t start_ns = 20_ms * i;
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 20_ms);
    sketch.slice("xMemcpyAsync", kCall, start_ns, 10_ms).correlation(2 * i + 1);
    sketch.slice("xLaunchKernel", kCall, start_ns + 10_ms, 5_us).correlation(2 * i + 2);
    sketch.stream(0, 7).slice(copy, SliceKind::kMemcpy, start_ns + 9_ms, 1_ms);
    sketch.correlation(2 * i + 1);
    sketch.slice("k", kKernel, start_ns + 10_ms + 10_us, 9_ms).correlation(2 * i + 2);
  }
  const Finding finding = findings_of(sketch).at("blocking_call");
  return finding.headline.substr(finding.headline.rfind(',')) + ": " + finding.advice;
}

TEST(BlockingCallTest, the_advice_for_a_copy_depends_on_its_direction_and_memory) {
  EXPECT_THAT(advice_for_copy("Memcpy HtoD (Pageable -> Device)"),
              StartsWith(", mostly host to device: pin the host memory"));
  EXPECT_THAT(advice_for_copy("Memcpy HtoD (Pinned -> Device)"),
              StartsWith(", mostly host to device: the host memory is pinned already"));
  EXPECT_THAT(advice_for_copy("Memcpy DtoH (Device -> Pageable)"),
              StartsWith(", mostly device to host: read results back into pinned memory"));
  EXPECT_THAT(advice_for_copy("Memcpy DtoH (Device -> Pinned)"), Not(HasSubstr("into pinned")));
}

// --- Host code.

// One gap of 29 ms and two of microseconds: their average says nothing.
TEST(IdleInHostCodeTest, only_stretches_that_matter_are_counted) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kNothing, "", {20_us, 150_ms, 30_us}));
  EXPECT_THAT(findings_in(summary).at("idle_in_host_code").headline,
              HasSubstr(": once for 150 ms"));
  Summary uneven = five_steps();
  add_idle(uneven, idle_row(IdleKind::kNothing, "", {20_us, 70_ms, 80_ms}));
  EXPECT_THAT(
      findings_in(uneven).at("idle_in_host_code").headline,
      HasSubstr("(150 ms) while the host is in code that was not recorded: up to 80.0 ms at "
                "once"));
}

TEST(IdleInHostCodeTest, long_stretches_in_the_script_are_told_with_their_line) {
  Summary summary = five_steps();
  IdleRow row = idle_row(IdleKind::kScript, "/job/src/evaluate.py(12): sample", 5, 40_ms);
  row.source = row.name;
  add_idle(summary, row);
  const Finding finding = findings_in(summary).at("idle_in_host_code");
  EXPECT_EQ(finding.weight, FindingWeight::kMatters);
  EXPECT_EQ(finding.headline,
            "GPU idle 20.0 % of the 5 steps (200 ms) while the host is in evaluate.py(12): sample: "
            "5 times, 40.0 ms on average, 40.0 ms at most");
}

TEST(IdleInHostCodeTest, operators_ranges_and_unknown_code_have_their_words) {
  const auto finding_for = [](IdleKind kind, const std::string& name) {
    Summary summary = five_steps();
    add_idle(summary, idle_row(kind, name, 5, 40_ms));
    return findings_in(summary).at("idle_in_host_code");
  };
  EXPECT_THAT(finding_for(IdleKind::kOperator, "aten::unique").headline,
              HasSubstr("in the operator aten::unique: "));
  EXPECT_THAT(finding_for(IdleKind::kRange, "preprocess").headline,
              HasSubstr("in the range preprocess: "));
  const Finding unknown = finding_for(IdleKind::kNothing, "");
  EXPECT_THAT(unknown.headline, HasSubstr("in code that was not recorded: "));
  EXPECT_THAT(unknown.advice, StartsWith("record interpreter frames"));
  EXPECT_EQ(unknown.weight, FindingWeight::kWorthALook);
  EXPECT_THAT(finding_for(IdleKind::kRange, "Step#3").headline,
              HasSubstr("in code that was not recorded: "))
      << "the step alone tells nothing";
}

TEST(IdleInHostCodeTest, many_short_stretches_are_no_stall) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 1000, 300_us));
  EXPECT_FALSE(findings_in(summary).contains("idle_in_host_code"));
}

// --- A host that stands still.

// Steps of 20 ms in which 16 operators of 20 us launch a kernel each; the operators at `stalls`
// take 4 ms more.
Sketch steps_with_stalls(int steps, const std::array<int, 3>& stalls, int operators) {
  Sketch sketch;
  std::uint32_t id = 1;
  for (int i = 0; i < steps; ++i) {
    std::int64_t now_ns = 20_ms * i;
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, now_ns, 20_ms);
    for (int k = 0; k < 16; ++k) {
      const bool is_stalled = k == stalls[0] + i || k == stalls[1] + i || k == stalls[2] + i;
      const std::int64_t length_ns = is_stalled ? 4'020_us : 20_us;
      sketch.thread(1).slice("aten::op" + std::to_string(k % operators), kOp, now_ns, length_ns);
      sketch.slice("xLaunchKernel", kCall, now_ns + length_ns - 6_us, 5_us).correlation(id);
      sketch.stream(0, 7).slice("k", kKernel, now_ns + length_ns, 10_us).correlation(id++);
      now_ns += length_ns;
    }
  }
  return sketch;
}

TEST(HostStallsTest, long_gaps_at_changing_places_are_no_code_of_the_step) {
  Sketch sketch = steps_with_stalls(6, {0, 4, 9}, 5);
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("host_stalls"));
  const Finding& finding = findings.at("host_stalls");
  EXPECT_EQ(finding.weight, FindingWeight::kMatters);
  EXPECT_THAT(finding.headline, StartsWith("the host stands still: GPU idle "));
  EXPECT_THAT(finding.headline, HasSubstr("in 23 gaps of typically 4.01 ms"));
  EXPECT_THAT(finding.headline, HasSubstr("at 6 different places"));
  EXPECT_THAT(finding.advice, HasSubstr("other processes on the cores"));
  EXPECT_THAT(finding.against, IsEmpty());
  EXPECT_FALSE(findings.contains("idle_in_host_code"));
  EXPECT_FALSE(findings.contains("scattered_idle"));
  EXPECT_FALSE(findings.contains("work_without_launches"));
}

// The same gaps, always in the same two operators: their code takes the time.
TEST(HostStallsTest, the_same_places_again_are_code_of_the_step) {
  Sketch sketch = steps_with_stalls(6, {0, 4, 9}, 2);
  const auto findings = findings_of(sketch);
  EXPECT_FALSE(findings.contains("host_stalls"));
  EXPECT_TRUE(findings.contains("idle_in_host_code"));
}

TEST(HostStallsTest, a_few_long_gaps_are_no_pattern) {
  Sketch sketch = steps_with_stalls(2, {0, 4, 9}, 5);
  EXPECT_FALSE(findings_of(sketch).contains("host_stalls"));
}

// --- Work that launches nothing.

// Steps of 20 ms that start with operators of 20 us on the host for 15 ms; then a kernel of 4 ms.
Sketch steps_that_prepare_data(std::int64_t kernel_ns) {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::int64_t start_ns = 20_ms * i;
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 20_ms);
    for (int k = 0; k < 750; ++k) {
      sketch.slice("aten::op" + std::to_string(k % 4), kOp, start_ns + 20_us * k, 20_us);
    }
    sketch.slice("xLaunchKernel", kCall, start_ns + 15_ms, 5_us).correlation(i + 1);
    sketch.stream(0, 7).slice("k", kKernel, start_ns + 15_ms + 8_us, kernel_ns).correlation(i + 1);
  }
  return sketch;
}

TEST(WorkWithoutLaunchesTest, many_short_operators_that_launch_nothing_are_work_of_the_host) {
  Sketch sketch = steps_that_prepare_data(4_ms);
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("work_without_launches"));
  EXPECT_THAT(
      findings.at("work_without_launches").headline,
      HasSubstr("in 4 gaps of typically 16.0 ms, in which the host works at many places and "
                "launches nothing: "));
  EXPECT_FALSE(findings.contains("idle_in_host_code")) << "no operator takes long";
  EXPECT_FALSE(findings.contains("scattered_idle"));
  EXPECT_FALSE(findings.contains("host_stalls"));
}

TEST(WorkWithoutLaunchesTest, a_device_that_works_meanwhile_is_not_idle) {
  Sketch sketch = steps_that_prepare_data(19'900_us);
  sketch.stream(0, 7).slice("first", kKernel, 0_ms, 15_ms);
  EXPECT_FALSE(findings_of(sketch).contains("work_without_launches"));
}

}  // namespace

}  // namespace strobe::analysis

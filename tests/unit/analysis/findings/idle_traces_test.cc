#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/findings/step_summary.h"

// Small traces with the shape of real ones, from their slices to the finding.
namespace strobe::analysis {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A step of 1 ms, all of it in a range. A kernel of 10 us starts right after each launch.
Sketch step_of_launches() {
  Sketch sketch;
  sketch.thread(1).slice("Step#0", SliceKind::kStep, 0_us, 1000_us);
  sketch.slice("forward", SliceKind::kAnnotation, 0_us, 1000_us);
  for (std::uint32_t i = 0; i < 10; ++i) {
    sketch.thread(1).slice("xLaunch", kCall, 100_us * i, 5_us).correlation(i + 1);
    sketch.stream(0, 7).slice("k", kKernel, 100_us * i + 7_us, 10_us).correlation(i + 1);
  }
  return sketch;
}

TEST(IdleTracesTest, a_trace_of_small_kernels_and_a_slow_host_is_launch_bound) {
  Sketch sketch = step_of_launches();
  sketch.metadata().traits.device_label = "XPU";
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("device_idle_host_bound"));
  EXPECT_THAT(findings.at("device_idle_host_bound").headline,
              StartsWith("the host launches too slowly: XPU idle "));
}

// The collective takes 5 ms because it waits for another rank; it says nothing about launches.
TEST(IdleTracesTest, a_collective_that_waits_does_not_count_as_a_long_kernel) {
  Sketch sketch;
  sketch.thread(1).slice("Step#0", SliceKind::kStep, 0_us, 10'000_us);
  sketch.slice("forward", SliceKind::kAnnotation, 0_us, 10'000_us);
  for (std::uint32_t i = 0; i < 50; ++i) {
    sketch.thread(1).slice("xLaunch", kCall, 100_us * i, 5_us).correlation(i + 1);
    sketch.stream(0, 7).slice("k", kKernel, 100_us * i + 7_us, 10_us).correlation(i + 1);
  }
  sketch.thread(1).slice("xLaunch", kCall, 4'950_us, 5_us).correlation(99);
  sketch.stream(0, 9).slice("all_reduce", kKernel, 5'000_us, 5'000_us).correlation(99);
  sketch.flags(kCommunicates);
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("device_idle_host_bound"));
  EXPECT_THAT(findings.at("device_idle_host_bound").headline,
              HasSubstr("a computing kernel takes 10.0 us on average, median 10.0 us"));
  EXPECT_TRUE(findings.contains("exposed_communication"));
}

// Five steps of 200 ms. Each copies from pageable memory for 143 ms and then computes for 44 ms.
TEST(IdleTracesTest, a_trace_with_a_blocking_copy_in_each_step) {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 5; ++i) {
    const std::int64_t start_ns = 200_ms * i;
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 200_ms);
    sketch.slice("train.py(31): step", SliceKind::kPythonCall, start_ns, 199_ms);
    sketch.slice("aten::copy_", kOp, start_ns + 9_ms, 145_ms);
    sketch.slice("xMemcpyAsync", kCall, start_ns + 10_ms, 143_ms).correlation(2 * i + 1);
    sketch.slice("aten::mm", kOp, start_ns + 154_ms, 1_ms);
    sketch.slice("xLaunchKernel", kCall, start_ns + 154_ms, 10_us).correlation(2 * i + 2);
    sketch.stream(0, 7).slice("copy", SliceKind::kMemcpy, start_ns + 152_ms, 1_ms);
    sketch.correlation(2 * i + 1);
    sketch.slice("gemm", kKernel, start_ns + 155_ms, 44_ms).correlation(2 * i + 2);
  }
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("blocking_call"));
  const Finding& finding = findings.at("blocking_call");
  EXPECT_THAT(finding.headline,
              HasSubstr("while the host is in xMemcpyAsync: 5 times, 142 ms on average"));
  EXPECT_THAT(finding.headline, HasSubstr("in aten::copy_ at train.py(31): step"));
  EXPECT_NEAR(finding.share, 0.71, 0.001);
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
}

TEST(IdleTracesTest, a_trace_with_one_copy_that_blocks_once) {
  Sketch sketch;
  sketch.thread(1).slice("Step#0", SliceKind::kStep, 0, 600_ms);
  sketch.slice("aten::to", kOp, 40_ms, 505_ms);
  sketch.slice("xMemcpyWithStream", kCall, 50_ms, 493_ms).correlation(1);
  sketch.slice("aten::mm", kOp, 548_ms, 1_ms);
  sketch.slice("xLaunchKernel", kCall, 548_ms, 10_us).correlation(2);
  sketch.stream(0, 7).slice("copy", SliceKind::kMemcpy, 540_ms, 3_ms).correlation(1);
  sketch.slice("gemm", kKernel, 549_ms, 51_ms).correlation(2);
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("blocking_call"));
  EXPECT_THAT(findings.at("blocking_call").headline,
              HasSubstr("while the host is in xMemcpyWithStream: once for 490 ms, in aten::to"));
  EXPECT_THAT(findings.at("blocking_call").advice, HasSubstr("pin the host memory"));
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
}

// One call initialises the device for 29.9 s; then five steps keep it busy.
TEST(IdleTracesTest, a_trace_that_starts_with_a_long_initialisation) {
  Sketch sketch;
  sketch.thread(1).slice("aten::randn", kOp, 0, 29'950_ms);
  sketch.slice("xDeviceGetStreamPriorityRange", kCall, 10_ms, 29'900_ms);
  for (std::uint32_t i = 0; i < 5; ++i) {
    const std::int64_t start_ns = 29'950_ms + 20_ms * i;
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 20_ms);
    sketch.slice("xLaunchKernel", kCall, start_ns, 10_us).correlation(i + 1);
    sketch.stream(0, 7).slice("gemm", kKernel, start_ns + 15_us, 19_ms).correlation(i + 1);
  }
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("start_up"));
  const Finding& finding = findings.at("start_up");
  EXPECT_EQ(finding.weight, FindingWeight::kWorthALook);
  EXPECT_THAT(finding.headline, HasSubstr("of the span, all before the first step; GPU idle"));
  EXPECT_THAT(finding.headline, HasSubstr("29.9 s while the host is in "
                                          "xDeviceGetStreamPriorityRange (in aten::randn)"));
  EXPECT_FALSE(findings.contains("idle_outside_steps"));
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
  EXPECT_FALSE(findings.contains("blocking_call")) << "no step waits for it";
}

TEST(IdleTracesTest, without_steps_the_call_is_told_as_initialisation) {
  Sketch sketch;
  sketch.thread(1).slice("aten::randn", kOp, 0, 29'950_ms);
  sketch.slice("xDeviceGetStreamPriorityRange", kCall, 10_ms, 29'900_ms);
  sketch.slice("xLaunchKernel", kCall, 29'920_ms, 10_us).correlation(1);
  sketch.stream(0, 7).slice("gemm", kKernel, 29'921_ms, 79_ms).correlation(1);
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("start_up"));
  EXPECT_THAT(findings.at("start_up").headline,
              StartsWith("start-up takes 29.9 s, 99.7 % of the span; GPU idle 29.9 s of it: 29.9 s "
                         "while the host is in xDeviceGetStreamPriorityRange (in aten::randn)"));
  EXPECT_THAT(findings.at("start_up").advice, StartsWith("this happens once"));
  EXPECT_FALSE(findings.contains("blocking_call"));
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
  EXPECT_FALSE(findings.contains("idle_outside_steps"));
}

TEST(IdleTracesTest, a_trace_with_a_slow_operator_on_the_host) {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::int64_t start_ns = 100_ms * i;
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 100_ms);
    sketch.slice("aten::unique", kOp, start_ns + 1_ms, 50_ms);
    sketch.slice("aten::mm", kOp, start_ns + 52_ms, 1_ms);
    sketch.slice("xLaunchKernel", kCall, start_ns + 52_ms, 10_us).correlation(i + 1);
    sketch.stream(0, 7).slice("gemm", kKernel, start_ns + 52_ms + 15_us, 47_ms);
    sketch.correlation(i + 1);
  }
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("idle_in_host_code"));
  EXPECT_THAT(findings.at("idle_in_host_code").headline,
              HasSubstr("while the host is in the operator aten::unique: 4 times"));
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
}

}  // namespace

}  // namespace strobe::analysis

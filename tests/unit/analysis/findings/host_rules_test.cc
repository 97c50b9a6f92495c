#include "strobe/analysis/findings/host_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(HostRulesTest, a_trace_without_launches_is_of_the_host_alone) {
  Sketch sketch;
  sketch.thread(1).slice("aten::mm", kOp, 0_us, 20_us).slice("xLaunchKernel", kCall, 5_us, 2_us);
  EXPECT_FALSE(findings_of(sketch).contains("host_only_trace"));
  Sketch host;
  host.thread(1).slice("aten::mm", kOp, 0_us, 20_us);
  EXPECT_TRUE(findings_of(host).contains("host_only_trace"));
}

// A forward pass of 1 ms, 10 ms of something that was not recorded, then the backward pass.
Sketch forward_and_backward() {
  Sketch sketch;
  sketch.thread(1)
      .slice("aten::linear", kOp, 0_us, 600_us)
      .slice("aten::addmm", kOp, 100_us, 450_us)
      .slice("aten::cross_entropy_loss", kOp, 600_us, 400_us)
      .thread(2)
      .slice("autograd::engine::evaluate_function: AddmmBackward0", kOp, 11'000_us, 2'000_us)
      .slice("aten::mm", kOp, 11'050_us, 1'900_us);
  return sketch;
}

TEST(HostRulesTest, the_largest_gap_is_told_with_where_it_lies) {
  Sketch sketch = forward_and_backward();
  const Finding finding = findings_of(sketch).at("host_gap");
  EXPECT_EQ(finding.weight, FindingWeight::kWorthALook);
  EXPECT_NEAR(finding.share, 10.0 / 13, 1e-9);
  EXPECT_EQ(finding.headline,
            "no thread shows anything for 10.0 ms at once, 76.9 % of the span: between "
            "aten::cross_entropy_loss and autograd::engine::evaluate_function: AddmmBackwa..., "
            "1.00 ms after the start");
  EXPECT_THAT(finding.advice, StartsWith("record interpreter frames"));
}

TEST(HostRulesTest, the_step_of_the_gap_is_named) {
  Sketch sketch = forward_and_backward();
  sketch.thread(1).slice("Step#0", SliceKind::kStep, 0_us, 12_ms);
  EXPECT_THAT(findings_of(sketch).at("host_gap").headline, HasSubstr(", in Step#0, 1.00 ms after"));
}

TEST(HostRulesTest, a_small_part_or_a_short_time_is_no_gap) {
  Sketch small;
  small.thread(1).slice("a", kOp, 0_us, 50_ms).slice("b", kOp, 54_ms, 46_ms);
  EXPECT_FALSE(findings_of(small).contains("host_gap"));
  Sketch brief;
  brief.thread(1).slice("a", kOp, 0_us, 50_us).slice("b", kOp, 900_us, 50_us);
  EXPECT_FALSE(findings_of(brief).contains("host_gap"));
}

TEST(HostRulesTest, the_operator_with_most_time_of_its_own_is_told) {
  Sketch sketch = forward_and_backward();
  const Finding finding = findings_of(sketch).at("host_self_time");
  EXPECT_EQ(finding.headline,
            "aten::mm by itself takes 63.3 % of the host time (1.90 ms): 1 call, the longest "
            "1.90 ms");
  EXPECT_THAT(finding.advice, StartsWith("look at its longest call"));
}

TEST(HostRulesTest, many_calls_are_no_first_one) {
  Sketch sketch;
  for (int i = 0; i < 10; ++i) sketch.thread(1).slice("aten::mm", kOp, 300_us * i, 280_us);
  sketch.slice("aten::add", kOp, 3_ms, 100_us);
  const Finding finding = findings_of(sketch).at("host_self_time");
  EXPECT_THAT(finding.headline, HasSubstr("(2.80 ms): 10 calls, the longest 280 us"));
  EXPECT_THAT(finding.advice, StartsWith("start here"));
}

TEST(HostRulesTest, a_trace_of_ranges_only_is_judged_by_them) {
  Sketch sketch;
  sketch.thread(1)
      .slice("load", SliceKind::kAnnotation, 0_ms, 4_ms)
      .slice("parse", SliceKind::kAnnotation, 4_ms, 16_ms);
  const auto findings = findings_of(sketch);
  EXPECT_THAT(findings.at("host_self_time").headline,
              StartsWith("parse by itself takes 80.0 % of the host time (16.0 ms)"));
  EXPECT_FALSE(findings.contains("host_only_trace"));
}

TEST(HostRulesTest, even_operators_and_a_single_one_have_no_largest) {
  Sketch even;
  even.thread(1)
      .slice("a", kOp, 0_ms, 3_ms)
      .slice("b", kOp, 3_ms, 3_ms)
      .slice("c", kOp, 6_ms, 3_ms);
  EXPECT_FALSE(findings_of(even).contains("host_self_time"));
  Sketch single;
  single.thread(1).slice("a", kOp, 0_ms, 3_ms);
  EXPECT_FALSE(findings_of(single).contains("host_self_time"));
}

TEST(HostRulesTest, a_trace_with_device_work_is_judged_by_that) {
  Sketch sketch = forward_and_backward();
  sketch.stream(0, 7).slice("k", kKernel, 5_ms, 1_us);
  const auto findings = findings_of(sketch);
  for (const char* code : {"host_gap", "host_self_time", "launched_work_not_recorded"}) {
    EXPECT_FALSE(findings.contains(code)) << code;
  }
}

}  // namespace

}  // namespace strobe::analysis

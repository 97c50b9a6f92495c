#include "strobe/analysis/findings/finding.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "strobe/base/text.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

TEST(FindingTest, heavier_findings_come_first_then_those_that_explain_more) {
  Sketch sketch;
  sketch.slice("Step#0", SliceKind::kStep, 0_us, 1000_us);
  sketch.slice("next batch", SliceKind::kDataLoader, 0_us, 200_us);
  sketch.slice("work", SliceKind::kAnnotation, 200_us, 800_us);
  sketch.stream(0, 7).slice("orphan", SliceKind::kKernel, 900_us, 50_us);
  const Trace trace = sketch.trace();
  const auto findings = find_in(trace, summarize(trace));
  ASSERT_GE(findings.size(), 2u);
  EXPECT_EQ(findings[0].code, "idle_mostly_one_cause");
  EXPECT_EQ(findings[1].code, "device_waits_for_data");
  for (std::size_t i = 1; i < findings.size(); ++i) {
    EXPECT_LE(findings[i].weight, findings[i - 1].weight);
  }
}

TEST(FindingTest, an_empty_trace_has_no_findings) {
  const Trace trace = Sketch().trace();
  EXPECT_TRUE(find_in(trace, summarize(trace)).empty());
}

// The second half of the file is missing, and with it the device work after the second kernel.
TEST(FindingTest, idle_time_of_a_trace_that_is_cut_off_is_doubted) {
  Sketch sketch;
  sketch.thread(1).slice("aten::unique", kOp, 0, 100_ms);
  sketch.stream(0, 7).slice("k", kKernel, 1_ms, 1_ms).slice("k", kKernel, 52_ms, 8_ms);
  const Trace trace = sketch.trace();
  const Summary summary = summarize(trace);
  const auto findings = find_in(trace, summary, {.is_cut_off = true});
  const auto idle = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.code == "idle_in_host_code";
  });
  ASSERT_NE(idle, findings.end());
  EXPECT_EQ(idle->weight, FindingWeight::kNote);
  EXPECT_EQ(
      idle->against.back(),
      "the file is cut off: only the time up to the last GPU work counts here, and some may be "
      "missing before it");
  const auto whole = find_in(trace, summary);
  EXPECT_EQ(whole[0].code, "idle_in_host_code");
  EXPECT_EQ(whole[0].weight, FindingWeight::kMatters);
}

TEST(FindingTest, a_trace_that_is_cut_off_before_any_device_work_is_not_called_host_only) {
  const Trace trace = Sketch().slice("op", kOp, 0_us, 10_us).trace();
  const Summary summary = summarize(trace);
  const auto findings = find_in(trace, summary, {.is_cut_off = true});
  for (const Finding& finding : findings) EXPECT_NE(finding.code, "host_only_trace");
  EXPECT_EQ(find_in(trace, summary)[0].code, "host_only_trace");
}

TEST(FindingTest, a_trace_without_any_finding_says_so) {
  Sketch sketch;
  sketch.thread(1).slice("Step#0", SliceKind::kStep, 0_us, 1000_us);
  sketch.slice("xLaunchKernel", kCall, 0_us, 5_us).correlation(1);
  sketch.stream(0, 7).slice("k", SliceKind::kKernel, 150_us, 850_us).correlation(1);
  Trace trace = sketch.trace();
  auto findings = find_in(trace, summarize(trace));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "launched_work_waits");
  Sketch busier;
  busier.thread(1).slice("Step#0", SliceKind::kStep, 0_us, 1000_us);
  busier.slice("xLaunchKernel", kCall, 0_us, 110_us).correlation(1);
  busier.stream(0, 7).slice("k", SliceKind::kKernel, 115_us, 885_us).correlation(1);
  trace = busier.trace();
  findings = find_in(trace, summarize(trace));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "nothing_stands_out");
  EXPECT_EQ(findings[0].headline,
            "nothing stands out: GPU busy 88.5 % of the span, idle 11.5 % of the step (115 us)");
}

TEST(FindingTextTest, times_have_three_digits_and_their_unit) {
  EXPECT_EQ(mean_duration_text(0), "0 ns");
  EXPECT_EQ(mean_duration_text(999), "999 ns");
  EXPECT_EQ(mean_duration_text(1'856), "1.86 us");
  EXPECT_EQ(mean_duration_text(999'700), "1.00 ms");
  EXPECT_EQ(mean_duration_text(94'240'000), "94.2 ms");
  EXPECT_EQ(mean_duration_text(942'000'000), "942 ms");
  EXPECT_EQ(mean_duration_text(3'393'563'374), "3.39 s");
}

TEST(FindingTextTest, shares_are_percent) { EXPECT_EQ(share_text(0.0963), "9.6 %"); }

TEST(FindingTextTest, long_names_are_cut_but_never_inside_a_letter) {
  EXPECT_EQ(short_name("gemm"), "gemm");
  EXPECT_EQ(short_name(std::string(48, 'x')), std::string(48, 'x'));
  EXPECT_EQ(short_name(std::string(60, 'x')), std::string(48, 'x') + "...");
  EXPECT_EQ(short_name(std::string(47, 'x') + "\xC3\xA9" + "tail"), std::string(47, 'x') + "...");
}

TEST(FindingTextTest, long_names_of_code_lose_templates_and_namespaces_first) {
  EXPECT_EQ(short_name(
                "void at::native::(anonymous namespace)::softmax_kernel<2, c10::Half, float>(int)"),
            "softmax_kernel<...>");
  EXPECT_EQ(short_name("a::b<4>"), "a::b<4>");
}

TEST(FindingTextTest, frames_go_without_their_folders) {
  EXPECT_EQ(short_source("/job/src/train.py(31): step"), "train.py(31): step");
  EXPECT_EQ(short_source("train.py(31): a/b"), "train.py(31): a/b");
  EXPECT_EQ(short_source("<built-in method item>"), "<built-in method item>");
}

TEST(FindingTextTest, places_go_without_their_wrapping) {
  EXPECT_EQ(place_text("Place(gpu:0)"), "gpu:0");
  EXPECT_EQ(place_text("pinned"), "pinned");
}

}  // namespace

}  // namespace strobe::analysis

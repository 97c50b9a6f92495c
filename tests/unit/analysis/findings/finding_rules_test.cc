#include "strobe/analysis/findings/finding_rules.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

std::map<std::string, Finding> findings_of(Sketch& sketch) {
  const Trace trace = sketch.trace();
  std::map<std::string, Finding> findings;
  for (Finding& finding : find_in(trace, summarize(trace))) {
    findings.emplace(finding.code, std::move(finding));
  }
  return findings;
}

// A step of 1 ms, all of it host work.
Sketch step_of_host_work() {
  Sketch sketch;
  sketch.slice("Step#0", SliceKind::kStep, 0_us, 1000_us);
  sketch.slice("forward", SliceKind::kAnnotation, 0_us, 1000_us);
  return sketch;
}

TEST(FindingRulesTest, a_device_that_waits_for_launches_is_told_with_its_numbers) {
  Sketch sketch = step_of_host_work();
  for (std::uint32_t i = 0; i < 10; ++i) {
    sketch.thread(1).slice("xLaunch", kCall, 100_us * i, 5_us).correlation(i);
    sketch.stream(0, 7).slice("k", kKernel, 100_us * i + 10_us, 10_us).correlation(i);
  }
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("device_idle_host_bound"));
  const Finding& finding = findings.at("device_idle_host_bound");
  EXPECT_EQ(finding.weight, FindingWeight::kMatters);
  EXPECT_DOUBLE_EQ(finding.share, 0.9);
  EXPECT_EQ(
      finding.headline,
      "GPU busy 10.0 % of the span: the host launches kernels too slowly to keep the GPU busy (on "
      "average, a kernel takes 10.0 us and one starts every 100 us; a launch call takes 5.00 us)");
}

TEST(FindingRulesTest, the_device_has_the_word_the_trace_has_for_it) {
  Sketch sketch = step_of_host_work();
  sketch.metadata().traits.device_label = "XPU";
  sketch.stream(0, 7).slice("k", kKernel, 10_us, 10_us);
  EXPECT_TRUE(findings_of(sketch).at("device_idle_host_bound").headline.starts_with("XPU busy"));
}

TEST(FindingRulesTest, a_busy_device_is_not_called_idle) {
  Sketch sketch = step_of_host_work();
  sketch.stream(0, 7).slice("k", kKernel, 0_us, 950_us);
  const auto findings = findings_of(sketch);
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
  EXPECT_TRUE(findings.contains("device_saturated"));
}

TEST(FindingRulesTest, waiting_for_data_and_communication_are_told_apart) {
  Sketch sketch = step_of_host_work();
  sketch.slice("next batch", SliceKind::kDataLoader, 0_us, 300_us);
  sketch.stream(0, 7).slice("k", kKernel, 300_us, 500_us);
  sketch.slice("reduce", kKernel, 800_us, 200_us).flags(kCommunicates);
  const auto findings = findings_of(sketch);
  EXPECT_EQ(findings.at("device_waits_for_data").headline,
            "GPU idle 30.0 % of the step while data is loaded");
  EXPECT_EQ(findings.at("exposed_communication").headline,
            "communication that does not overlap with kernels takes 20.0 % of the step");
}

TEST(FindingRulesTest, hidden_communication_is_no_finding) {
  Sketch sketch = step_of_host_work();
  sketch.stream(0, 7).slice("k", kKernel, 0_us, 1000_us);
  sketch.stream(0, 8).slice("reduce", kKernel, 0_us, 900_us).flags(kCommunicates);
  EXPECT_FALSE(findings_of(sketch).contains("exposed_communication"));
}

TEST(FindingRulesTest, copies_and_one_kernel_that_dominates) {
  Sketch sketch = step_of_host_work();
  sketch.stream(0, 7).slice("big", kKernel, 0_us, 600_us).slice("small", kKernel, 600_us, 100_us);
  sketch.slice("copy", SliceKind::kMemcpy, 700_us, 250_us);
  const auto findings = findings_of(sketch);
  EXPECT_EQ(findings.at("copies_dominate").share, 0.25);
  EXPECT_EQ(findings.at("one_kernel_dominates").headline,
            "one kernel takes 85.7 % of the kernel time: big, 1 call of 600 us");
}

TEST(FindingRulesTest, many_tiny_kernels_are_worth_a_look_when_they_make_the_time) {
  Sketch sketch;
  sketch.slice("Step#0", SliceKind::kStep, 0_us, 2000_us).stream(0, 7);
  for (int i = 0; i < 600; ++i) sketch.slice("k", kKernel, 3_us * i, 2_us);
  const auto findings = findings_of(sketch);
  EXPECT_EQ(
      findings.at("many_tiny_kernels").headline,
      "100.0 % of 600 kernels take less than 5 us (median 2.00 us) and make up 100.0 % of the "
      "kernel time");
}

TEST(FindingRulesTest, a_host_that_waits_while_the_device_is_idle) {
  Sketch sketch = step_of_host_work();
  sketch.slice("xStreamSynchronize", kCall, 100_us, 400_us);
  sketch.stream(0, 7).slice("k", kKernel, 0_us, 500_us);
  EXPECT_EQ(findings_of(sketch).at("host_waits_for_device").headline,
            "the host waits 400 us (40.0 % of the step) in 1 synchronising call, most of it in "
            "xStreamSynchronize");
}

TEST(FindingRulesTest, one_long_step_among_even_ones) {
  Sketch sketch;
  for (int i = 0; i < 5; ++i) {
    sketch.slice("Step#" + std::to_string(i), SliceKind::kStep, 100_us * i,
                 i == 4 ? 300_us : 100_us);
  }
  EXPECT_EQ(findings_of(sketch).at("uneven_steps").headline,
            "Step#4 takes 300 us, 3.0 times the median step of 100 us");
}

TEST(FindingRulesTest, memory_close_to_what_the_device_has) {
  Sketch sketch = step_of_host_work();
  DeviceProperties properties;
  properties.id = 0;
  properties.memory_bytes = 10'000'000'000;
  sketch.metadata().devices.push_back(properties);
  sketch.slice("op", SliceKind::kOperator, 1_us, 5_us);
  sketch.memory(MemoryAction::kAllocate, "Place(gpu:0)", 2_us, 100);
  sketch.peaks(4'000'000'000, 9'500'000'000);
  const auto findings = findings_of(sketch);
  EXPECT_EQ(findings.at("memory_near_capacity").headline,
            "GPU 0 uses up to 8.85 GiB of its 9.31 GiB of memory (95.0 %)");
  EXPECT_EQ(findings.at("memory_reserved_unused").headline,
            "the allocator reserves 8.85 GiB on gpu:0 but uses at most 3.73 GiB");
}

TEST(FindingRulesTest, flaws_of_the_capture_are_notes) {
  Sketch sketch = step_of_host_work();
  sketch.slice("open", SliceKind::kOperator, 5_us, 5_us).flags(kUnfinished);
  sketch.stream(0, 7).slice("orphan", kKernel, 0_us, 800_us);
  const auto findings = findings_of(sketch);
  EXPECT_TRUE(findings.at("orphan_device_work")
                  .headline.starts_with("1 of 1 device slice (100.0 %) has no recorded launch"));
  EXPECT_EQ(findings.at("unfinished_slices").headline,
            "1 slice never ends: it is counted to the end of the trace");
  Sketch host = step_of_host_work();
  EXPECT_TRUE(
      findings_of(host.slice("op", SliceKind::kOperator, 1_us, 5_us)).contains("host_only_trace"));
  Sketch no_framework = step_of_host_work();
  EXPECT_FALSE(findings_of(no_framework).contains("host_only_trace"));
}

// 600 kernels of 2 us every 5 us beside data loading: fusing them would not shorten anything.
TEST(FindingRulesTest, tiny_kernels_do_not_matter_while_the_device_waits_for_something_else) {
  Sketch sketch;
  sketch.slice("Step#0", SliceKind::kStep, 0_us, 40000_us);
  sketch.slice("next batch", SliceKind::kDataLoader, 0_us, 20000_us);
  sketch.stream(0, 7).slice("long", kKernel, 20000_us, 15000_us);
  for (int i = 0; i < 600; ++i) sketch.slice("k", kKernel, 35000_us + 5_us * i, 2_us);
  const auto findings = findings_of(sketch);
  EXPECT_TRUE(findings.contains("device_waits_for_data"));
  EXPECT_FALSE(findings.contains("many_tiny_kernels"));
}

TEST(FindingRulesTest, a_device_that_works_on_after_the_steps_is_told) {
  Sketch sketch;
  for (int i = 0; i < 4; ++i) {
    sketch.slice("Step#" + std::to_string(i), SliceKind::kStep, 50_us * i, 50_us);
  }
  sketch.stream(0, 7).slice("k", kKernel, 0_us, 1000_us);
  EXPECT_EQ(findings_of(sketch).at("device_outlasts_steps").headline,
            "the 4 steps cover 20.0 % of the span: the host ends the steps long before the GPU "
            "finishes, so step times are host times; the span divided by the steps is 250 us each");
}

TEST(FindingRulesTest, time_that_belongs_to_no_step_is_told) {
  Sketch sketch;
  sketch.slice("warm up", SliceKind::kOperator, 0_us, 600_us);
  sketch.slice("Step#0", SliceKind::kStep, 600_us, 400_us);
  const auto findings = findings_of(sketch);
  EXPECT_EQ(findings.at("time_outside_steps").headline,
            "the step covers 40.0 % of the span: the rest is outside all steps");
  EXPECT_FALSE(findings.contains("device_outlasts_steps"));
}

}  // namespace

}  // namespace strobe::analysis

#include "strobe/analysis/findings/device_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(DeviceRulesTest, a_busy_device_is_not_called_idle) {
  Sketch sketch = step_of_host_work();
  sketch.stream(0, 7).slice("k", kKernel, 0_us, 950_us);
  const auto findings = findings_of(sketch);
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
  EXPECT_TRUE(findings.contains("device_saturated"));
}

TEST(DeviceRulesTest, waiting_for_data_and_communication_are_told_apart) {
  Sketch sketch = step_of_host_work();
  sketch.slice("next batch", SliceKind::kDataLoader, 0_us, 300_us);
  sketch.stream(0, 7).slice("k", kKernel, 300_us, 500_us);
  sketch.slice("reduce", kKernel, 800_us, 200_us).flags(kCommunicates);
  const auto findings = findings_of(sketch);
  EXPECT_EQ(findings.at("device_waits_for_data").headline,
            "GPU idle 30.0 % of the step (300 us) while data is loaded");
  EXPECT_EQ(findings.at("exposed_communication").headline,
            "communication that does not overlap with kernels takes 20.0 % of the step (200 us)");
}

TEST(DeviceRulesTest, hidden_communication_is_no_finding) {
  Sketch sketch = step_of_host_work();
  sketch.stream(0, 7).slice("k", kKernel, 0_us, 1000_us);
  sketch.stream(0, 8).slice("reduce", kKernel, 0_us, 900_us).flags(kCommunicates);
  EXPECT_FALSE(findings_of(sketch).contains("exposed_communication"));
}

TEST(DeviceRulesTest, copies_and_one_kernel_that_dominates) {
  Sketch sketch = step_of_host_work();
  sketch.stream(0, 7).slice("big", kKernel, 0_us, 600_us).slice("small", kKernel, 600_us, 100_us);
  sketch.slice("copy", SliceKind::kMemcpy, 700_us, 250_us);
  const auto findings = findings_of(sketch);
  EXPECT_EQ(findings.at("copies_dominate").share, 0.25);
  EXPECT_EQ(findings.at("one_kernel_dominates").headline,
            "one kernel takes 85.7 % of the kernel time: big, 1 call of 600 us");
}

TEST(DeviceRulesTest, many_tiny_kernels_are_worth_a_look_when_they_make_the_time) {
  Sketch sketch;
  sketch.slice("Step#0", SliceKind::kStep, 0_us, 2000_us).stream(0, 7);
  for (int i = 0; i < 600; ++i) sketch.slice("k", kKernel, 3_us * i, 2_us);
  const auto findings = findings_of(sketch);
  EXPECT_EQ(
      findings.at("many_tiny_kernels").headline,
      "100.0 % of 600 computing kernels take less than 5 us (median 2.00 us) and make up 100.0 % "
      "of their time");
}

// The table counts the whole trace, the share only the steps.
TEST(DeviceRulesTest, exposed_communication_outside_the_steps_is_told_apart) {
  Summary summary = five_steps();
  for (StepRow& step : summary.steps) {
    step.label_ns[static_cast<int>(StepLabel::kCommunication)] = 20_ms;
  }
  summary.communication.communication_ns = 180_ms;
  summary.communication.overlap_ns = 80_ms;
  EXPECT_EQ(findings_in(summary).at("exposed_communication").headline,
            "communication that does not overlap with kernels takes 10.0 % of the 5 steps (100 ms)")
      << "the table has the same 100 ms";
  summary.span_ns = 1500_ms;
  summary.communication.overlap_ns = 30_ms;
  EXPECT_EQ(findings_in(summary).at("exposed_communication").headline,
            "communication that does not overlap with kernels takes 10.0 % of the 5 steps (100 "
            "ms); 150 ms in the whole trace");
}

// One kernel takes most of the time of the steps.
Summary one_kernel(std::vector<KernelLauncher> launchers) {
  Summary summary = five_steps();
  for (StepRow& step : summary.steps) {
    step.label_ns[static_cast<int>(StepLabel::kKernel)] = 180_ms;
  }
  summary.kernels.resize(2);
  summary.kernels[0].name = "big";
  summary.kernels[0].device.add(800_ms);
  summary.kernels[0].launchers = std::move(launchers);
  summary.kernels[1].name = "small";
  summary.kernels[1].device.add(100_ms);
  return summary;
}

TEST(DeviceRulesTest, the_kernel_that_dominates_names_its_innermost_operator) {
  const auto headline_of = [](std::vector<KernelLauncher> launchers) {
    Sketch sketch;
    sketch.thread(1).slice("aten::mm", kOp, 0_us, 10_us);
    sketch.stream(0, 7).slice("big", kKernel, 1_us, 2_us);
    const Trace trace = sketch.trace();
    for (const Finding& finding : find_in(trace, one_kernel(std::move(launchers)))) {
      if (finding.code == "one_kernel_dominates") return finding.headline;
    }
    return std::string();
  };
  EXPECT_EQ(headline_of({{"aten::mm", "Compiled Region", 800_ms}}),
            "one kernel takes 88.9 % of the kernel time: big, 1 call of 800 ms, launched by "
            "aten::mm");
  EXPECT_EQ(headline_of({{"", "", 500_ms}, {"aten::mm", "", 300_ms}}),
            "one kernel takes 88.9 % of the kernel time: big, 1 call of 800 ms, launched outside "
            "operators");
}

// Data parallel training: the collective takes most time, and most of it is hidden.
TEST(DeviceRulesTest, a_collective_is_no_kernel_to_optimise) {
  Sketch sketch = step_of_host_work();
  sketch.stream(0, 7).slice("gemm", kKernel, 0_us, 500_us).slice("norm", kKernel, 500_us, 200_us);
  sketch.stream(0, 9).slice("all_reduce", kKernel, 100_us, 900_us).flags(kCommunicates);
  const Finding finding = findings_of(sketch).at("one_kernel_dominates");
  EXPECT_EQ(finding.headline,
            "one kernel takes 71.4 % of the time of kernels that compute: gemm, 1 call of 500 us");
  EXPECT_DOUBLE_EQ(finding.share, 0.5);
}

TEST(DeviceRulesTest, a_kernel_beside_collectives_only_has_no_others_to_dominate) {
  Sketch sketch = step_of_host_work();
  sketch.stream(0, 7).slice("gemm", kKernel, 0_us, 600_us);
  sketch.stream(0, 9).slice("all_reduce", kKernel, 100_us, 900_us).flags(kCommunicates);
  EXPECT_FALSE(findings_of(sketch).contains("one_kernel_dominates"));
}

TEST(DeviceRulesTest, of_two_equal_kernels_none_is_said_to_save_most) {
  Summary summary = one_kernel({});
  EXPECT_EQ(findings_in(summary).at("one_kernel_dominates").advice,
            "optimise this kernel first: no other kernel can save as much time");
  summary.kernels[1].device.add(700_ms);
  EXPECT_EQ(findings_in(summary).at("one_kernel_dominates").advice,
            "optimise this kernel and small first, which takes 800 ms in all");
}

TEST(DeviceRulesTest, even_kernels_have_no_first_one) {
  Summary summary = one_kernel({{"aten::mm", "", 800_ms}});
  summary.kernels.resize(3);
  summary.kernels[1].device.add(500_ms);
  summary.kernels[2].device.add(700_ms);
  EXPECT_FALSE(findings_in(summary).contains("one_kernel_dominates"));
}

TEST(DeviceRulesTest, a_busy_device_that_often_communicates_may_be_waiting) {
  Summary summary = five_steps();
  DeviceRow device;
  device.busy_ns = 950_ms;
  device.kernels = 10;
  summary.devices.push_back(device);
  EXPECT_TRUE(findings_in(summary).at("device_saturated").against.empty());
  for (StepRow& step : summary.steps) {
    step.label_ns[static_cast<int>(StepLabel::kKernel)] = 140_ms;
    step.label_ns[static_cast<int>(StepLabel::kCommunication)] = 50_ms;
  }
  EXPECT_EQ(findings_in(summary).at("device_saturated").against.front(),
            "25.0 % of the 5 steps is communication alone, which may be waiting for other ranks");
}

// 600 kernels of 2 us every 5 us beside data loading: fusing them would not shorten anything.
TEST(DeviceRulesTest, tiny_kernels_do_not_matter_while_the_device_waits_for_something_else) {
  Sketch sketch;
  sketch.slice("Step#0", SliceKind::kStep, 0_us, 40000_us);
  sketch.slice("next batch", SliceKind::kDataLoader, 0_us, 20000_us);
  sketch.stream(0, 7).slice("long", kKernel, 20000_us, 15000_us);
  for (int i = 0; i < 600; ++i) sketch.slice("k", kKernel, 35000_us + 5_us * i, 2_us);
  const auto findings = findings_of(sketch);
  EXPECT_TRUE(findings.contains("device_waits_for_data"));
  EXPECT_FALSE(findings.contains("many_tiny_kernels"));
}

TEST(DeviceRulesTest, what_saturates_the_device_is_told) {
  const auto saturated_by = [](StepLabel label) {
    Summary summary = five_steps();
    summary.devices.resize(1);
    summary.devices[0].busy_ns = 950_ms;
    for (StepRow& step : summary.steps) step.label_ns[static_cast<int>(label)] = 190_ms;
    return findings_in(summary).at("device_saturated");
  };
  EXPECT_THAT(saturated_by(StepLabel::kKernel).advice, StartsWith("look at the longest kernels"));
  EXPECT_THAT(saturated_by(StepLabel::kCommunication).headline,
              HasSubstr("mostly with communication alone"));
  EXPECT_THAT(saturated_by(StepLabel::kMemcpy).headline, HasSubstr("mostly with copies alone"));
}

// A step of 1 ms with a copy of 300 us beside nothing.
Finding copies_of(const std::string& name) {
  Sketch sketch = step_of_host_work();
  sketch.stream(0, 7)
      .slice("k", kKernel, 0_us, 600_us)
      .slice(name, SliceKind::kMemcpy, 600_us, 300_us);
  return findings_of(sketch).at("copies_dominate");
}

TEST(DeviceRulesTest, copies_are_told_with_their_direction_and_memory) {
  const Finding pageable = copies_of("Memcpy HtoD (Pageable -> Device)");
  EXPECT_THAT(pageable.headline, HasSubstr(", mostly host to device"));
  EXPECT_THAT(pageable.advice, HasSubstr("pin host memory"));
  const Finding pinned = copies_of("Memcpy HtoD (Pinned -> Device)");
  EXPECT_THAT(pinned.advice, HasSubstr("pinned already"));
  EXPECT_THAT(copies_of("Memcpy DtoD (Device -> Device)").advice, StartsWith("avoid copies"));
}

// Steps of 10 ms in which a collective takes 200 us, or `first_ns` in the first one.
Finding collectives_with(std::int64_t first_ns) {
  Sketch sketch;
  for (int i = 0; i < 40; ++i) {
    const std::int64_t start_ns = 10_ms * i;
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 10_ms);
    sketch.stream(0, 7).slice("reduce", kKernel, start_ns, i == 0 ? first_ns : 600_us);
    sketch.flags(kCommunicates);
  }
  return findings_of(sketch).at("exposed_communication");
}

TEST(DeviceRulesTest, a_collective_that_takes_far_longer_than_its_like_waits_for_other_ranks) {
  const Finding late = collectives_with(300_ms);
  EXPECT_THAT(
      late.headline,
      HasSubstr("; 1 of 40 calls takes 300 ms of the 323 ms of all collectives, up to 300 ms "
                "where the median is 600 us: it waits for other ranks"));
  EXPECT_THAT(late.advice, StartsWith("find out why the other ranks come late"));
  EXPECT_THAT(collectives_with(900_us).advice, HasSubstr("send fewer bytes"));
}

// Two devices work 1 ms each, the second one so long after the first.
Sketch two_devices(std::int64_t later_ns) {
  Sketch sketch;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t start_ns = 2_ms * i;
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 2_ms);
    sketch.stream(0, 7).slice("k", kKernel, start_ns, 1_ms);
    sketch.stream(1, 7).slice("k", kKernel, start_ns + later_ns, 1_ms);
  }
  return sketch;
}

TEST(DeviceRulesTest, devices_that_take_turns_are_told) {
  Sketch turns = two_devices(1_ms);
  EXPECT_EQ(findings_of(turns).at("devices_take_turns").headline,
            "the 2 GPUs take turns: one of them works 100.0 % of the 4 steps (8.00 ms), but more "
            "than one only 0.0 % of that time");
  Sketch together = two_devices(200_us);
  EXPECT_FALSE(findings_of(together).contains("devices_take_turns"));
}

}  // namespace

}  // namespace strobe::analysis

#include "strobe/analysis/findings/finding_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

// A step of 1 ms whose kernel takes 950 us; the host waits for it at the end.
Sketch step_with_a_wait(const std::string& call) {
  Sketch sketch;
  sketch.thread(1).slice("Step#0", SliceKind::kStep, 0_us, 1000_us);
  sketch.slice("xLaunchKernel", kCall, 0_us, 5_us).correlation(1);
  sketch.slice("train.py(9): loss", SliceKind::kPythonCall, 500_us, 480_us);
  sketch.slice("aten::item", kOp, 550_us, 420_us);
  sketch.slice(call, kCall, 560_us, 400_us).correlation(2);
  sketch.stream(0, 7).slice("k", kKernel, 10_us, 940_us).correlation(1);
  return sketch;
}

TEST(FindingRulesTest, one_wait_at_the_end_of_a_step_needs_no_advice) {
  Sketch sketch = step_with_a_wait("xStreamSynchronize");
  const Finding finding = findings_of(sketch).at("host_waits_for_device");
  EXPECT_EQ(finding.headline,
            "the host waits 40.0 % of the step (400 us) for the GPU, most of it in "
            "xStreamSynchronize, in aten::item at train.py(9): loss; the GPU works 97.5 % of that "
            "time");
  EXPECT_EQ(finding.weight, FindingWeight::kNote);
  EXPECT_EQ(finding.advice, "");
}

TEST(FindingRulesTest, a_copy_that_waits_for_kernels_is_a_wait) {
  Sketch sketch = step_with_a_wait("xMemcpyAsync");
  EXPECT_THAT(findings_of(sketch).at("host_waits_for_device").headline,
              ::testing::HasSubstr("most of it in xMemcpyAsync, in aten::item"));
  Sketch idle;
  idle.thread(1).slice("Step#0", SliceKind::kStep, 0_us, 1000_us);
  idle.slice("xMemcpyAsync", kCall, 100_us, 800_us).correlation(1);
  idle.stream(0, 7).slice("copy", SliceKind::kMemcpy, 890_us, 5_us).correlation(1);
  EXPECT_FALSE(findings_of(idle).contains("host_waits_for_device")) << "it waits for nothing";
}

// Four steps of 1 ms. In each the host waits twice, 200 us in all; the device works so long of it.
Sketch steps_with_waits(std::int64_t busy_ns) {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::int64_t start_ns = 1_ms * i;
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 1_ms);
    for (const std::int64_t at_ns : {100_us, 500_us}) {
      sketch.thread(1).slice("xLaunchKernel", kCall, start_ns + at_ns - 10_us, 5_us);
      sketch.slice("xDeviceSynchronize", kCall, start_ns + at_ns, 100_us);
      sketch.stream(0, 7).slice("k", kKernel, start_ns + at_ns, busy_ns);
    }
  }
  return sketch;
}

TEST(FindingRulesTest, waiting_often_while_the_device_runs_dry_gets_advice) {
  Sketch busy = steps_with_waits(95_us);
  const Finding note = findings_of(busy).at("host_waits_for_device");
  EXPECT_EQ(note.weight, FindingWeight::kNote);
  EXPECT_NE(note.advice, "");
  Sketch idle = steps_with_waits(40_us);
  const Finding finding = findings_of(idle).at("host_waits_for_device");
  EXPECT_EQ(finding.weight, FindingWeight::kWorthALook);
  EXPECT_DOUBLE_EQ(finding.share, 0.2);
}

// A thread that only watches may wait all the time.
TEST(FindingRulesTest, threads_that_launch_nothing_do_not_count_as_the_host) {
  Sketch sketch = step_with_a_wait("xGetDevice");
  for (int thread = 2; thread < 5; ++thread) {
    sketch.thread(thread).slice("xEventSynchronize", kCall, 0_us, 990_us);
  }
  EXPECT_FALSE(findings_of(sketch).contains("host_waits_for_device"));
  sketch = step_with_a_wait("xStreamSynchronize");
  sketch.thread(2).slice("xEventSynchronize", kCall, 0_us, 990_us);
  EXPECT_DOUBLE_EQ(findings_of(sketch).at("host_waits_for_device").share, 0.4);
}

TEST(FindingRulesTest, a_trace_that_ends_with_a_long_wait_does_not_blame_its_steps) {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 5; ++i) {
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, 200_ms * i, 200_ms);
    sketch.slice("xLaunchKernel", kCall, 200_ms * i, 10_us).correlation(i + 1);
    sketch.stream(0, 7).slice("k", kKernel, 230_ms * i + 1_ms, 230_ms).correlation(i + 1);
  }
  sketch.thread(1).slice("xDeviceSynchronize", kCall, 1000_ms, 151_ms);
  EXPECT_FALSE(findings_of(sketch).contains("host_waits_for_device"));
}

TEST(FindingRulesTest, uneven_cycles_are_called_so) {
  Summary summary = five_steps();
  summary.cycles = FoundCycles{"a host range that recurs", "batch"};
  summary.steps[4].interval.end_ns += 400_ms;
  EXPECT_EQ(findings_in(summary).at("uneven_steps").headline,
            "Step#4 takes 600 ms, 3.0 times the median cycle of 200 ms");
}

TEST(FindingRulesTest, one_long_step_among_even_ones) {
  Sketch sketch;
  for (int i = 0; i < 5; ++i) {
    sketch.slice("Step#" + std::to_string(i), SliceKind::kStep, 100_us * i,
                 i == 4 ? 300_us : 100_us);
  }
  EXPECT_EQ(findings_of(sketch).at("uneven_steps").headline,
            "Step#4 takes 300 us, 3.0 times the median step of 100 us; 200 us of the difference is "
            "idle time with nothing recorded");
}

// Five steps of 200 ms, the last one with 300 ms more of idle time.
Summary one_long_step(std::int64_t longest_ns) {
  Summary summary = five_steps();
  summary.steps[4].interval.end_ns += 300_ms;
  summary.steps[4].label_ns[static_cast<int>(StepLabel::kRuntime)] = 300_ms;
  IdleRow row = idle_row(IdleKind::kRuntimeCall, "xMalloc", {longest_ns});
  row.longest = {900_ms, 900_ms + longest_ns};
  add_idle(summary, row);
  return summary;
}

TEST(FindingRulesTest, an_uneven_step_comes_after_the_stretch_that_explains_it) {
  const Finding finding = findings_in(one_long_step(290_ms)).at("uneven_steps");
  EXPECT_EQ(finding.weight, FindingWeight::kNote);
  EXPECT_EQ(finding.headline,
            "Step#4 takes 500 ms, 2.5 times the median step of 200 ms; 290 ms of the difference is "
            "one stretch of idle time while the host is in xMalloc");
}

// Every step has a stretch of 290 ms in the call: the long one is long for another reason.
TEST(FindingRulesTest, a_stretch_that_every_step_has_does_not_explain_an_uneven_one) {
  Summary summary = one_long_step(290_ms);
  summary.waits.idle[0] = idle_row(IdleKind::kRuntimeCall, "xMalloc", 5, 290_ms);
  summary.waits.idle[0].longest = {900_ms, 1190_ms};
  EXPECT_THAT(findings_in(summary).at("uneven_steps").headline,
              ::testing::EndsWith("is idle time while the host is in runtime calls"));
}

TEST(FindingRulesTest, waits_outside_of_one_step_are_told_as_such) {
  Sketch sketch = step_with_a_wait("xStreamSynchronize");
  sketch.thread(1).slice("xDeviceSynchronize", kCall, 1100_us, 80_us);
  sketch.stream(0, 7).slice("k", kKernel, 1000_us, 190_us);
  EXPECT_THAT(findings_of(sketch).at("host_waits_for_device").headline,
              ::testing::EndsWith("; another 80.0 us outside the step"));
}

TEST(FindingRulesTest, an_uneven_step_tells_what_it_has_more_of) {
  const Finding finding = findings_in(one_long_step(20_ms)).at("uneven_steps");
  EXPECT_EQ(finding.weight, FindingWeight::kWorthALook) << "the call has its own finding";
  EXPECT_EQ(finding.headline,
            "Step#4 takes 500 ms, 2.5 times the median step of 200 ms; 300 ms of the difference is "
            "idle time while the host is in runtime calls");
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

TEST(FindingRulesTest, a_trace_of_a_framework_without_device_work_is_told) {
  Sketch host = step_of_host_work();
  EXPECT_TRUE(
      findings_of(host.slice("op", SliceKind::kOperator, 1_us, 5_us)).contains("host_only_trace"));
  Sketch no_framework = step_of_host_work();
  EXPECT_FALSE(findings_of(no_framework).contains("host_only_trace"));
}

TEST(FindingRulesTest, a_device_that_works_on_after_the_steps_is_told) {
  Sketch sketch;
  for (int i = 0; i < 4; ++i) {
    sketch.slice("Step#" + std::to_string(i), SliceKind::kStep, 50_us * i, 50_us);
  }
  sketch.stream(0, 7).slice("k", kKernel, 0_us, 1000_us);
  EXPECT_EQ(findings_of(sketch).at("device_outlasts_steps").headline,
            "the 4 steps cover 20.0 % of the span: the host ends the steps long before the GPU "
            "finishes, so step times are host times; the span divided by the number of steps is "
            "250 us");
}

TEST(FindingRulesTest, time_that_belongs_to_no_step_is_told) {
  Sketch sketch;
  sketch.slice("warm up", SliceKind::kOperator, 0_us, 600_us);
  sketch.slice("Step#0", SliceKind::kStep, 600_us, 400_us);
  const auto findings = findings_of(sketch);
  EXPECT_EQ(findings.at("time_outside_steps").headline,
            "the step covers 40.0 % of the span: the rest is outside of it");
  EXPECT_FALSE(findings.contains("device_outlasts_steps"));
}

}  // namespace

}  // namespace strobe::analysis

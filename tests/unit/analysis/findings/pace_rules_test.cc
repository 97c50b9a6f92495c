#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/findings/finding_rules.h"
#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// 3,000 gaps of 200 us in operators, all of them paced.
Summary launch_bound_steps() {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 3000, 200_us));
  summary.waits.paced_idle_ns = 600_ms;
  summary.waits.paced_gaps = 3000;
  add_delay(summary, 4_us, 6_us);
  return summary;
}

TEST(LaunchPaceTest, launches_that_set_the_pace_are_told_with_their_numbers) {
  const auto findings = findings_in(launch_bound_steps());
  ASSERT_TRUE(findings.contains("device_idle_host_bound"));
  const Finding& finding = findings.at("device_idle_host_bound");
  EXPECT_EQ(finding.weight, FindingWeight::kMatters);
  EXPECT_DOUBLE_EQ(finding.share, 0.6);
  EXPECT_EQ(
      finding.headline,
      "the host launches too slowly: GPU idle 60.0 % of the 5 steps (600 ms) waiting for the "
      "next launch (a computing kernel takes 10.0 us on average, median 10.0 us; launches are "
      "100 us apart, median; a launch call takes 5.00 us, median)");
  EXPECT_THAT(finding.against, IsEmpty());
  EXPECT_FALSE(findings.contains("scattered_idle"));
  EXPECT_FALSE(findings.contains("idle_in_host_code"));
}

TEST(LaunchPaceTest, the_time_until_launched_work_starts_is_told_apart) {
  Summary summary = launch_bound_steps();
  add_idle(summary, idle_row(IdleKind::kLaunched, "", 3000, 20_us));
  EXPECT_THAT(findings_in(summary).at("device_idle_host_bound").headline,
              HasSubstr("waiting for the next launch, and up to 60.0 ms of it for launched work to "
                        "start (a computing kernel"));
}

// Most work waits in a long queue; the works that end a gap still start right after their launch.
TEST(LaunchPaceTest, a_queue_elsewhere_in_the_step_does_not_hide_slow_launches) {
  Summary summary = launch_bound_steps();
  summary.waits.streams[0].median_delay_ns = 200_us;
  EXPECT_TRUE(findings_in(summary).contains("device_idle_host_bound"));
}

TEST(LaunchPaceTest, a_few_gaps_set_no_pace) {
  Summary summary = launch_bound_steps();
  summary.waits.paced_gaps = 9;
  EXPECT_FALSE(findings_in(summary).contains("device_idle_host_bound"));
  summary.waits.paced_gaps = 10;
  EXPECT_TRUE(findings_in(summary).contains("device_idle_host_bound"));
}

// The steps of the host are short; the device works on after them.
TEST(LaunchPaceTest, a_device_that_is_busy_most_of_the_span_is_launched_to_in_time) {
  Summary summary = launch_bound_steps();
  DeviceRow device;
  device.busy_ns = 850_ms;
  summary.devices.push_back(device);
  EXPECT_FALSE(findings_in(summary).contains("device_idle_host_bound"));
  summary.devices[0].busy_ns = 650_ms;
  EXPECT_TRUE(findings_in(summary).contains("device_idle_host_bound"));
}

TEST(LaunchPaceTest, less_than_half_of_the_idle_time_is_no_verdict) {
  Summary summary = launch_bound_steps();
  summary.waits.paced_idle_ns = 290_ms;
  EXPECT_FALSE(findings_in(summary).contains("device_idle_host_bound"));
}

TEST(LaunchPaceTest, less_than_a_fifth_of_the_steps_is_no_verdict) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 900, 200_us));
  summary.waits.paced_idle_ns = 180_ms;
  summary.waits.paced_gaps = 900;
  add_delay(summary, 4_us, 6_us);
  EXPECT_FALSE(findings_in(summary).contains("device_idle_host_bound"));
}

// The next work starts right after its launch here too, but launching is not what took long.
TEST(LaunchPaceTest, a_host_that_is_stuck_in_an_operator_is_not_launching) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::unique", 5, 100_ms));
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 500, 100_us));
  summary.waits.paced_idle_ns = 550_ms;
  summary.waits.paced_gaps = 500;
  add_delay(summary, 4_us, 6_us);
  const auto findings = findings_in(summary);
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
  EXPECT_TRUE(findings.contains("idle_in_host_code"));
}

TEST(LaunchPaceTest, what_speaks_against_it_is_told) {
  Summary summary = launch_bound_steps();
  summary.waits.streams[0].p90_delay_ns = 300_us;
  add_idle(summary, idle_row(IdleKind::kLaunched, "", 1000, 200_us));
  Sketch sketch;
  sketch.thread(1).slice("xLaunchKernel", kCall, 0_us, 5_us);
  sketch.slice("xStreamSynchronize", kCall, 100_ms, 120_ms);
  sketch.stream(0, 7).slice("k", kKernel, 6_us, 10_us);
  const Trace trace = sketch.trace();
  const auto findings = findings_by_code(find_in(trace, summary));
  EXPECT_THAT(findings.at("device_idle_host_bound").against,
              ::testing::ElementsAre(
                  "a tenth of the work on stream 7 starts 300 us or more after its launch: there "
                  "the host is ahead of the GPU",
                  "the host waits for the GPU 12.0 % of the 5 steps, mostly in "
                  "xStreamSynchronize: with fewer such calls it could launch ahead",
                  "25.0 % of the idle time has other causes"));
}

TEST(LaunchPaceTest, advice_that_is_followed_already_is_not_given) {
  Summary summary = launch_bound_steps();
  EXPECT_THAT(findings_in(summary).at("device_idle_host_bound").advice,
              HasSubstr("capture the step in a graph, compile the model"));
  ThreadGroup<OperatorRow> group;
  group.rows.resize(1);
  group.rows[0].name = "Torch-Compiled Region: 0/0";
  summary.operators.push_back(group);
  const std::string compiled = findings_in(summary).at("device_idle_host_bound").advice;
  EXPECT_THAT(compiled, HasSubstr("the model is compiled already"));
  EXPECT_THAT(compiled, HasSubstr("capture the step in a graph"));
  RuntimeCallRow graph;
  graph.name = "xGraphLaunch";
  graph.purpose = device::RuntimeCall::kLaunch;
  summary.waits.calls.push_back(graph);
  const std::string with_graphs = findings_in(summary).at("device_idle_host_bound").advice;
  EXPECT_THAT(with_graphs, HasSubstr("graphs are used already"));
  EXPECT_THAT(with_graphs, Not(HasSubstr("capture")));
}

TEST(LaunchPaceTest, recorded_frames_make_the_host_slower) {
  Sketch sketch;
  sketch.thread(1).slice("train.py(31): step", SliceKind::kPythonCall, 0_us, 900_us);
  sketch.stream(0, 7).slice("k", kKernel, 10_us, 10_us);
  const Trace trace = sketch.trace();
  const auto findings = findings_by_code(find_in(trace, launch_bound_steps()));
  EXPECT_THAT(findings.at("device_idle_host_bound").against,
              Contains("interpreter frames were recorded, which slows the host down"));
}

// Steps of 2 ms: 100 kernels of 10 us, one right after the other, then an optimizer whose 40
// launches come every 20 us for kernels of 2 us.
Sketch slow_optimizer(int steps) {
  Sketch sketch;
  std::uint32_t id = 1;
  const auto launch = [&](std::int64_t call_ns, std::int64_t start_ns, std::int64_t length_ns) {
    sketch.thread(1).slice("xLaunchKernel", kCall, call_ns, 5_us).correlation(id);
    sketch.stream(0, 7).slice("k", kKernel, start_ns, length_ns).correlation(id++);
  };
  for (int i = 0; i < steps; ++i) {
    const std::int64_t start_ns = 2000_us * i;
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 2000_us);
    for (int k = 0; k < 100; ++k) {
      launch(start_ns + 6_us * k, start_ns + 10_us * k + 6_us, 10_us);
    }
    sketch.thread(1).slice("Optimizer.step#Adam", SliceKind::kOptimizer, start_ns + 1000_us,
                           900_us);
    for (int k = 0; k < 40; ++k) {
      launch(start_ns + 1010_us + 20_us * k, start_ns + 1017_us + 20_us * k, 2_us);
    }
  }
  return sketch;
}

TEST(LaunchPaceTest, the_range_that_launches_too_slowly_is_named) {
  Sketch sketch = slow_optimizer(3);
  const Finding finding = findings_of(sketch).at("device_idle_host_bound");
  EXPECT_THAT(
      finding.headline,
      HasSubstr("waiting for the next launch, most of it before launches in Optimizer.step#Adam"));
  EXPECT_THAT(finding.advice, HasSubstr("form of the optimizer"));
}

// Rounds of ten kernels of 40 us, launched every 10 us, and then 900 us in one function.
TEST(LaunchPaceTest, one_piece_of_code_between_fast_launches_is_named_instead) {
  Sketch sketch;
  std::uint32_t id = 1;
  sketch.thread(1).slice("Step#0", SliceKind::kStep, 0_us, 20_ms);
  for (int round = 0; round < 20; ++round) {
    const std::int64_t start_ns = 1000_us * round;
    for (int k = 0; k < 10; ++k) {
      sketch.thread(1).slice("xLaunchKernel", kCall, start_ns + 10_us * k, 5_us).correlation(id);
      sketch.stream(0, 7).slice("k", kKernel, start_ns + 6_us + 40_us * k, 40_us).correlation(id++);
    }
    sketch.thread(1).slice("mask", SliceKind::kAnnotation, start_ns + 100_us, 890_us);
  }
  const auto findings = findings_of(sketch);
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
  EXPECT_THAT(findings.at("idle_mostly_one_cause").headline, HasSubstr("in the range mask"));
}

// --- A queue that runs dry because the host waits.

// Steps of 1 ms. Each launches ten kernels every 10 us, waits for them, and then does something
// else for so long before the next launch.
Sketch steps_that_drain(std::int64_t kernel_ns, std::int64_t pause_ns) {
  Sketch sketch;
  std::uint32_t id = 1;
  std::int64_t now_ns = 0;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t begin_ns = now_ns;
    for (int round = 0; round < 5; ++round) {
      std::int64_t free_ns = now_ns + 6_us;
      for (int k = 0; k < 10; ++k) {
        sketch.thread(1).slice("xLaunchKernel", kCall, now_ns, 5_us).correlation(id);
        free_ns = std::max(free_ns, now_ns + 6_us);
        sketch.stream(0, 7).slice("k", kKernel, free_ns, kernel_ns).correlation(id++);
        free_ns += kernel_ns;
        now_ns += 10_us;
      }
      sketch.thread(1).slice("aten::item", kOp, now_ns, free_ns + 3_us - now_ns);
      sketch.slice("xStreamSynchronize", kCall, now_ns + 1_us, free_ns + 1_us - now_ns);
      now_ns = free_ns + 3_us + pause_ns;
    }
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, begin_ns,
                           now_ns - begin_ns);
  }
  return sketch;
}

TEST(QueueDrainedTest, the_call_that_waits_is_named_with_its_operator) {
  Sketch sketch = steps_that_drain(20_us, 150_us);
  const auto findings = findings_of(sketch);
  ASSERT_TRUE(findings.contains("queue_drained"));
  const Finding& finding = findings.at("queue_drained");
  EXPECT_THAT(finding.headline,
              StartsWith("the GPU runs out of work 5 times per step because the host waits in "
                         "xStreamSynchronize, in aten::item: GPU idle "));
  EXPECT_THAT(finding.headline,
              HasSubstr("mostly while the host is in code that was not recorded"));
  EXPECT_EQ(finding.weight, FindingWeight::kMatters);
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
  EXPECT_FALSE(findings.contains("scattered_idle"));
  EXPECT_THAT(finding.against, Contains(HasSubstr("without them it would save no more")));
}

// The launches are as slow as before, but now the kernels are shorter: waiting costs nothing.
TEST(QueueDrainedTest, launches_slower_than_kernels_are_the_cause_themselves) {
  Sketch sketch = steps_that_drain(5_us, 20_us);
  EXPECT_FALSE(findings_of(sketch).contains("queue_drained"));
}

// The host waits 100 us for each 900 us that it does something else: it could gain little.
TEST(QueueDrainedTest, a_short_wait_does_not_explain_long_work_of_the_host) {
  Sketch sketch = steps_that_drain(20_us, 900_us);
  const auto findings = findings_of(sketch);
  EXPECT_FALSE(findings.contains("queue_drained"));
  EXPECT_FALSE(findings.contains("scattered_idle"));
}

}  // namespace

}  // namespace strobe::analysis

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/findings/finding_rules.h"
#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// --- Time outside steps.

TEST(IdleOutsideStepsTest, a_smaller_part_of_the_idle_time_is_no_finding) {
  Summary summary = five_steps();
  summary.extent = {0, 1500_ms};
  summary.span_ns = 1500_ms;
  IdleRow row = idle_row(IdleKind::kNothing, "", 1, 900_ms);
  row.in_steps_ns = 500_ms;
  add_idle(summary, row);
  EXPECT_FALSE(findings_in(summary).contains("idle_outside_steps"));
}

TEST(IdleOutsideStepsTest, cycles_that_were_found_may_leave_some_out) {
  Summary summary = five_steps();
  summary.cycles = FoundCycles{"a host range that recurs", "batch"};
  summary.extent = {0, 2000_ms};
  summary.span_ns = 2000_ms;
  IdleRow row = idle_row(IdleKind::kRange, "save", 1, 900_ms);
  row.in_steps_ns = 0;
  add_idle(summary, row);
  const Finding finding = findings_in(summary).at("idle_outside_steps");
  EXPECT_EQ(finding.headline,
            "GPU idle 900 ms (45.0 % of the span) outside the 5 cycles, 900 ms of it while the "
            "host is in the range save");
  EXPECT_THAT(finding.advice, StartsWith("no cycle contains this time"));
  EXPECT_EQ(finding.against.size(), 1u);
}

// Two steps of 1 ms launch kernels that wait for each other for 50 ms after the steps.
TEST(IdleOutsideStepsTest, work_that_the_steps_launched_is_no_loading_or_saving) {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 2; ++i) {
    sketch.thread(1).slice("Step#" + std::to_string(i), SliceKind::kStep, 1_ms * i, 1_ms);
    for (std::uint32_t k = 0; k < 10; ++k) {
      const std::uint32_t id = 10 * i + k + 1;
      sketch.thread(1).slice("xLaunchKernel", kCall, 1_ms * i + 50_us * k, 5_us).correlation(id);
      sketch.stream(0, 7).slice("k", kKernel, 3_ms * id, 500_us).correlation(id);
    }
  }
  const auto findings = findings_of(sketch);
  EXPECT_THAT(findings.at("idle_outside_steps").advice,
              StartsWith("the steps end before the GPU has done what they launched"));
  EXPECT_TRUE(findings.contains("device_outlasts_steps"));
  EXPECT_FALSE(findings.contains("time_outside_steps"));
}

TEST(IdleOutsideStepsTest, one_step_is_told_as_one) {
  Sketch sketch;
  sketch.thread(1).slice("Step#0", SliceKind::kStep, 0_ms, 1_ms);
  for (std::uint32_t k = 1; k <= 10; ++k) {
    sketch.thread(1).slice("xLaunchKernel", kCall, 50_us * k, 5_us).correlation(k);
    sketch.stream(0, 7).slice("k", kKernel, 3_ms * k, 500_us).correlation(k);
  }
  const auto findings = findings_of(sketch);
  EXPECT_THAT(findings.at("idle_outside_steps").headline, HasSubstr(" outside the step, "));
  EXPECT_THAT(findings.at("idle_outside_steps").advice,
              StartsWith("the step ends before the GPU has done what it launched: synchronise at "
                         "the end of the step"));
}

// The call waits most of the time in the steps inside one operator, outside of them in another.
TEST(IdleOutsideStepsTest, the_place_is_that_of_the_time_outside) {
  Summary summary = five_steps();
  summary.extent = {0, 3000_ms};
  summary.span_ns = 3000_ms;
  IdleRow in_steps = idle_row(IdleKind::kRuntimeCall, "xMemcpyAsync", 5, 20_ms);
  in_steps.inside = "aten::copy_";
  IdleRow outside = idle_row(IdleKind::kRuntimeCall, "xMemcpyAsync", 1, 900_ms);
  outside.inside = "load";
  outside.in_steps_ns = 0;
  add_idle(summary, in_steps);
  add_idle(summary, outside);
  EXPECT_EQ(findings_in(summary).at("idle_outside_steps").headline,
            "GPU idle 900 ms (30.0 % of the span) outside the 5 steps, 900 ms of it while the "
            "host is in xMemcpyAsync, in load");
}

// --- Work that was launched in time.

TEST(LaunchedWorkWaitsTest, long_gaps_are_dependencies) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kLaunched, "", 100, 3_ms));
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 100, 500_us));
  const Finding finding = findings_in(summary).at("launched_work_waits");
  EXPECT_EQ(finding.headline,
            "GPU idle 30.0 % of the 5 steps (300 ms) although its next work was launched already: "
            "100 gaps, 3.00 ms on average, 3.00 ms at most");
  EXPECT_THAT(finding.advice, StartsWith("look for work that waits"));
}

TEST(LaunchedWorkWaitsTest, short_gaps_are_the_time_to_start_a_kernel) {
  Summary summary = five_steps();
  IdleRow row = idle_row(IdleKind::kLaunched, "", 100'000, 2_us);
  row.idle.add(1_ms);
  add_idle(summary, row);
  const Finding finding = findings_in(summary).at("launched_work_waits");
  EXPECT_THAT(finding.advice, StartsWith("gaps this short"));
  EXPECT_THAT(finding.against,
              Contains(StartsWith("the longest gap is too long for launch latency")));
}

TEST(LaunchedWorkWaitsTest, less_than_half_of_the_idle_time_is_no_verdict) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kLaunched, "", 100, 2_ms));
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 1000, 300_us));
  EXPECT_FALSE(findings_in(summary).contains("launched_work_waits"));
}

// --- Many causes.

Summary steps_with_copies() {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kRuntimeCall, "xMemcpyAsync", 5, 143_ms));
  return summary;
}

TEST(ScatteredIdleTest, the_largest_of_many_causes_are_named) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 500, 200_us));
  add_idle(summary, idle_row(IdleKind::kRuntimeCall, "xLaunchKernel", 4000, 20_us));
  add_idle(summary, idle_row(IdleKind::kLaunched, "", 4000, 15_us));
  add_idle(summary, idle_row(IdleKind::kNothing, "", 100, 500_us));
  add_idle(summary, idle_row(IdleKind::kRange, "loss", 100, 400_us));
  const auto findings = findings_in(summary);
  ASSERT_TRUE(findings.contains("scattered_idle"));
  EXPECT_EQ(findings.at("scattered_idle").headline,
            "GPU idle 33.0 % of the 5 steps (330 ms) for several reasons: 30.3 % of the idle time "
            "while the host is in the operator aten::add, 24.2 % in xLaunchKernel, 18.2 % after "
            "the next work was launched, 27.3 % for other reasons");
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
}

TEST(ScatteredIdleTest, a_main_cause_speaks_for_itself) {
  Summary summary = steps_with_copies();
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 500, 200_us));
  EXPECT_FALSE(findings_in(summary).contains("scattered_idle"));
}

// 300 us in unknown code each time: no stall, but one cause all the same.
TEST(MostlyOneCauseTest, short_stretches_of_one_cause_are_named) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kNothing, "", 1000, 300_us));
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 500, 100_us));
  const auto findings = findings_in(summary);
  EXPECT_FALSE(findings.contains("scattered_idle"));
  EXPECT_EQ(
      findings.at("idle_mostly_one_cause").headline,
      "GPU idle 35.0 % of the 5 steps (350 ms), mostly (85.7 %) while the host is in code that "
      "was not recorded: up to 300 us at once");
  EXPECT_THAT(findings.at("idle_mostly_one_cause").advice, StartsWith("record interpreter frames"));
}

TEST(MostlyOneCauseTest, less_than_half_of_the_idle_time_is_not_mostly) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kNothing, "", 1000, 150_us));
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 1000, 100_us));
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::mul", 1000, 100_us));
  const auto findings = findings_in(summary);
  EXPECT_FALSE(findings.contains("idle_mostly_one_cause"));
  EXPECT_TRUE(findings.contains("scattered_idle"));
}

TEST(MostlyOneCauseTest, one_line_of_the_script_in_many_ranges_is_named) {
  Summary summary = five_steps();
  for (int layer = 0; layer < 12; ++layer) {
    IdleRow row = idle_row(IdleKind::kRange, "Block_" + std::to_string(layer), 50, 600_us);
    if (layer < 10) row.source = "/job/model.py(88): mask";
    add_idle(summary, row);
  }
  EXPECT_EQ(findings_in(summary).at("idle_mostly_one_cause").headline,
            "GPU idle 36.0 % of the 5 steps (360 ms), mostly (83.3 %) while the host is in "
            "model.py(88): mask: up to 600 us at once");
}

// The host leaves its short steps early; the device works on for most of the span.
TEST(ScatteredIdleTest, idle_time_in_steps_is_little_where_the_device_outlasts_them) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 500, 300_us));
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::mul", 500, 300_us));
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::sub", 500, 300_us));
  EXPECT_TRUE(findings_in(summary).contains("scattered_idle"));
  summary.extent = {0, 5000_ms};
  summary.span_ns = 5000_ms;
  summary.devices.resize(1);
  summary.devices[0].busy_ns = 4500_ms;
  EXPECT_FALSE(findings_in(summary).contains("scattered_idle"));
}

TEST(ScatteredIdleTest, a_busy_device_has_none) {
  Summary summary = five_steps();
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 500, 200_us));
  EXPECT_FALSE(findings_in(summary).contains("scattered_idle"));
}

TEST(IdleRulesTest, a_trace_without_device_work_has_no_idle_device) {
  Sketch sketch;
  sketch.thread(1).slice("aten::add", kOp, 0_us, 10_us);
  const Trace trace = sketch.trace();
  const auto findings = findings_by_code(find_in(trace, steps_with_copies()));
  EXPECT_FALSE(findings.contains("blocking_call"));
  EXPECT_FALSE(findings.contains("scattered_idle"));
}

// --- Data loading.

TEST(WaitsForDataTest, loading_on_another_thread_is_said) {
  Summary summary = five_steps();
  for (StepRow& step : summary.steps) {
    step.label_ns[static_cast<int>(StepLabel::kDataLoader)] = 40_ms;
  }
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 1000, 200_us));
  const Finding finding = findings_in(summary).at("device_waits_for_data");
  EXPECT_EQ(finding.headline, "GPU idle 20.0 % of the 5 steps (200 ms) while data is loaded");
  EXPECT_THAT(
      finding.against,
      ::testing::ElementsAre(StartsWith("the launching thread itself loads data for only 0 ns")));
}

TEST(WaitsForDataTest, little_loading_is_no_finding) {
  Summary summary = five_steps();
  summary.steps[0].label_ns[static_cast<int>(StepLabel::kDataLoader)] = 40_ms;
  EXPECT_FALSE(findings_in(summary).contains("device_waits_for_data"));
}

}  // namespace

}  // namespace strobe::analysis

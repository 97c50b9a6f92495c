#include "strobe/analysis/findings/start_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Nine steps, one after the other. A step launches kernels that run one after the other.
struct LoopSketch {
  std::int64_t before_ns = 0;          // the first step
  bool works_before = false;           // the device, all that time
  std::int64_t loads_code_ns = 0;      // in the first step, before its kernels
  std::int64_t launches_apart_ns = 0;  // 0: right after each other
  std::int64_t first_apart_ns = 0;     // the same in the first step, if it differs
  int kernels = 20;
  std::int64_t kernel_ns = 490'000;

  Trace trace() const {
    Sketch sketch;
    std::uint32_t launched = 0;
    std::int64_t now_ns = 0;
    const auto launch = [&](std::int64_t at_ns, std::int64_t starts_ns, std::int64_t length_ns) {
      sketch.thread(1).slice("cuLaunchKernel", kCall, at_ns, 4_us).correlation(++launched);
      sketch.stream(0, 7)
          .slice(launched % 2 == 0 ? "gemm" : "add", kKernel, starts_ns, length_ns)
          .correlation(launched);
    };
    launch(0, 5_us, works_before ? before_ns : 10_us);
    now_ns = before_ns + 100_us;
    for (int step = 0; step < 9; ++step) {
      const std::int64_t start_ns = now_ns;
      if (step == 0 && loads_code_ns > 0) {
        sketch.thread(1).slice("cuLibraryLoadData", kCall, now_ns, loads_code_ns);
        now_ns += loads_code_ns;
      }
      const bool has_own_pace = step == 0 && first_apart_ns > 0;
      const std::int64_t apart_ns = has_own_pace ? first_apart_ns : launches_apart_ns;
      std::int64_t free_ns = now_ns;
      for (int i = 0; i < kernels; ++i) {
        free_ns = std::max(free_ns, now_ns + 6_us);
        launch(now_ns, free_ns, kernel_ns);
        free_ns += kernel_ns;
        now_ns += std::max<std::int64_t>(apart_ns, 10_us);
      }
      now_ns = std::max(now_ns, free_ns) + 5_us;
      sketch.thread(1).slice("ProfilerStep#" + std::to_string(step), SliceKind::kStep, start_ns,
                             now_ns - start_ns);
    }
    return sketch.trace();
  }
};

std::map<std::string, Finding> findings_of_loop(const LoopSketch& loop) {
  const Trace trace = loop.trace();
  return findings_by_code(find_in(trace, summarize(trace)));
}

TEST(StartUpTest, is_told_with_what_it_is_made_of) {
  const auto findings = findings_of_loop({.before_ns = 200_ms, .loads_code_ns = 90_ms});
  ASSERT_TRUE(findings.contains("start_up"));
  const Finding& finding = findings.at("start_up");
  EXPECT_EQ(finding.weight, FindingWeight::kWorthALook);
  EXPECT_EQ(finding.headline,
            "start-up takes 300 ms, 79.3 % of the span: 200 ms before the first step and 99.8 ms "
            "in the first step, where a later one takes 9.81 ms; GPU idle 290 ms of it: 200 ms "
            "while the host is in code that was not recorded, 90.0 ms in cuLibraryLoadData");
  EXPECT_THAT(finding.advice, HasSubstr("about the 8 steps after it; --steps 1: shows only these"));
}

TEST(StartUpTest, causes_no_findings_about_the_loop) {
  const auto findings = findings_of_loop({.before_ns = 200_ms, .loads_code_ns = 90_ms});
  for (const std::string code : {"blocking_call", "uneven_steps", "idle_outside_steps",
                                 "time_outside_steps", "idle_mostly_one_cause", "host_stalls"}) {
    EXPECT_FALSE(findings.contains(code)) << code;
  }
  ASSERT_TRUE(findings.contains("device_saturated"));
  EXPECT_THAT(findings.at("device_saturated").headline,
              HasSubstr("of the span after the start-up"));
}

TEST(StartUpTest, slow_launches_of_the_first_step_are_not_those_of_the_loop) {
  const LoopSketch loop{.first_apart_ns = 900'000, .kernels = 60, .kernel_ns = 160'000};
  const auto findings = findings_of_loop(loop);
  EXPECT_TRUE(findings.contains("start_up"));
  EXPECT_FALSE(findings.contains("device_idle_host_bound"));
  // Every step is like that: then it is the loop.
  LoopSketch slow = loop;
  slow.launches_apart_ns = 900'000;
  EXPECT_FALSE(findings_of_loop(slow).contains("start_up"));
  EXPECT_TRUE(findings_of_loop(slow).contains("device_idle_host_bound"));
}

TEST(StartUpTest, the_loop_after_it_is_judged_by_its_own_shares) {
  const LoopSketch loop{
      .loads_code_ns = 500_ms, .launches_apart_ns = 100'000, .kernels = 90, .kernel_ns = 10'000};
  const auto findings = findings_of_loop(loop);
  ASSERT_TRUE(findings.contains("device_idle_host_bound"));
  EXPECT_EQ(findings.at("device_idle_host_bound").weight, FindingWeight::kMatters);
  EXPECT_THAT(findings.at("device_idle_host_bound").headline, HasSubstr("of the 8 steady steps"));
}

TEST(StartUpTest, steps_are_called_steady_only_if_some_are_not) {
  const LoopSketch loop{
      .before_ns = 500_ms, .launches_apart_ns = 100'000, .kernels = 90, .kernel_ns = 10'000};
  const auto findings = findings_of_loop(loop);
  ASSERT_TRUE(findings.contains("start_up"));
  EXPECT_THAT(findings.at("start_up").headline, HasSubstr("all before the first step"));
  ASSERT_TRUE(findings.contains("device_idle_host_bound"));
  EXPECT_THAT(findings.at("device_idle_host_bound").headline, HasSubstr("of the 9 steps"));
}

TEST(StartUpTest, a_loop_without_any_has_no_such_finding) {
  const auto findings = findings_of_loop({});
  EXPECT_FALSE(findings.contains("start_up"));
  for (const auto& [code, finding] : findings) {
    EXPECT_THAT(finding.headline, Not(HasSubstr("steady"))) << code;
  }
}

TEST(StartUpTest, work_before_the_first_step_is_none) {
  EXPECT_FALSE(findings_of_loop({.before_ns = 200_ms, .works_before = true}).contains("start_up"));
  EXPECT_TRUE(findings_of_loop({.before_ns = 200_ms}).contains("start_up"));
}

TEST(StartUpTest, chosen_steps_are_judged_without_what_was_left_out) {
  const Trace trace = LoopSketch{.before_ns = 200_ms, .loads_code_ns = 90_ms}.trace();
  SummaryOptions options;
  options.steps = StepSelection{1, 8};
  EXPECT_FALSE(findings_by_code(find_in(trace, summarize(trace, options))).contains("start_up"));
  options.steps = StepSelection{0, 8};
  const auto findings = findings_by_code(find_in(trace, summarize(trace, options)));
  ASSERT_TRUE(findings.contains("start_up"));
  EXPECT_THAT(findings.at("start_up").headline,
              HasSubstr("99.8 ms in the first step, where a later one takes 9.81 ms"));
}

TEST(StartUpTest, too_few_steps_after_it_cannot_be_judged_alone) {
  Sketch sketch;
  sketch.thread(1).slice("ProfilerStep#0", SliceKind::kStep, 0, 100_ms);
  for (int i = 1; i < 4; ++i) {
    sketch.slice("ProfilerStep#" + std::to_string(i), SliceKind::kStep, 100_ms * i, 10_ms);
  }
  const Trace trace = sketch.trace();
  EXPECT_EQ(summarize(trace).steady, nullptr);
}

}  // namespace
}  // namespace strobe::analysis

#include "strobe/compare/causes/core_causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/compare/causes/cause_rules.h"
#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

using ::testing::HasSubstr;

std::vector<Cause> core_causes(const CauseSketch& sketch) {
  constexpr CauseRule kRules[] = {find_host_contention, find_quota};
  return sketch.said_by(kRules);
}

// The device is always busy for 5 ms; the threads wait for a core part of the time.
CauseSketch queued(double factor) {
  return CauseSketch(10, 10 * factor)
      .device("GPU 0", 5, 5)
      .kernel("gemm", 4, 4)
      .metric("Host", "schedstat_runq_ns", 1, 300);
}

TEST(CoreContention, the_processes_that_took_the_cores_come_first) {
  const auto causes =
      core_causes(queued(1.5)
                      .metric("Host", "foreign_cpu_usage", 4, 394)
                      .metric("Host", "foreign_process_cpu_usage stress (88)", 0, 200)
                      .metric("Host", "foreign_process_cpu_usage stress (89)", 0, 190)
                      .metric("Host", "forced_switches", 2, 240)
                      .metric("Host", "pressure_cpu_some_us", 10, 500));
  const Cause* cause = find(causes, CauseKind::kHostContention);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, 0.85);
  EXPECT_EQ(cause->headline,
            "other processes compete for the host's cores: stress (88) and stress (89)");
  EXPECT_EQ(cause->evidence.front().text,
            "stress (88) used 2.0, stress (89) 1.9 cores in the abnormal run, none in the normal "
            "run");
  EXPECT_TRUE(mentions(cause->evidence, "waiting for a core: 0.1 -> 30.0 % of the time"));
  EXPECT_TRUE(mentions(cause->evidence, "lost its core: 2.00 -> 240 per s"));
  EXPECT_TRUE(mentions(cause->evidence, "a thread of the machine waits for a core: 1.0 -> 50.0 %"));
  EXPECT_TRUE(cause->against.empty());
}

TEST(CoreContention, seen_processes_and_a_late_host_are_sure_without_more_counters) {
  EXPECT_LT(score_of(core_causes(queued(1.5)), CauseKind::kHostContention), 0.85);
  EXPECT_GE(score_of(core_causes(queued(1.5).metric("Host", "foreign_cpu_usage", 4, 90)),
                     CauseKind::kHostContention),
            0.85);
}

TEST(CoreContention, others_that_use_as_much_as_before_speak_against_it) {
  const auto causes = core_causes(queued(1.5).metric("Host", "foreign_cpu_usage", 240, 250));
  const Cause* cause = find(causes, CauseKind::kHostContention);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "other processes compete for the host's cores");
  EXPECT_TRUE(mentions(cause->against, "no more of the cores than before: 2.4 -> 2.5"));
  EXPECT_THAT(cause->advice, HasSubstr("own threads"));
  EXPECT_LT(cause->score, score_of(core_causes(queued(1.5)), CauseKind::kHostContention));
}

TEST(CoreContention, busy_neighbours_are_no_cause_while_nobody_waits_for_a_core) {
  EXPECT_TRUE(core_causes(CauseSketch(10, 15)
                              .device("GPU 0", 5, 5)
                              .metric("Host", "schedstat_runq_ns", 1, 1)
                              .metric("Host", "foreign_cpu_usage", 4, 390))
                  .empty());
}

TEST(CoreContention, what_was_seen_makes_nothing_surer_while_the_device_does_not_wait) {
  const auto idle = [](CauseSketch sketch) {
    return score_of(core_causes(sketch), CauseKind::kHostContention);
  };
  const double alone = idle(CauseSketch(10, 10).metric("Host", "schedstat_runq_ns", 1, 300));
  const double seen = idle(CauseSketch(10, 10)
                               .metric("Host", "schedstat_runq_ns", 1, 300)
                               .metric("Host", "foreign_cpu_usage", 4, 390));
  EXPECT_EQ(seen, alone);
  EXPECT_LT(seen, kListedScore);
}

CauseSketch stopped(double factor, double normal, double abnormal) {
  return queued(factor)
      .metric("Host", "cpu_quota_throttled_us", normal, abnormal)
      .metric("Host", "cpu_quota_cores", 2, 2);
}

TEST(CpuQuota, that_stops_the_process_is_told_instead_of_other_processes) {
  const auto causes = core_causes(stopped(1.5, 0, 280));
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes.front().headline, "a CPU quota of 2.0 cores stops the process");
  EXPECT_GE(causes.front().score, kConfidentScore);
  EXPECT_EQ(causes.front().evidence.front().text,
            "stopped because the quota was used up: 0.0 -> 28.0 % of the time, cores added up");
  EXPECT_TRUE(mentions(causes.front().evidence, "stopped times included: 0.1 -> 30.0 %"));
  EXPECT_TRUE(mentions(causes.front().evidence, "device idle: 5.00 -> 10.0 ms"));
}

TEST(CpuQuota, that_was_lowered_is_told) {
  auto sketch = stopped(1.5, 0, 280);
  sketch.edit().metrics.back().all =
      change_between(std::vector<double>(12, 4.0), std::vector<double>(12, 2.0));
  EXPECT_TRUE(
      mentions(core_causes(sketch).front().evidence, "the quota was lowered: 4.00 -> 2.00 cores"));
}

TEST(CpuQuota, is_silent_while_nothing_is_late_and_about_a_few_stops) {
  EXPECT_EQ(find(core_causes(CauseSketch(10, 10)
                                 .device("GPU 0", 5, 5)
                                 .metric("Host", "cpu_quota_throttled_us", 0, 280)),
                 CauseKind::kHostContention),
            nullptr);
  const auto few = core_causes(stopped(1.5, 0, 10));
  ASSERT_EQ(few.size(), 1u);
  EXPECT_THAT(few.front().headline, HasSubstr("other processes compete"));
  EXPECT_THAT(core_causes(stopped(1.5, 270, 280)).front().headline,
              HasSubstr("other processes compete"))
      << "the same in both runs";
}

}  // namespace
}  // namespace strobe::compare

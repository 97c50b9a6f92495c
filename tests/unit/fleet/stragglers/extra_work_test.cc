#include <gtest/gtest.h>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "tests/support/even_job.h"

namespace strobe::fleet {
namespace {

StragglerReason reason_with(const std::function<void(RankStep&)>& change) {
  Job job = even_job(4, 5);
  in_all_steps(job, 2, change);
  meet(job);
  return reason_of(extra_work(JobView(job), {2}, {0, 1, 2, 3, 4}));
}

TEST(ExtraWorkTest, it_is_what_a_rank_has_beyond_its_peers) {
  Job job = even_job(4, 5);
  in_all_steps(job, 2, [](RankStep& step) {
    step.host_ns += 30 * kMs;
    step.longest_host_gap_ns += 28 * kMs;
    step.host_gaps += 1;
  });
  meet(job);
  const ExtraWork extra = extra_work(JobView(job), {2}, {0, 1, 2, 3, 4});
  EXPECT_NEAR(extra.host_ns, 30e6, 1);
  EXPECT_NEAR(extra.longest_host_gap_ns, 28e6, 1);
  EXPECT_NEAR(extra.host_gaps, 1, 1e-9);
  EXPECT_NEAR(extra.compute_ns, 0, 0.2e6);
  EXPECT_EQ(extra.kernels_ratio, 1);
  EXPECT_NEAR(extra.own_ratio, 1.3, 0.003);
}

TEST(ExtraWorkTest, the_largest_part_is_the_reason) {
  EXPECT_EQ(reason_with([](RankStep& step) { step.compute_ns += 20 * kMs; }),
            StragglerReason::kLongerKernels);
  EXPECT_EQ(reason_with([](RankStep& step) {
              step.compute_ns += 14 * kMs;
              step.host_ns += 4 * kMs;
              step.kernels += 200;
            }),
            StragglerReason::kMoreWork);
  EXPECT_EQ(reason_with([](RankStep& step) { step.copy_ns += 20 * kMs; }),
            StragglerReason::kCopies);
  EXPECT_EQ(reason_with([](RankStep& step) { step.input_ns += 20 * kMs; }),
            StragglerReason::kInput);
}

TEST(ExtraWorkTest, on_the_host_its_form_is_the_reason) {
  EXPECT_EQ(reason_with([](RankStep& step) {
              step.host_ns += 20 * kMs;
              step.longest_host_gap_ns += 20 * kMs;
            }),
            StragglerReason::kHostStretch);
  EXPECT_EQ(reason_with([](RankStep& step) {
              step.host_ns += 20 * kMs;
              step.host_gaps += 80;
            }),
            StragglerReason::kHostContention);
  EXPECT_EQ(reason_with([](RankStep& step) {
              step.host_ns += 20 * kMs;
              step.in_operators_ns += 18 * kMs;
              step.longest_host_gap_ns += 20 * kMs;
            }),
            StragglerReason::kHostOperators);
}

TEST(ExtraWorkTest, a_rank_without_more_work_has_no_reason) {
  EXPECT_EQ(reason_of({}), StragglerReason::kUnknown);
}

TEST(ExtraWorkTest, a_bad_step_is_compared_with_the_same_ranks_in_other_steps) {
  Job job = even_job(2, 6);
  for (RankOfJob& rank : job.ranks) rank.steps[3].host_ns += 500 * kMs;
  meet(job);
  EXPECT_NEAR(extra_in_step(JobView(job), {0, 1}, 3).host_ns, 500e6, 1);
}

}  // namespace
}  // namespace strobe::fleet

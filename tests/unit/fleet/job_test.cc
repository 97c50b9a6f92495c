#include "strobe/fleet/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::fleet {
namespace {

TEST(JobTest, own_work_is_the_step_without_collectives) {
  const RankStep step{.start_ns = 0,
                      .end_ns = 100,
                      .compute_ns = 40,
                      .copy_ns = 5,
                      .input_ns = 10,
                      .host_ns = 20,
                      .wait_ns = 15,
                      .transfer_ns = 10};
  EXPECT_EQ(step.own_ns(), step.end_ns - step.start_ns - step.wait_ns - step.transfer_ns);
}

TEST(JobTest, steps_are_numbered_by_their_names_if_these_ascend) {
  Job job;
  job.steps = {"ProfilerStep#9", "ProfilerStep#10"};
  EXPECT_THAT(step_numbers(job), ::testing::ElementsAre(9, 10));
  job.steps = {"train", "train 1"};
  EXPECT_THAT(step_numbers(job), ::testing::ElementsAre(0, 1));
  job.steps = {"step 2", "step 1"};
  EXPECT_THAT(step_numbers(job), ::testing::ElementsAre(0, 1));
}

}  // namespace
}  // namespace strobe::fleet

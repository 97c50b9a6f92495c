#include "strobe/fleet/waits/common_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/fleet/waits/make_job.h"
#include "tests/support/job_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;

CommonSteps common(const std::vector<RankDigest>& digests) {
  const auto sorted = by_rank(digests);
  return common_steps(sorted, own_clocks(sorted));
}

RankDigest with_steps(std::int32_t rank, std::vector<DigestStep> steps) {
  RankDigest digest = empty_digest(rank, 2);
  digest.steps = std::move(steps);
  return digest;
}

TEST(CommonStepsTest, marked_steps_meet_by_name) {
  const CommonSteps steps =
      common({with_steps(0, {{"s1", {0, 10}, 0}, {"s2", {10, 20}, 0}, {"s3", {20, 30}, 0}}),
              with_steps(1, {{"s2", {0, 10}, 0}, {"s3", {10, 20}, 0}, {"s4", {20, 30}, 0}})});
  EXPECT_THAT(steps.names, ElementsAre("s2", "s3"));
  EXPECT_THAT(steps.of_ranks[0], ElementsAre(1, 2));
  EXPECT_THAT(steps.of_ranks[1], ElementsAre(0, 1));
}

TEST(CommonStepsTest, steps_of_one_name_meet_in_order) {
  const CommonSteps steps = common({with_steps(0, {{"s", {0, 10}, 0}, {"s", {10, 20}, 0}}),
                                    with_steps(1, {{"s", {5, 10}, 0}, {"s", {15, 20}, 0}})});
  EXPECT_THAT(steps.names, ElementsAre("s", "s"));
  EXPECT_THAT(steps.of_ranks[1], ElementsAre(0, 1));
}

TEST(CommonStepsTest, found_cycles_meet_in_time) {
  auto first = with_steps(0, {{"cycle 1", {10, 20}, 0}, {"cycle 2", {20, 30}, 0}});
  auto second =
      with_steps(1, {{"cycle 1", {0, 9}, 0}, {"cycle 2", {9, 19}, 0}, {"cycle 3", {19, 29}, 0}});
  first.steps_are_found = second.steps_are_found = true;
  const CommonSteps steps = common({first, second});
  EXPECT_THAT(steps.names, ElementsAre("cycle 1", "cycle 2"));
  EXPECT_THAT(steps.of_ranks[1], ElementsAre(1, 2));
}

TEST(CommonStepsTest, traces_without_steps_meet_as_a_whole) {
  const CommonSteps steps =
      common({with_steps(0, {{"", {0, 10}, 0}}), with_steps(1, {{"", {1, 12}, 0}})});
  EXPECT_THAT(steps.names, ElementsAre("whole trace"));
}

}  // namespace
}  // namespace strobe::fleet

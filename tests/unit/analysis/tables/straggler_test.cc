#include "strobe/analysis/tables/straggler.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

// Steps of 100 ms, of which so much is communication that nothing hides.
Summary waiting_rank(std::int64_t exposed_ms) {
  Summary summary;
  summary.has_steps = true;
  summary.has_communication = true;
  for (int i = 0; i < 2; ++i) {
    StepRow step;
    step.interval = {0, 100'000'000};
    step.label_ns[static_cast<std::size_t>(StepLabel::kCommunication)] = exposed_ms * 1'000'000;
    summary.steps.push_back(step);
  }
  return summary;
}

TEST(StragglerTest, own_work_is_a_step_without_exposed_communication) {
  EXPECT_EQ(own_step_ns(waiting_rank(30)), 70'000'000);
  EXPECT_EQ(own_step_ns(Summary()), 0);
}

// 60, 90 and 64 ms: the median is 64, and 26 of 90 ms are what the others wait for.
TEST(StragglerTest, the_rank_with_clearly_most_own_work_keeps_the_others_waiting) {
  const Summary a = waiting_rank(40);
  const Summary b = waiting_rank(10);
  const Summary c = waiting_rank(36);
  const auto found = find_straggler({{"rank 0", &a}, {"rank 1", &b}, {"rank 2", &c}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->code, "straggling_rank");
  EXPECT_EQ(found->weight, FindingWeight::kMatters);
  EXPECT_NEAR(found->share, 26.0 / 90, 1e-9);
  EXPECT_EQ(found->headline,
            "rank 1 keeps the others waiting: 90.0 ms of its own work per step, 1.41 times the "
            "median rank with 64.0 ms");
}

TEST(StragglerTest, even_ranks_and_a_rank_alone_have_none) {
  const Summary a = waiting_rank(40);
  const Summary b = waiting_rank(37);
  EXPECT_FALSE(find_straggler({{"rank 0", &a}, {"rank 1", &b}}).has_value());
  EXPECT_FALSE(find_straggler({{"rank 0", &a}}).has_value());
}

TEST(StragglerTest, without_communication_nobody_is_said_to_wait) {
  Summary a = waiting_rank(50);
  Summary b = waiting_rank(0);
  a.has_communication = b.has_communication = false;
  EXPECT_TRUE(find_straggler({{"a", &a}, {"b", &b}})->headline.starts_with("b is the slowest: "));
}

}  // namespace
}  // namespace strobe::analysis

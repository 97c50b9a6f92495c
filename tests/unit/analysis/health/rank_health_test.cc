#include "strobe/analysis/health/rank_health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/analysis/health/health_sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::HasSubstr;

// Ranks with steps of 1 ms each, that begin at these times.
class RankHealthTest : public ::testing::Test {
 protected:
  void add(std::int64_t start_ns, int steps = 5, std::int64_t base_ns = 0) {
    Sketch sketch;
    for (int i = 0; i < steps; ++i) {
      sketch.slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns + 1'000_us * i,
                   1'000_us);
    }
    sketch.metadata().base_time_ns = base_ns;
    sketch.metadata().distributed.rank = static_cast<std::int32_t>(traces_.size());
    sketch.metadata().distributed.world_size = world_size_;
    traces_.push_back(sketch.trace());
  }
  Health judge() const {
    std::vector<RankHealthInput> ranks;
    for (std::size_t i = 0; i < traces_.size(); ++i) {
      ranks.push_back({"rank " + std::to_string(i), &traces_[i], &import_});
    }
    return judge_health(ranks);
  }

  std::vector<Trace> traces_;
  ImportReport import_;
  int world_size_ = 3;
};

TEST_F(RankHealthTest, ranks_that_were_recorded_together_are_complete) {
  for (int i = 0; i < 3; ++i) add(100_us * i);
  EXPECT_TRUE(judge().remarks.empty());
}

TEST_F(RankHealthTest, a_rank_of_another_time_is_named) {
  add(0);
  add(100_us);
  add(900'000_us);
  const Health health = judge();
  EXPECT_EQ(health.verdict, HealthVerdict::kUsable);
  EXPECT_THAT(health.remarks.front().seen, HasSubstr("in time (rank 2)"));
  EXPECT_EQ(health.remarks.front().count, 1u);
}

TEST_F(RankHealthTest, the_wall_clock_decides) {
  add(0, 5, 900'000_us);
  add(900'000_us, 5, 0);
  add(400'000_us, 5, 500'000_us);
  EXPECT_TRUE(judge().remarks.empty());
}

TEST_F(RankHealthTest, steps_that_a_rank_lacks_are_told) {
  add(0);
  add(0, 4);
  add(0);
  EXPECT_EQ(judge().remarks.front().seen,
            "the ranks have different numbers of steps: 4 in rank 1 against 5 in the others");
}

TEST_F(RankHealthTest, ranks_that_are_not_here_are_a_note) {
  world_size_ = 8;
  add(0);
  add(0);
  const Health health = judge();
  EXPECT_EQ(health.verdict, HealthVerdict::kComplete);
  EXPECT_EQ(health.remarks.front().seen, "6 of 8 ranks (75.0 %) are not here");
}

}  // namespace
}  // namespace strobe::analysis

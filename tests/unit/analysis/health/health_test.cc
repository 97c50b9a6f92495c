#include "strobe/analysis/health/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/health/health_sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST(HealthTest, the_worst_remark_comes_first_and_decides) {
  ImportReport import;
  import.add(ImportIssue::kTruncatedFile, 1);
  Sketch sketch = sketch_of({.kernels_from = 1'000});
  const Health health = health_of(sketch, import);
  EXPECT_EQ(health.verdict, HealthVerdict::kNotFor);
  EXPECT_EQ(health.remarks.front().code, "launched_work_not_recorded");
  EXPECT_EQ(health.remarks.back().code, "trace_cut_off");
}

TEST(HealthTest, words_are_stable) {
  EXPECT_EQ(word_of(HealthVerdict::kComplete), "complete");
  EXPECT_EQ(word_of(HealthVerdict::kUsable), "usable");
  EXPECT_EQ(word_of(HealthVerdict::kNotFor), "not_for");
  EXPECT_EQ(verdict_text({}), "complete");
}

TEST(HealthTest, an_empty_trace_is_complete) {
  Sketch sketch;
  EXPECT_TRUE(health_of(sketch).remarks.empty());
}

TEST(HealthTest, one_remark_stands_for_all_ranks_that_have_it) {
  Sketch healthy = sketch_of({});
  Sketch late = sketch_of({.calls_from = 11});
  Sketch later = sketch_of({.calls_from = 41});
  const Trace traces[] = {healthy.trace(), late.trace(), later.trace()};
  const ImportReport import;
  const RankHealthInput ranks[] = {{"rank 0", &traces[0], &import},
                                   {"rank 1", &traces[1], &import},
                                   {"rank 2", &traces[2], &import}};
  const Health health = judge_health(ranks);
  ASSERT_EQ(health.remarks.size(), 1u);
  EXPECT_THAT(health.remarks.front().ranks, ElementsAre("rank 2", "rank 1"));
  EXPECT_THAT(health.remarks.front().seen,
              StartsWith("rank 2, the worst of 2 ranks: 40 of 100 kernels"));
}

}  // namespace
}  // namespace strobe::analysis

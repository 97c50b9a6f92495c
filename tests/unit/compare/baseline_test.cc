#include "strobe/compare/baseline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "strobe/stats/p_values.h"

namespace strobe::compare {
namespace {

// Means 10, 12, 14: middle 12, deviation 2. A run at 18 is 6 away, in units of 2 * sqrt(1 + 1/3).
TEST(BaselineTest, one_more_run_is_judged_by_how_runs_differ) {
  const std::vector<double> means{10, 12, 14};
  EXPECT_NEAR(between_runs_p(means, 18), stats::student_tails(6 / (2 * std::sqrt(4.0 / 3)), 2),
              1e-12);
  EXPECT_DOUBLE_EQ(between_runs_p(means, 12), 1);
}

TEST(BaselineTest, one_run_cannot_tell) {
  const std::vector<double> one{10};
  EXPECT_TRUE(std::isnan(between_runs_p(one, 18)));
}

TEST(BaselineTest, runs_that_never_differ_make_any_difference_certain) {
  const std::vector<double> means{10, 10};
  EXPECT_EQ(between_runs_p(means, 10), 1);
  EXPECT_EQ(between_runs_p(means, 10.1), 0);
}

}  // namespace
}  // namespace strobe::compare

#include "strobe/stats/false_discovery.h"

#include <gmock/gmock.h>

#include <limits>

namespace strobe::stats {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNan;

TEST(FalseDiscoveryTest, q_is_p_times_tests_by_rank_and_never_falls_as_p_grows) {
  // By rank: 0.01 * 4 / 1 = 0.04, 0.03 * 4 / 2 = 0.06, 0.035 * 4 / 3 = 0.0467, 0.5; the second
  // may not exceed the third.
  EXPECT_THAT(
      adjusted_p(std::vector{0.5, 0.03, 0.01, 0.035}),
      ElementsAre(DoubleEq(0.5), DoubleEq(0.035 * 4 / 3), DoubleEq(0.04), DoubleEq(0.035 * 4 / 3)));
}

TEST(FalseDiscoveryTest, nan_takes_no_part) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(adjusted_p(std::vector{0.02, nan, 0.5}),
              ElementsAre(DoubleEq(0.04), IsNan(), DoubleEq(0.5)));
}

TEST(FalseDiscoveryTest, no_tests_have_no_q) { EXPECT_THAT(adjusted_p({}), IsEmpty()); }

}  // namespace
}  // namespace strobe::stats

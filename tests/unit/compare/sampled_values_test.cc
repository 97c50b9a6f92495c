#include "strobe/compare/sampled_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace strobe::compare {
namespace {

using ::testing::ElementsAre;

// Twelve cycles of which four at a time share a sample.
SampledValues three_samples(double first) {
  SampledValues values;
  values.begin_run();
  for (std::size_t cycle = 0; cycle < 12; ++cycle) {
    values.add(first + static_cast<double>(cycle), cycle / 4);
  }
  return values;
}

SampledValues own_samples(std::size_t cycles, double first) {
  SampledValues values;
  values.begin_run();
  for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
    values.add(first + static_cast<double>(cycle), cycle);
  }
  return values;
}

TEST(SampledValuesTest, cycles_that_share_a_sample_are_one_value_their_mean) {
  const SampledValues values = three_samples(1);
  EXPECT_EQ(values.by_cycle().size(), 12u);
  EXPECT_TRUE(values.share_samples());
  EXPECT_THAT(values.by_sample(), ElementsAre(2.5, 6.5, 10.5));
}

TEST(SampledValuesTest, a_cycle_with_a_sample_of_its_own_stays_a_value) {
  const SampledValues values = own_samples(3, 7);
  EXPECT_FALSE(values.share_samples());
  EXPECT_THAT(values.by_sample(), ElementsAre(7, 8, 9));
}

TEST(SampledValuesTest, samples_of_two_runs_are_different_even_if_their_numbers_are_equal) {
  SampledValues values;
  values.begin_run();
  values.add(1, 0);
  values.begin_run();
  values.add(5, 0);
  EXPECT_THAT(values.by_sample(), ElementsAre(1, 5));
}

// Twelve values a side that do not overlap have p < 0.001; three a side cannot reach p < 0.05.
TEST(SampledValuesTest, a_change_has_as_many_values_as_samples) {
  const auto change = change_by_sample(three_samples(0), three_samples(100));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->normal.n, 3u);
  EXPECT_EQ(change->abnormal.n, 3u);
  EXPECT_TRUE(change->too_few);
  EXPECT_FALSE(std::isfinite(change->shift.low));
  EXPECT_DOUBLE_EQ(change->normal_median, 5.5);
}

TEST(SampledValuesTest, one_slow_side_is_enough_and_without_one_there_is_nothing_else_to_test) {
  EXPECT_TRUE(change_by_sample(own_samples(12, 0), three_samples(100)));
  EXPECT_FALSE(change_by_sample(own_samples(12, 0), own_samples(12, 100)));
}

}  // namespace
}  // namespace strobe::compare

#include "strobe/stats/moments.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace strobe::stats {
namespace {

TEST(MomentsTest, a_constant_that_binary_cannot_hold_has_no_deviation) {
  const std::vector<double> sample(9, 85.7);
  const Moments moments = moments_of(sample);
  EXPECT_EQ(moments.n, 9u);
  EXPECT_EQ(moments.mean, 85.7);
  EXPECT_EQ(moments.deviation, 0);
}

TEST(MomentsTest, the_deviation_is_that_of_a_sample) {
  // Squares around 3: 4 + 0 + 4 = 8, over n - 1 = 2.
  const Moments moments = moments_of(std::vector<double>{1, 3, 5});
  EXPECT_EQ(moments.mean, 3);
  EXPECT_EQ(moments.deviation, 2);
}

TEST(MomentsTest, one_value_and_none_have_no_deviation) {
  EXPECT_EQ(moments_of(std::vector<double>{4}).deviation, 0);
  EXPECT_EQ(moments_of({}).n, 0u);
}

TEST(MomentsTest, an_even_sample_has_its_median_between_the_middle_two) {
  EXPECT_EQ(median_of(std::vector<double>{9, 1, 4, 2}), 3);
  EXPECT_EQ(median_of(std::vector<double>{9, 1, 4}), 4);
  EXPECT_TRUE(std::isnan(median_of({})));
}

TEST(MomentsTest, the_wildest_values_are_left_out_from_six_on) {
  const Moments trimmed = trimmed_moments_of(std::vector<double>{2, 900, 4, 3, 5, -70});
  EXPECT_EQ(trimmed.n, 4u);
  EXPECT_EQ(trimmed.mean, 3.5);
  // Replaced by their neighbours: 2 5 4 3 5 2, squares around 3.5 are 9.5, and three are left of
  // four degrees of freedom, so 9.5 / 3.
  EXPECT_DOUBLE_EQ(trimmed.deviation, std::sqrt(9.5 / 3));
  EXPECT_EQ(trimmed_moments_of(std::vector<double>{2, 900, 4, 3, 5}).mean, 914.0 / 5);
}

TEST(MomentsTest, of_forty_values_two_are_wild_at_each_end) {
  std::vector<double> sample(40, 7.0);
  sample[3] = sample[30] = 1000;
  sample[20] = -1000;
  const Moments trimmed = trimmed_moments_of(sample);
  EXPECT_EQ(trimmed.n, 36u);
  EXPECT_EQ(trimmed.mean, 7);
  EXPECT_EQ(trimmed.deviation, 0);
}

TEST(MomentsTest, wild_values_become_their_nearest_neighbours_in_place) {
  EXPECT_EQ(winsorized(std::vector<double>{2, 900, 4, 3, 5, -70}),
            (std::vector<double>{2, 5, 4, 3, 5, 2}));
  EXPECT_EQ(winsorized(std::vector<double>{2, 900, 4}), (std::vector<double>{2, 900, 4}));
}

TEST(MomentsTest, as_many_wild_values_as_wanted_become_their_neighbours) {
  const std::vector<double> sample = {3, 900, 4, 2, 5, 800, 1};
  EXPECT_EQ(winsorized(sample, 0), sample);
  EXPECT_EQ(winsorized(sample, 1), (std::vector<double>{3, 800, 4, 2, 5, 800, 2}));
  EXPECT_EQ(winsorized(sample, 2), (std::vector<double>{3, 5, 4, 3, 5, 5, 3}));
}

TEST(MomentsTest, the_log_of_a_negative_value_is_that_of_0) {
  const std::vector<double> logs = log1p_of(std::vector<double>{-3, 0, std::exp(2.0) - 1});
  ASSERT_EQ(logs.size(), 3u);
  EXPECT_EQ(logs[0], 0);
  EXPECT_EQ(logs[1], 0);
  EXPECT_DOUBLE_EQ(logs[2], 2);
}

}  // namespace
}  // namespace strobe::stats

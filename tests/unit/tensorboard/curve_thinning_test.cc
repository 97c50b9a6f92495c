#include "strobe/tensorboard/curve_thinning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::tensorboard {
namespace {

using testing::ElementsAre;

std::vector<double> times(const std::vector<CurvePoint>& points) {
  std::vector<double> result;
  for (const CurvePoint& point : points) result.push_back(point.time);
  return result;
}

// Points at 0, 1, 2, ... with these values.
std::vector<CurvePoint> curve(const std::vector<double>& allocated) {
  std::vector<CurvePoint> points;
  for (const double value : allocated) {
    points.push_back({static_cast<double>(points.size()), value, 2 * value});
  }
  return points;
}

TEST(CurveThinningTest, a_curve_of_allowed_length_stays_as_it_is) {
  const auto points = curve({0, 9, 0, 9});
  EXPECT_EQ(thin_curve(points, 4), points);
}

TEST(CurveThinningTest, the_first_bins_hold_one_point_more) {
  // Seven inner points in three bins: 1-3, 4-5, 6-7. A peak at 3 wins the first bin only if it is
  // in it.
  const auto thinned = thin_curve(curve({0, 0, 0, 50, 0, 50, 0, 50, 0}), 5);
  EXPECT_THAT(times(thinned), ElementsAre(0, 3, 4, 7, 8));
}

TEST(CurveThinningTest, equal_areas_take_the_first_point) {
  EXPECT_THAT(times(thin_curve(curve({0, 0, 0, 0, 0, 0}), 4)), ElementsAre(0, 1, 3, 5));
}

TEST(CurveThinningTest, a_bin_is_judged_against_the_mean_of_the_next_one) {
  // Bins 1-2 and 3-4; a = (0,0), the mean of the second bin is (3.5, 10). Areas of the first bin:
  // (1,0): |(-3.5)(0) - (-1)(10)|/2 = 5, (2,4): |(-3.5)(4) - (-2)(10)|/2 = 3.
  // Against the first point of the next bin, (3,20), it would be 10 and 14.
  EXPECT_THAT(times(thin_curve(curve({0, 0, 4, 20, 0, 0}), 4)), ElementsAre(0, 1, 3, 5));
}

TEST(CurveThinningTest, the_reserved_value_travels_along) {
  const auto thinned = thin_curve(curve({0, 1, 7, 1, 0}), 3);
  EXPECT_EQ(thinned[1], (CurvePoint{2, 7, 14}));
}

}  // namespace
}  // namespace strobe::tensorboard

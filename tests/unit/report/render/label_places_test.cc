#include "strobe/report/render/label_places.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strobe::report {
namespace {

constexpr PlotPoint kTopLeft = {0, 0};
constexpr PlotPoint kBottomRight = {400, 300};

TEST(LabelPlacesTest, a_mark_alone_has_its_label_above_on_its_right) {
  const PlotPoint mark = {200, 150};
  const auto places = place_labels({{mark, "1"}}, {mark}, kTopLeft, kBottomRight);
  ASSERT_EQ(places.size(), 1u);
  ASSERT_TRUE(places[0]);
  EXPECT_GT(places[0]->baseline.x, mark.x);
  EXPECT_LT(places[0]->baseline.y, mark.y);
  EXPECT_FALSE(places[0]->is_far);
}

TEST(LabelPlacesTest, marks_of_one_place_get_labels_of_different_places) {
  const PlotPoint mark = {200, 150};
  std::vector<MarkLabel> labels;
  for (int i = 1; i <= 10; ++i) labels.push_back({mark, std::to_string(i)});
  const auto places = place_labels(labels, {mark}, kTopLeft, kBottomRight);
  bool has_far = false;
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_TRUE(places[i]) << i;
    has_far |= places[i]->is_far;
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = std::abs(places[i]->baseline.x - places[j]->baseline.x);
      const double dy = std::abs(places[i]->baseline.y - places[j]->baseline.y);
      EXPECT_TRUE(dx >= 7 || dy >= 9) << i << " covers " << j;
    }
  }
  EXPECT_TRUE(has_far) << "eight sides are too few for ten labels";
}

TEST(LabelPlacesTest, a_label_covers_no_mark) {
  const PlotPoint mark = {200, 150};
  const PlotPoint neighbour = {214, 138};  // where the label would be
  const auto alone = place_labels({{mark, "1"}}, {mark}, kTopLeft, kBottomRight);
  const auto beside = place_labels({{mark, "1"}}, {mark, neighbour}, kTopLeft, kBottomRight);
  ASSERT_TRUE(alone[0] && beside[0]);
  EXPECT_NE(alone[0]->baseline.y, beside[0]->baseline.y);
}

TEST(LabelPlacesTest, a_label_stays_inside_the_picture_or_is_left_out) {
  const PlotPoint corner = {400, 0};
  const auto places = place_labels({{corner, "12"}}, {corner}, kTopLeft, kBottomRight);
  ASSERT_TRUE(places[0]);
  EXPECT_LT(places[0]->baseline.x, 400 - 14);
  EXPECT_GT(places[0]->baseline.y, 9);
  EXPECT_FALSE(place_labels({{{5, 5}, "1"}}, {{5, 5}}, kTopLeft, {10, 10})[0]);
}

}  // namespace
}  // namespace strobe::report

#include "strobe/analysis/timeline/row_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint32_t> rows_taken_by(const std::vector<Interval>& slices) {
  RowLayout layout;
  std::vector<std::uint32_t> rows;
  for (const Interval& slice : slices) rows.push_back(layout.place(slice));
  return rows;
}

TEST(RowLayoutTest, what_is_inside_lies_below_and_what_follows_returns) {
  EXPECT_THAT(rows_taken_by({{0, 100}, {10, 50}, {10, 20}, {20, 30}, {60, 70}, {100, 110}}),
              ElementsAre(0, 1, 2, 2, 1, 0));
}

TEST(RowLayoutTest, a_slice_that_crosses_the_end_of_another_takes_a_further_row) {
  EXPECT_THAT(rows_taken_by({{0, 100}, {50, 150}, {120, 130}, {140, 200}}),
              ElementsAre(0, 1, 2, 0));
}

TEST(RowLayoutTest, a_slice_inside_a_deeper_one_never_lies_above_it) {
  // The first two have ended or cross; the third is open in row 1 and contains the last.
  EXPECT_THAT(rows_taken_by({{0, 10}, {5, 100}, {20, 30}}), ElementsAre(0, 1, 2));
}

TEST(RowLayoutTest, a_chain_of_crossing_slices_needs_two_rows) {
  std::vector<Interval> chain;
  for (std::int64_t i = 0; i < 1000; ++i) chain.push_back({10 * i, 10 * i + 15});
  RowLayout layout;
  for (const Interval& slice : chain) layout.place(slice);
  EXPECT_EQ(layout.rows(), 2u);
}

TEST(RowLayoutTest, empty_slices_lie_inside_what_is_open_and_beside_what_has_ended) {
  EXPECT_THAT(rows_taken_by({{0, 10}, {0, 0}, {5, 5}, {10, 10}, {10, 10}}),
              ElementsAre(0, 1, 1, 0, 0));
}

TEST(RowLayoutTest, equal_slices_lie_below_each_other) {
  EXPECT_THAT(rows_taken_by({{0, 10}, {0, 10}, {0, 10}}), ElementsAre(0, 1, 2));
}

TEST(RowLayoutTest, as_many_rows_as_overlapping_slices_cost_no_square) {
  // Each crosses all before it; a search through all open rows would take minutes.
  constexpr std::int64_t kMany = 200'000;
  RowLayout layout;
  for (std::int64_t i = 0; i < kMany; ++i) layout.place({i, kMany + i});
  EXPECT_EQ(layout.rows(), kMany);
  EXPECT_EQ(layout.place({kMany + 10, kMany + 11}), 200'000u) << "inside the last one";
}

TEST(RowLayoutTest, a_cleared_layout_starts_again) {
  RowLayout layout;
  layout.place({0, 100});
  layout.place({10, 20});
  layout.clear();
  EXPECT_EQ(layout.rows(), 0u);
  EXPECT_EQ(layout.place({50, 60}), 0u);
}

}  // namespace
}  // namespace strobe::analysis

#include <gtest/gtest.h>

#include "strobe/paddle/text_table.h"

namespace strobe::paddle {
namespace {

TEST(TextTableTest, cells_are_left_aligned_and_followed_by_two_spaces) {
  const TextTable table({4, 3});
  std::string out;
  table.row(out, {"ab", "7"});
  table.separator(out);
  EXPECT_EQ(out, "ab    7    \n----  ---  \n");
  EXPECT_EQ(table.line_width(), 9u);
}

TEST(TextTableTest, a_cell_too_long_for_its_column_pushes_the_rest) {
  std::string out;
  TextTable({2, 3}).row(out, {"abcdef", "7"});
  EXPECT_EQ(out, "abcdef  7    \n");
}

TEST(TextTableTest, the_odd_dash_of_a_title_goes_right) {
  EXPECT_EQ(title(8, "abc"), "--abc---");
  EXPECT_EQ(title(7, "abc"), "--abc--");
  EXPECT_EQ(title(2, "abc"), "abc");
}

TEST(TextTableTest, lengths_are_code_points_not_bytes) {
  std::string out;
  TextTable({4}).row(out, {"爱ü"});
  EXPECT_EQ(out, "爱ü    \n");
  EXPECT_EQ(title(6, "爱ü"), "--爱ü--");
  EXPECT_EQ(shortened("爱爱爱爱爱爱", 5), "爱爱...");
  EXPECT_EQ(shortened("爱爱爱爱爱", 5), "爱爱爱爱爱");
}

TEST(TextTableTest, a_column_grows_with_its_longest_cell) {
  EXPECT_EQ(grown_width(3, {{"a", "1234"}, {"b", "12"}}, 1), 4u);
  EXPECT_EQ(grown_width(6, {{"a", "1234"}}, 1), 6u);
}

using analysis::TimeStat;
using analysis::TimeUnit;

TEST(CellsTest, rounding_is_that_of_printf) {
  TimeStat stat{100, 61'126'500, 616'800, 605'900};
  EXPECT_EQ(TimeCells(TimeUnit::kMicroseconds).time(stat.average_ns()), "611.26");
}

TEST(CellsTest, every_unit_prints_two_decimals) {
  EXPECT_EQ(TimeCells(TimeUnit::kSeconds).time(std::int64_t{6'205'800}), "0.01");
  EXPECT_EQ(TimeCells(TimeUnit::kMilliseconds).time(std::int64_t{6'205'800}), "6.21");
  EXPECT_EQ(TimeCells(TimeUnit::kMicroseconds).time(std::int64_t{6'205'800}), "6205.80");
  EXPECT_EQ(TimeCells(TimeUnit::kNanoseconds).time(std::int64_t{6'205'800}), "6205800.00");
}

TEST(CellsTest, a_minimum_that_was_never_set_is_a_dash) {
  EXPECT_EQ(TimeCells(TimeUnit::kMilliseconds).times(TimeStat{}, 5),
            "0.00 / 0.00 / 0.00 / - / 0.00");
}

TEST(CellsTest, a_ratio_over_nothing_is_zero) {
  EXPECT_EQ(ratio(std::int64_t{5}, std::int64_t{0}), "0.00");
  EXPECT_EQ(ratio(std::int64_t{-1}, std::int64_t{8}), "-12.50");
}

}  // namespace

}  // namespace strobe::paddle

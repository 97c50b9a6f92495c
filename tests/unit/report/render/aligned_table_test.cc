#include "strobe/report/render/aligned_table.h"

#include <gtest/gtest.h>

namespace strobe::report {
namespace {

TEST(AlignedTableTest, a_column_is_two_wider_than_its_header_at_least) {
  EXPECT_EQ(
      aligned_table({{"ab", CellAlignment::kText, {"x"}}, {"n", CellAlignment::kWhole, {"7"}}}),
      "| ab   |   n |\n"
      "|:-----|----:|\n"
      "| x    |   7 |");
}

TEST(AlignedTableTest, points_stand_below_each_other) {
  // After the point 2, 1 and, for the exponent, 3 characters; "nan" and "-0" lack the point too: 4
  // blanks.
  EXPECT_EQ(aligned_table({{"n", CellAlignment::kDecimal, {"1.25", "nan", "-0", "12.5", "1e+06"}}}),
            "|       n |\n"
            "|--------:|\n"
            "|   1.25  |\n"
            "| nan     |\n"
            "|  -0     |\n"
            "|  12.5   |\n"
            "|   1e+06 |");
}

TEST(AlignedTableTest, widths_count_characters_and_not_bytes) {
  EXPECT_EQ(aligned_table({{"Δβ(%)", CellAlignment::kText, {"μ"}}}),
            "| Δβ(%)   |\n"
            "|:--------|\n"
            "| μ       |");
}

TEST(AlignedTableTest, a_bar_in_a_text_is_escaped_and_a_line_end_is_a_blank) {
  EXPECT_EQ(aligned_table({{"name", CellAlignment::kText, {"a|b||c", "d\ne"}}}),
            "| name      |\n"
            "|:----------|\n"
            "| a\\|b\\|\\|c |\n"
            "| d e       |");
}

TEST(AlignedTableTest, a_table_without_rows_is_its_header) {
  EXPECT_EQ(aligned_table({{"name", CellAlignment::kText, {}}}), "| name   |\n|:-------|");
}

}  // namespace
}  // namespace strobe::report

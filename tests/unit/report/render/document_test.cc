#include "strobe/report/render/document.h"

#include <gmock/gmock.h>

namespace strobe::report {
namespace {

using ::testing::ElementsAre;

TEST(DocumentTest, every_type_of_cell_has_its_text) {
  EXPECT_EQ(cell_text(Absent{}), "-");
  EXPECT_EQ(cell_text(Text{"name"}), "name");
  EXPECT_EQ(cell_text(Count{1234}), "1,234");
  EXPECT_EQ(cell_text(Bytes{2048}), "2.00 KiB");
  EXPECT_EQ(cell_text(Duration{1'230'000}), "1.23 ms");
  EXPECT_EQ(cell_text(Share{0.096}), "9.6 %");
}

Table shares(std::vector<double> values, bool balanced) {
  Table table;
  table.columns = {
      {.key = "share", .header = "", .type = ColumnType::kShare, .balanced = balanced}};
  for (const double value : values) table.rows.push_back({{Share{value}}, RowStyle::kPlain});
  table.rows.push_back({{Share{1}}, RowStyle::kTotal});
  return table;
}

std::vector<std::string> first_column(const Table& table) {
  std::vector<std::string> texts;
  for (const auto& row : table_texts(table)) texts.push_back(row[0]);
  return texts;
}

// 16.66, 16.66 and 66.68: rounded alone they make 100.1. Of the remainders .6, .6 and .8 the last
// and the first are rounded up.
TEST(DocumentTest, a_balanced_column_is_rounded_as_a_whole) {
  EXPECT_THAT(first_column(shares({0.1666, 0.1666, 0.6668}, false)),
              ElementsAre("16.7 %", "16.7 %", "66.7 %", "100.0 %"));
  EXPECT_THAT(first_column(shares({0.1666, 0.1666, 0.6668}, true)),
              ElementsAre("16.7 %", "16.6 %", "66.7 %", "100.0 %"));
}

TEST(DocumentTest, a_share_that_rounds_to_nothing_is_still_seen) {
  EXPECT_THAT(first_column(shares({0.00001, 0.99999}, true)),
              ElementsAre("<0.1 %", "100.0 %", "100.0 %"));
}

TEST(DocumentTest, a_header_in_one_line_is_not_parted) {
  EXPECT_EQ(header_line({.key = "a", .header = "compu-\ntation"}), "computation");
  EXPECT_EQ(header_line({.key = "b", .header = "share of\nspan"}), "share of span");
}

}  // namespace
}  // namespace strobe::report

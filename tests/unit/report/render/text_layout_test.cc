#include "strobe/report/render/text_layout.h"

#include <gmock/gmock.h>

namespace strobe::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Natural widths: name 30, bar 30, calls 7, total 7.
Table table() {
  Table table;
  table.columns = {
      {"name", "name", ColumnType::kName, 9},
      {"bar", "", ColumnType::kBar, 0},
      {"calls", "calls", ColumnType::kCount, 2},
      {"total_ns", "total\ntime", ColumnType::kDuration, 5},
      {.key = "max_ns", .header = "max", .type = ColumnType::kDuration, .for_tools = true}};
  return table;
}
const std::vector<std::vector<std::string>> kTexts = {
    {std::string(30, 'n'), "", "123,456", "1.23 ms", "1.00 ms"}};

std::vector<std::size_t> widths(const TableLayout& layout) {
  std::vector<std::size_t> widths;
  for (const LaidColumn& column : layout.columns) widths.push_back(column.width);
  return widths;
}

TEST(TextLayoutTest, with_room_every_column_has_its_natural_width) {
  const TableLayout layout = lay_out(table(), kTexts, 200);
  EXPECT_THAT(widths(layout), ElementsAre(30, 30, 7, 7));
  EXPECT_THAT(layout.left_out, IsEmpty());
}

TEST(TextLayoutTest, bars_give_way_before_names_and_numbers_never) {
  EXPECT_THAT(widths(lay_out(table(), kTexts, 70)), ElementsAre(30, 20, 7, 7));
  EXPECT_THAT(widths(lay_out(table(), kTexts, 50)), ElementsAre(22, 8, 7, 7));
}

TEST(TextLayoutTest, the_least_important_column_leaves_first_and_is_named_unless_a_bar) {
  const TableLayout without_bar = lay_out(table(), kTexts, 45);
  EXPECT_THAT(widths(without_bar), ElementsAre(27, 7, 7));
  EXPECT_THAT(without_bar.left_out, IsEmpty());
  const TableLayout name_and_total = lay_out(table(), kTexts, 30);
  EXPECT_THAT(widths(name_and_total), ElementsAre(21, 7));
  EXPECT_THAT(name_and_total.left_out, ElementsAre("calls"));
}

TEST(TextLayoutTest, the_first_column_stays_whatever_the_room) {
  const TableLayout layout = lay_out(table(), kTexts, 10);
  EXPECT_THAT(widths(layout), ElementsAre(10));
  EXPECT_THAT(layout.left_out, ElementsAre("calls", "total time"));
}

}  // namespace
}  // namespace strobe::report

#include "strobe/report/bench/fit_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/report/bench/cell_text.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/render/render.h"
#include "tests/unit/report/bench/bench_rows.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Three rows of a case, two texts and as many numbers as asked for, each of eight digits.
Section a_wide_section(std::size_t numbers) {
  std::vector<ListColumn> columns = {{"dtype", "type", true}, {"provider", "provider", true}};
  for (std::size_t i = 0; i < numbers; ++i) {
    const std::string name = "n" + std::to_string(i);
    columns.push_back({name, name});
  }
  Section section = list_section("wide", "Wide", "A lead.", "case", columns);
  for (const char* provider : {"one", "two", "three"}) {
    Row& row = section.table.rows.emplace_back();
    row.cells = {Text{"softmax"}, Text{"f32"}, Text{provider}};
    for (std::size_t i = 0; i < numbers; ++i) {
      row.cells.push_back(Measure{.text = "1234567" + std::to_string(i), .value = 1});
    }
  }
  section.notes = {"a note"};
  return section;
}

std::vector<Section> fitted_sections(Section section, std::size_t width) {
  Document page;
  page.sections = {std::move(section)};
  fit_tables(page, width, true);
  return page.sections;
}

std::size_t widest_line(const Document& page, std::size_t width) {
  std::string text = render_text(page, {.width = static_cast<int>(width), .unicode = false});
  std::size_t widest = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    widest = std::max(widest, end - start);
    start = end + 1;
  }
  return widest;
}

std::vector<std::string> headers_of(const Section& section) {
  std::vector<std::string> headers;
  for (const Column& column : section.table.columns) headers.push_back(column.header);
  return headers;
}

TEST(FitTables, a_table_that_fits_is_left_alone) {
  const std::vector<Section> sections = fitted_sections(a_wide_section(2), 60);
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_THAT(headers_of(sections[0]), ElementsAre("case", "type", "provider", "n0", "n1"));
  EXPECT_THAT(sections[0].notes, ElementsAre("a note"));
}

TEST(FitTables, an_empty_column_at_the_end_takes_no_room) {
  Section section = list_section("flags", "Flags", "", "case", {{"n", "n"}, {"note", "", true}});
  section.table.rows = {{{Text{"a_name_of_27_characters_xyz"}, Text{"12"}, Text{""}}}};
  const std::vector<Section> sections = fitted_sections(std::move(section), 33);
  EXPECT_THAT(row_texts(sections[0].table.rows[0]),
              ElementsAre("a_name_of_27_characters_xyz", "12", ""));
}

TEST(FitTables, words_that_are_the_same_in_every_row_become_a_note) {
  // 2 + 7 + 2 + 4 + 2 + 8 + 3 * (2 + 8) = 55; without the type 49.
  const std::vector<Section> sections = fitted_sections(a_wide_section(3), 50);
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_THAT(headers_of(sections[0]), ElementsAre("case", "provider", "n0", "n1", "n2"));
  EXPECT_THAT(sections[0].notes, ElementsAre("in every row: type f32", "a note"));
}

TEST(FitTables, a_table_that_is_too_wide_goes_on_below_with_its_labels) {
  const std::vector<Section> sections = fitted_sections(a_wide_section(6), 60);
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections[0].title, "Wide");
  EXPECT_EQ(sections[1].title, "Wide, continued");
  EXPECT_THAT(headers_of(sections[0]), ElementsAre("case", "provider", "n0", "n1", "n2"));
  EXPECT_THAT(headers_of(sections[1]), ElementsAre("case", "provider", "n3", "n4", "n5"));
  EXPECT_THAT(row_texts(sections[1].table.rows[2]),
              ElementsAre("softmax", "three", "12345673", "12345674", "12345675"));
  EXPECT_EQ(sections[0].lead, "A lead.");
  EXPECT_THAT(sections[0].notes, IsEmpty());
  EXPECT_EQ(sections[1].lead, "");
  EXPECT_THAT(sections[1].notes, ElementsAre("in every row: type f32", "a note"));
}

TEST(FitTables, long_names_are_cut_and_stay_different) {
  Section section = a_wide_section(4);
  section.table.rows[0].cells[0] = Text{"a_long_name_of_a_case_that_ends_in_one"};
  section.table.rows[1].cells[0] = Text{"a_long_name_of_a_case_that_ends_in_two"};
  const std::vector<Section> sections = fitted_sections(std::move(section), 72);
  ASSERT_EQ(sections.size(), 1u);
  const std::string one = row_texts(sections[0].table.rows[0])[0];
  const std::string two = row_texts(sections[0].table.rows[1])[0];
  EXPECT_LE(columns_of(one), 20u);
  EXPECT_NE(one, two);
  EXPECT_EQ(row_texts(sections[0].table.rows[2])[0], "softmax");
}

TEST(FitTables, words_at_the_end_go_on_in_the_next_row) {
  Section section =
      list_section("flags", "Flags", "", "case", {{"n", "number"}, {"note", "note", true}});
  section.table.rows = {
      {{Text{"softmax"}, Measure{.text = "12", .value = 12},
        Text{"a note that is far too long to stand in one line of a page this narrow"}}},
      {{Text{"norm"}, Measure{.text = "7", .value = 7}, Text{"short"}}}};
  const std::vector<Section> sections = fitted_sections(std::move(section), 57);
  ASSERT_EQ(sections.size(), 1u);
  ASSERT_EQ(sections[0].table.rows.size(), 3u);
  EXPECT_THAT(row_texts(sections[0].table.rows[0]),
              ElementsAre("softmax", "12", "a note that is far too long to stand"));
  EXPECT_THAT(row_texts(sections[0].table.rows[1]),
              ElementsAre("", "", "in one line of a page this narrow"));
  EXPECT_THAT(row_texts(sections[0].table.rows[2]), ElementsAre("norm", "7", "short"));
}

TEST(FitTables, no_line_is_wider_than_the_page) {
  for (const std::size_t width : {60u, 80u, 100u}) {
    Document page;
    page.sections = {a_wide_section(12)};
    fit_tables(page, width, false);
    EXPECT_LE(widest_line(page, width), width);
    EXPECT_GT(page.sections.size(), 1u);
  }
}

TEST(FitTables, a_grid_of_numbers_keeps_its_first_column) {
  std::vector<ListColumn> columns;
  for (int i = 0; i < 10; ++i) columns.push_back({std::to_string(i), std::to_string(1 << i)});
  Section grid = list_section("relative", "Grid", "", "dim0 \\ dim1", columns);
  grid.table.columns.front().type = ColumnType::kNumber;
  Row& row = grid.table.rows.emplace_back();
  row.cells.push_back(Text{"128"});
  for (int i = 0; i < 10; ++i) row.cells.push_back(Measure{.text = "1100.00%", .value = 1100});
  const std::vector<Section> sections = fitted_sections(std::move(grid), 100);
  ASSERT_EQ(sections.size(), 2u);  // five and five, not eight and two
  EXPECT_EQ(sections[0].table.columns.size(), 6u);
  EXPECT_EQ(sections[1].table.columns.size(), 6u);
  EXPECT_EQ(corner_text(sections[1]), "dim0 \\ dim1");
}

}  // namespace
}  // namespace strobe::report

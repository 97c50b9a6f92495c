#include "strobe/readers/counters/csv_records.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& text, std::size_t buffer_bytes = 64) {
  const auto stream = open_stream(std::string_view(text)).value();
  CsvRecords records(*stream, buffer_bytes);
  Rows rows;
  while (records.next()) {
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < records.size(); ++i) row.emplace_back(records.field(i));
  }
  return rows;
}

TEST(CsvRecords, quotes_hold_commas_quotes_and_line_ends) {
  EXPECT_THAT(rows_of("\"a\",\"b,c\",\"d\"\"e\",\"f\ng\"\nh,,\"\"\n"),
              ElementsAre(ElementsAre("a", "b,c", "d\"e", "f\ng"), ElementsAre("h", "", "")));
}

TEST(CsvRecords, windows_line_ends_a_byte_order_mark_and_blanks_are_fine) {
  EXPECT_THAT(rows_of("\xEF\xBB\xBF\"a\" , \"b\"\r\n\"c\",d\r\n"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d")));
}

TEST(CsvRecords, lines_of_the_log_are_passed_by_whatever_quotes_they_hold) {
  EXPECT_THAT(rows_of("a,b\n==WARNING== 5\" is odd\n==PROF== done\nc,d\n"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d")));
}

TEST(CsvRecords, lines_are_counted_through_quoted_line_ends) {
  const std::string text = "\"a\nb\nc\",1\nd,2\n";
  const auto stream = open_stream(std::string_view(text)).value();
  CsvRecords records(*stream);
  ASSERT_TRUE(records.next());
  EXPECT_EQ(records.line(), 1u);
  ASSERT_TRUE(records.next());
  EXPECT_EQ(records.line(), 4u);
  EXPECT_FALSE(records.next());
}

TEST(CsvRecords, a_quote_left_open_costs_its_line_and_not_the_file) {
  const std::string text = "a,1\nb,\"2\nc,3\nd,4\n";
  const auto stream = open_stream(std::string_view(text)).value();
  CsvRecords records(*stream);
  ASSERT_TRUE(records.next());
  ASSERT_TRUE(records.next());
  EXPECT_TRUE(records.is_broken());
  EXPECT_FALSE(records.is_last_cut());
  ASSERT_TRUE(records.next());
  EXPECT_EQ(records.field(0), "c");
  EXPECT_FALSE(records.is_broken());
  ASSERT_TRUE(records.next());
  EXPECT_FALSE(records.next());
}

TEST(CsvRecords, a_text_that_ends_inside_a_field_says_so) {
  const std::string text = "a,1\n\"b\",\"cut he";
  const auto stream = open_stream(std::string_view(text)).value();
  CsvRecords records(*stream);
  ASSERT_TRUE(records.next());
  EXPECT_FALSE(records.is_last_cut());
  ASSERT_TRUE(records.next());
  EXPECT_TRUE(records.is_last_cut());
  EXPECT_TRUE(records.is_broken());
}

// Plain and slow: one character at a time.
Rows plain_rows_of(const std::string& text) {
  Rows rows;
  std::vector<std::string> row;
  std::string field;
  bool is_inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_inside && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[i++];
    } else if (text[i] == '"') {
      is_inside = !is_inside;
    } else if (!is_inside && (text[i] == ',' || text[i] == '\n')) {
      row.push_back(std::exchange(field, {}));
      if (text[i] == '\n') rows.push_back(std::exchange(row, {}));
    } else {
      field += text[i];
    }
  }
  return rows;
}

TEST(CsvRecords, any_size_of_its_buffer_gives_what_a_plain_parser_gives) {
  std::mt19937 dice(7);
  const auto roll = [&](std::size_t sides) { return std::size_t{dice()} % sides; };
  std::string text;
  for (int row = 0; row < 300; ++row) {
    const std::size_t columns = 1 + roll(90);
    for (std::size_t column = 0; column < columns; ++column) {
      if (column > 0) text += ',';
      text += '"';
      for (std::size_t i = roll(12); i > 0; --i) {
        constexpr std::string_view kLetters = "ab,1\n(;";
        roll(9) == 0 ? text += "\"\"" : text += kLetters[roll(kLetters.size())];
      }
      text += '"';
    }
    text += '\n';
  }
  const Rows expected = plain_rows_of(text);
  for (const std::size_t bytes : {64u, 65u, 100u, 1000u, 1u << 20}) {
    EXPECT_EQ(rows_of(text, bytes), expected) << bytes;
  }
}

}  // namespace
}  // namespace strobe::readers

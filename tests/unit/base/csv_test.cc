#include "strobe/base/csv.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"

namespace strobe {
namespace {

using ::testing::ElementsAre;

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& text, std::size_t buffer_bytes = 64) {
  const auto stream = open_stream(std::string_view(text)).value();
  CsvRecords records(*stream, {.log_mark = "==", .buffer_bytes = buffer_bytes});
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

TEST(CsvRecords, a_text_in_memory_is_read_like_a_stream) {
  CsvRecords records(
      "\xEF\xBB\xBF"
      "a,\"b\nc\"\r\nd");
  ASSERT_TRUE(records.next());
  EXPECT_THAT(records.fields(), ElementsAre("a", "b\nc"));
  ASSERT_TRUE(records.next());
  EXPECT_THAT(records.fields(), ElementsAre("d"));
  EXPECT_FALSE(records.next());
  EXPECT_FALSE(CsvRecords("").next());
  EXPECT_FALSE(CsvRecords("").next_line());
}

TEST(CsvRecords, a_split_line_has_fields_and_says_whether_a_quote_is_left_open) {
  CsvRecords records("a,\"b,\"\"c\" , d\"e,f\nx,\"y,z\nlast, \"\",1\n");
  ASSERT_TRUE(records.next_line());
  EXPECT_EQ(records.size(), 1u);
  records.split_line();
  EXPECT_FALSE(records.is_broken());
  EXPECT_THAT(records.fields(), ElementsAre("a", "b,\"c", "d\"e", "f"));
  ASSERT_TRUE(records.next_line());
  records.split_line();
  EXPECT_TRUE(records.is_broken());
  ASSERT_TRUE(records.next_line());
  records.split_line();
  EXPECT_FALSE(records.is_broken());
  EXPECT_THAT(records.fields(), ElementsAre("last", "", "1"));
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

TEST(CsvWriter, texts_are_quoted_where_they_must_be) {
  std::string out;
  CsvWriter csv(out);
  csv.raw("a,b").field("c").end_row();
  csv.field("x,y").field("say \"hi\"").field("# 1").field("two\nlines").field("plain").end_row();
  csv.end_row();
  EXPECT_EQ(out, "a,b,c\n\"x,y\",\"say \"\"hi\"\"\",\"# 1\",\"two\nlines\",plain\n\n");
}

TEST(CsvWriter, numbers_read_back_and_what_is_unknown_is_empty) {
  std::string out;
  CsvWriter csv(out);
  csv.field(0.1).field(-3).field(std::size_t{7}).field(std::nan("")).field(INFINITY).end_row();
  csv.field(std::optional<double>()).field(std::optional(2.5)).empty().field(true).end_row();
  EXPECT_EQ(out, "0.1,-3,7,,\n,2.5,,1\n");
}

TEST(CsvWriter, all_texts_may_be_quoted) {
  std::string out;
  CsvWriter csv(out, CsvQuotes::kTexts);
  csv.field("a").field("").field(1).raw("nan").end_row();
  EXPECT_EQ(out, "\"a\",\"\",1,nan\n");
}

TEST(CsvWriter, what_it_writes_is_read_back) {
  const std::vector<std::string> texts = {"", " a", ",", "\"", "\"\"", "\n", "#", "b\r\n"};
  std::string out;
  CsvWriter csv(out, CsvQuotes::kTexts);
  for (const std::string& text : texts) csv.field(text);
  csv.end_row();
  CsvRecords records(out);
  ASSERT_TRUE(records.next());
  EXPECT_EQ(records.fields(), texts);
  EXPECT_FALSE(records.next());
}

}  // namespace
}  // namespace strobe

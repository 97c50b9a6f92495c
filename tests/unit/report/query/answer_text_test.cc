#include "strobe/report/query/answer_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::report {
namespace {

using query::AnswerColumn;
using query::Digits;
using query::Null;
using query::Rows;
using query::ValueType;

const std::vector<AnswerColumn> kColumns = {
    {"name", ValueType::kText}, {"n", ValueType::kWhole}, {"x", ValueType::kReal}};

Rows some_rows() {
  return {.count = 2,
          .columns = {{std::string("a,b"), Null{}},
                      {std::int64_t{1234567}, Digits{"99999999999999999999"}},
                      {0.5, 1234.5678}}};
}

std::string written(AnswerFormat format, const Rows& rows, bool is_cut = false,
                    const TextStyle& style = {}) {
  std::string text;
  const auto writer = answer_writer(format, kColumns, style, text);
  writer->rows(rows, text);
  writer->end(is_cut, text);
  return text;
}

TEST(AnswerTextTest, text_aligns_numbers_right) {
  EXPECT_EQ(written(AnswerFormat::kText, some_rows()),
            "name                           n         x\n"
            "a,b                    1,234,567       0.5\n"
            "-     99,999,999,999,999,999,999  1,234.57\n");
}

TEST(AnswerTextTest, csv_is_plain) {
  EXPECT_EQ(written(AnswerFormat::kCsv, some_rows()),
            "name,n,x\n\"a,b\",1234567,0.5\n,99999999999999999999,1234.5678\n");
}

TEST(AnswerTextTest, json_is_an_array_of_objects) {
  EXPECT_EQ(written(AnswerFormat::kJson, some_rows()),
            "[\n{\"name\":\"a,b\",\"n\":1234567,\"x\":0.5},\n"
            "{\"name\":null,\"n\":99999999999999999999,\"x\":1234.5678}\n]\n");
  EXPECT_EQ(written(AnswerFormat::kJson, {}), "[]\n");
}

TEST(AnswerTextTest, ndjson_is_a_line_per_row) {
  EXPECT_EQ(written(AnswerFormat::kNdjson, some_rows()),
            "{\"name\":\"a,b\",\"n\":1234567,\"x\":0.5}\n"
            "{\"name\":null,\"n\":99999999999999999999,\"x\":1234.5678}\n");
}

TEST(AnswerTextTest, markdown_is_a_table) {
  EXPECT_THAT(written(AnswerFormat::kMarkdown, some_rows()), ::testing::HasSubstr("| a,b "));
}

TEST(AnswerTextTest, a_cut_answer_says_so) {
  EXPECT_THAT(written(AnswerFormat::kText, some_rows(), true),
              ::testing::HasSubstr("… more rows than these 2 (--limit all shows them)\n"));
  EXPECT_THAT(written(AnswerFormat::kText, {.count = 0, .columns = {{}, {}, {}}}),
              ::testing::HasSubstr("(no rows)\n"));
}

TEST(AnswerTextTest, no_line_is_wider_than_the_page) {
  const Rows rows{.count = 1,
                  .columns = {{std::string(100, 'k')}, {std::int64_t{123456789}}, {2.0}}};
  EXPECT_EQ(written(AnswerFormat::kText, rows, false, {.width = 31}),
            "name                        n\n"
            "kkkkkkkkkk…kkkkk  123,456,789\n"
            "… no room for x (--format csv\n"
            "shows all)\n");
}

}  // namespace
}  // namespace strobe::report

#include "strobe/cli/query_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<QueryRequest> typed(const std::vector<std::string>& words, const TypedFlags& flags = {}) {
  return typed_request(query_flags, complete_query, words, flags);
}

TEST(QueryRequestTest, the_last_word_is_the_query) {
  const auto request = typed({"a.json", "b.json", "select 1"});
  ASSERT_TRUE(request);
  EXPECT_THAT(request->runs, ElementsAre("a.json", "b.json"));
  EXPECT_EQ(request->sql, "select 1");
  EXPECT_EQ(request->most_rows, kAnswerRowsOnAPage);
}

TEST(QueryRequestTest, a_question_has_a_name) {
  const auto request = typed({"a.json", "top-kernels"});
  ASSERT_TRUE(request);
  EXPECT_THAT(request->sql, HasSubstr("from kernels"));
}

TEST(QueryRequestTest, a_mistyped_question_is_told_from_a_trace) {
  const auto request = typed({"a.json", "top-kernel"});
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().what, "'top-kernel' is neither a trace, nor a query, nor a question");
  EXPECT_EQ(request.error().hint, "did you mean top-kernels?");
}

TEST(QueryRequestTest, files_get_every_row) {
  const auto request = typed({"a.json", "from slices"}, {{"format", "csv"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->most_rows, 0u);
  const auto limited = typed({"a.json", "from slices"}, {{"format", "csv"}, {"limit", "7"}});
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->most_rows, 7u);
}

TEST(QueryRequestTest, what_is_missing_is_named) {
  EXPECT_EQ(typed({}).error().what, "no trace was given");
  EXPECT_EQ(typed({"a.json"}, {{"save", "one.sql"}}).error().what, "there is no query to save");
  EXPECT_EQ(typed({"select 1"}).error().what, "no trace was given");
  EXPECT_TRUE(typed({"select 1"}, {{"save", "one.sql"}}));
  EXPECT_FALSE(typed({"a.json"}, {{"list", ""}}));
}

TEST(QueryRequestTest, without_a_query_statements_are_read) {
  const Result<QueryRequest> request = typed({"a.json"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->sql, "");
  EXPECT_EQ(request->timeout_ms, 0);
}

TEST(QueryRequestTest, parquet_is_one_answer_in_a_file) {
  EXPECT_TRUE(typed({"a.json", "select 1"}, {{"output", "a.parquet"}, {"format", "parquet"}}));
  EXPECT_EQ(typed({"a.json", "select 1"}, {{"format", "parquet"}}).error().what,
            "Parquet is written to a file only");
  EXPECT_EQ(typed({"a.json"}, {{"output", "a.parquet"}, {"format", "parquet"}}).error().what,
            "no query was given");
}

TEST(QueryRequestTest, sizes_and_times_have_units) {
  const auto request = typed({"a.json", "from slices"}, {{"memory", "2G"}, {"timeout", "30s"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->memory_bytes, std::int64_t{2} << 30);
  EXPECT_EQ(request->timeout_ms, 30'000);
}

}  // namespace
}  // namespace strobe::cli

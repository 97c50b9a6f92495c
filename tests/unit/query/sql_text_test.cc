#include "strobe/query/sql_text.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::query {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> statements(std::string text) {
  std::vector<std::string> all;
  while (auto one = take_statement(text)) all.push_back(std::move(*one));
  all.push_back("rest: " + text);
  return all;
}

TEST(SqlTextTest, a_semicolon_ends_a_statement) {
  EXPECT_THAT(statements("select 1;select\n2; select 3"),
              ElementsAre("select 1", "select\n2", "rest:  select 3"));
}

TEST(SqlTextTest, a_semicolon_in_quotes_ends_nothing) {
  EXPECT_THAT(statements("select 'a;b', \"c;d\", 'it''s;';x"),
              ElementsAre("select 'a;b', \"c;d\", 'it''s;'", "rest: x"));
  EXPECT_THAT(statements("select $$ ; $$, $t$ $$ ; $t$, $1;"),
              ElementsAre("select $$ ; $$, $t$ $$ ; $t$, $1", "rest: "));
  EXPECT_THAT(statements("select 'open; "), ElementsAre("rest: select 'open; "));
}

TEST(SqlTextTest, a_backslash_keeps_a_quote_open_only_in_texts_with_escapes) {
  EXPECT_THAT(statements(R"(select e'it\'s; one', E'\\';x)"),
              ElementsAre(R"(select e'it\'s; one', E'\\')", "rest: x"));
  EXPECT_THAT(statements(R"(select 'a\';x)"), ElementsAre(R"(select 'a\')", "rest: x"));
  EXPECT_THAT(statements(R"(select case'a\';x)"), ElementsAre(R"(select case'a\')", "rest: x"));
  EXPECT_THAT(statements(R"(select e'open;\)"), ElementsAre(R"(rest: select e'open;\)"));
}

TEST(SqlTextTest, what_an_explain_explains_follows_its_words_and_options) {
  EXPECT_EQ(explained("explain select 1"), "select 1");
  EXPECT_EQ(explained(" /* a */ EXPLAIN -- b\n analyze\nVerbose drop view x"), "drop view x");
  EXPECT_EQ(explained("explain analyze(select 1)"), "(select 1)");
  EXPECT_EQ(explained("explain analyzed"), "analyzed");
  EXPECT_EQ(after_parentheses("(analyze, format json) select ')'"), " select ')'");
  EXPECT_EQ(after_parentheses("(select ')' from (select 1)) union x"), " union x");
  EXPECT_EQ(after_parentheses("select (1)"), "select (1)");
  EXPECT_EQ(after_parentheses("(open"), "");
}

TEST(SqlTextTest, a_deed_is_seen_in_the_plan_and_nowhere_else) {
  EXPECT_TRUE(may_call_a_deed("from Enable_Logging()"));
  EXPECT_TRUE(may_call_a_deed("from query('from enable' || '_logg' || 'ing()')"));
  EXPECT_FALSE(may_call_a_deed("select name, sum(dur) from kernels group by name"));
  EXPECT_EQ(deed_in_plan(R"([{"name": "ENABLE_LOGGING ", "children": []}])"), "enable_logging");
  EXPECT_EQ(deed_in_plan(R"([{"name": "FILTER", "extra": "name = \"CHECKPOINT \""}])"), "");
}

TEST(SqlTextTest, a_semicolon_in_a_comment_ends_nothing) {
  EXPECT_THAT(statements("select 1 -- a;b\n+ 1;"), ElementsAre("select 1 -- a;b\n+ 1", "rest: "));
  EXPECT_THAT(statements("/* a; /* b; */ c; */ select 1; /* open;"),
              ElementsAre("/* a; /* b; */ c; */ select 1", "rest:  /* open;"));
}

TEST(SqlTextTest, comments_alone_are_no_statement) {
  EXPECT_TRUE(is_blank_sql(""));
  EXPECT_TRUE(is_blank_sql(" \n -- nothing\n /* at /* all */ */ "));
  EXPECT_FALSE(is_blank_sql(" -- nothing\n x"));
  EXPECT_FALSE(is_blank_sql("''"));
}

TEST(SqlTextTest, the_list_of_tables_is_asked_for_in_any_spelling) {
  EXPECT_TRUE(asks_for_tables("show tables"));
  EXPECT_TRUE(asks_for_tables("  SHOW\n ALL tables ; "));
  EXPECT_FALSE(asks_for_tables("show kernels"));
  EXPECT_FALSE(asks_for_tables("select 'show tables'"));
}

}  // namespace
}  // namespace strobe::query

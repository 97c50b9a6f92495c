#include "strobe/readers/databases/left_out.h"

#include <string_view>

#include <gmock/gmock.h>

#include "tests/support/sql_database.h"

namespace strobe::readers {
namespace {

TEST(LeftOutTest, what_is_left_out_is_one_line_with_all_names) {
  LeftOut left_out;
  left_out.add("calls", 1200);
  left_out.add("nothing", 0);
  left_out.add("calls", 34);
  left_out.add("a table", 1);
  ImportReport report;
  left_out.report_to(report);
  EXPECT_EQ(report[ImportIssue::kUnreadEvents].count, 1235u);
  ASSERT_EQ(report[ImportIssue::kUnreadEvents].examples.size(), 1u);
  EXPECT_EQ(report[ImportIssue::kUnreadEvents].examples[0].detail, "1 in a table, 1,234 in calls");
}

TEST(LeftOutTest, nothing_left_out_is_no_line) {
  ImportReport report;
  LeftOut().report_to(report);
  EXPECT_TRUE(report[ImportIssue::kUnreadEvents].examples.empty());
}

TEST(LeftOutTest, tables_are_named_unless_they_were_read_or_hold_no_events) {
  const auto database = sqlite::Database::in_memory(
      testing::sql_database("CREATE TABLE read(x); INSERT INTO read VALUES(1);"
                            "CREATE TABLE unread(x); INSERT INTO unread VALUES(1), (2);"
                            "CREATE TABLE empty(x);"
                            "CREATE TABLE ENUM_KIND(x); INSERT INTO ENUM_KIND VALUES(1);"
                            "CREATE TABLE A_STACKS(x); INSERT INTO A_STACKS VALUES(1);"
                            "CREATE TABLE names(x); INSERT INTO names VALUES(1);"
                            "CREATE TABLE names_of_more(x); INSERT INTO names_of_more VALUES(1)"));
  ASSERT_TRUE(database);
  ASSERT_TRUE(database->query("SELECT x FROM read"));
  constexpr std::string_view kNoEvents[] = {"ENUM_*", "*_STACKS", "names"};
  LeftOut left_out;
  left_out.add_unread_tables(*database, kNoEvents);
  ImportReport report;
  left_out.report_to(report);
  ASSERT_EQ(report[ImportIssue::kUnreadEvents].examples.size(), 1u);
  EXPECT_EQ(report[ImportIssue::kUnreadEvents].examples[0].detail,
            "1 in names_of_more, 2 in unread");
}

}  // namespace
}  // namespace strobe::readers

#include "strobe/readers/folder_files.h"

#include <gmock/gmock.h>

#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FolderFilesTest, only_files_are_listed_by_name) {
  const test::LogFolder logs;
  const auto b = logs.write("b.csv", "");
  const auto a = logs.write("a.txt", "");
  logs.write("c/d.csv", "");
  EXPECT_THAT(files_in(logs.path()), ElementsAre(a, b));
  EXPECT_THAT(files_in(logs.path() / "nowhere"), IsEmpty());
}

TEST(FolderFilesTest, what_was_not_read_is_named_once_with_its_number) {
  const test::LogFolder logs;
  const auto trace = logs.write("trace.json", "");
  logs.write("op_statistic.csv", "");
  logs.write("operator_details.csv.gz", "");
  logs.write("metrics.csv", "");  // read for its run
  logs.write("notes.txt", "");
  ImportReport report;
  report_unread_files({logs.path()}, {trace}, report);
  const ImportReport::Line& line = report[ImportIssue::kUnreadFiles];
  EXPECT_EQ(line.count, 2u);
  EXPECT_EQ(line.examples.at(0).detail, "op_statistic.csv, operator_details.csv.gz");
  EXPECT_TRUE(report.is_clean());
}

TEST(FolderFilesTest, where_everything_was_read_nothing_is_said) {
  const test::LogFolder logs;
  const auto trace = logs.write("trace.json", "");
  ImportReport report;
  report_unread_files({logs.path()}, {trace}, report);
  EXPECT_EQ(report[ImportIssue::kUnreadFiles].count, 0u);
}

}  // namespace
}  // namespace strobe::readers

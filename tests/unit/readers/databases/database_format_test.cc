#include "strobe/readers/databases/database_format.h"

#include <sqlite3.h>

#include <string>

#include <gmock/gmock.h>

#include "strobe/readers/counters/kernel_reader.h"
#include "strobe/readers/trace_reader.h"
#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

using ::testing::HasSubstr;

// A profiler that has not closed its database yet: what it writes goes into the log.
class OpenDatabase {
 public:
  explicit OpenDatabase(const std::filesystem::path& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &connection_), SQLITE_OK);
    run("PRAGMA journal_mode=WAL");
  }
  OpenDatabase(const OpenDatabase&) = delete;
  OpenDatabase& operator=(const OpenDatabase&) = delete;
  ~OpenDatabase() { sqlite3_close(connection_); }

  void run(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection_);
  }

 private:
  sqlite3* connection_ = nullptr;
};

constexpr auto kOneKernel =
    "CREATE TABLE KERN(KernelName TEXT, \"gpu-id\" INTEGER, BeginNs INTEGER, EndNs INTEGER);"
    "INSERT INTO KERN VALUES ('f', 0, 10, 20)";

TEST(DatabaseFormatTest, rows_that_are_still_in_the_log_are_told) {
  const testing::TemporaryFolder folder;
  OpenDatabase writer(folder / "a.db");
  writer.run(kOneKernel);
  writer.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto whole = read_trace(folder / "a.db");
  ASSERT_TRUE(whole) << whole.error().what;
  EXPECT_TRUE(whole->report.is_clean());
  writer.run("INSERT INTO KERN VALUES ('g', 0, 30, 40)");
  const auto loaded = read_trace(folder / "a.db");
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->trace.slice_count(), 1u);
  EXPECT_TRUE(loaded->report.lost_something());
  const ImportReport::Line& line = loaded->report[ImportIssue::kUnreadLog];
  EXPECT_EQ(line.count, 1u);
  EXPECT_EQ(line.examples.at(0).detail, "a.db-wal");
}

TEST(DatabaseFormatTest, tables_that_are_only_in_the_log_are_told_from_a_strange_database) {
  const testing::TemporaryFolder folder;
  OpenDatabase writer(folder / "a.db");
  writer.run("CREATE TABLE bookmarks(address)");
  writer.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto strange = read_trace(folder / "a.db");
  ASSERT_FALSE(strange);
  EXPECT_THAT(strange.error().what, HasSubstr("without the tables of a profiler"));
  writer.run(kOneKernel);
  const auto loaded = read_trace(folder / "a.db");
  const auto kernels = read_kernels(folder / "a.db");
  for (const Error* error : {&loaded.error(), &kernels.error()}) {
    EXPECT_THAT(error->what, HasSubstr("still in the log beside it, 'a.db-wal'"));
    EXPECT_THAT(error->where, HasSubstr("a.db"));
    EXPECT_THAT(error->hint, HasSubstr("PRAGMA wal_checkpoint(TRUNCATE)"));
  }
}

}  // namespace
}  // namespace strobe::readers

#include "strobe/base/sqlite_log.h"

#include <sqlite3.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace strobe::sqlite {
namespace {

namespace fs = std::filesystem;

// A program that writes a database in WAL mode.
class Writer {
 public:
  explicit Writer(const fs::path& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &connection_), SQLITE_OK);
    run("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0");
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { close(); }

  void run(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection_);
  }
  void close() {  // merges the log and removes it
    sqlite3_close(connection_);
    connection_ = nullptr;
  }

 private:
  sqlite3* connection_ = nullptr;
};

constexpr auto kMerge = "PRAGMA wal_checkpoint(PASSIVE)";  // leaves the log as it is
constexpr auto kManyRows =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
    "INSERT INTO kernels SELECT i, 'gemm' FROM n";

TEST(SqliteLogTest, rows_that_are_only_in_the_log_are_seen) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder / "a";
  Writer writer(path);
  writer.run("CREATE TABLE kernels(start INTEGER, name TEXT)");
  writer.run(kMerge);
  EXPECT_FALSE(unread_log(path));
  writer.run("INSERT INTO kernels VALUES (40, 'late')");
  EXPECT_EQ(unread_log(path), folder / "a-wal");
  writer.close();
  EXPECT_FALSE(unread_log(path));
}

TEST(SqliteLogTest, a_log_that_was_merged_and_not_cut_has_nothing_new) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder / "a";
  Writer writer(path);
  writer.run("CREATE TABLE kernels(start INTEGER, name TEXT)");
  writer.run(kManyRows);
  writer.run("UPDATE kernels SET start = start + 1");  // pages with two versions in the log
  EXPECT_TRUE(unread_log(path));
  writer.run(kMerge);
  EXPECT_GT(fs::file_size(folder / "a-wal"), 20'000u);
  EXPECT_FALSE(unread_log(path));

  writer.run("INSERT INTO kernels VALUES (40, 'late')");  // over the first frames of the log
  EXPECT_TRUE(unread_log(path));
  writer.run(kMerge);
  EXPECT_FALSE(unread_log(path)) << "the rest of the log is of the round before";
}

TEST(SqliteLogTest, pages_that_a_later_transaction_cut_off_are_not_missing) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder / "a";
  Writer writer(path);
  writer.run("CREATE TABLE kernels(start INTEGER, name TEXT)");
  writer.run(kManyRows);
  writer.run("DELETE FROM kernels; VACUUM");
  writer.run(kMerge);
  EXPECT_FALSE(unread_log(path));
}

TEST(SqliteLogTest, a_transaction_that_did_not_end_does_not_count) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder / "a";
  Writer writer(path);
  writer.run("CREATE TABLE kernels(start INTEGER, name TEXT)");
  writer.run(kMerge);
  writer.run(kManyRows);
  const std::string database = testing::bytes_of(path);
  const std::string log = testing::bytes_of(folder / "a-wal");
  writer.close();
  const auto is_unread = [&](const std::string& bytes) {
    testing::put_bytes(folder / "b", database);
    testing::put_bytes(folder / "b-wal", bytes);
    return unread_log(folder / "b").has_value();
  };
  EXPECT_TRUE(is_unread(log));
  EXPECT_FALSE(is_unread(log.substr(0, log.size() - 1))) << "killed while it wrote the last page";
  std::string damaged = log;
  damaged[log.size() / 2] ^= 1;
  EXPECT_FALSE(is_unread(damaged)) << "SQLite stops at a wrong sum, too";
}

TEST(SqliteLogTest, what_is_no_log_of_a_database_does_not_count) {
  const testing::TemporaryFolder folder;
  Writer(folder / "a").run("CREATE TABLE kernels(start INTEGER)");
  for (const std::size_t bytes : {0u, 10u, 32u, 4096u}) {
    testing::put_bytes(folder / "a-wal", std::string(bytes, 'x'));
    EXPECT_FALSE(unread_log(folder / "a")) << bytes;
  }
  sqlite3* plain = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "b").c_str(), &plain), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(plain, "CREATE TABLE a(b)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(plain);
  testing::put_bytes(folder / "b-wal", std::string(4096, 'x'));
  EXPECT_FALSE(unread_log(folder / "b")) << "a file that is not in WAL mode has no log";
  EXPECT_FALSE(unread_log(folder / "nowhere"));
}

}  // namespace
}  // namespace strobe::sqlite

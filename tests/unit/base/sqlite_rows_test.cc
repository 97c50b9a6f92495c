#include "strobe/base/sqlite_rows.h"

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "strobe/base/sqlite.h"
#include "tests/support/sql_database.h"

namespace strobe::sqlite {
namespace {

using ::testing::ElementsAre;
using testing::sql_database;

constexpr auto kNumbers = std::to_array<std::string_view>({"id", "a", "b", "c"});

// Numbers of every width, on enough rows for a tree of pages.
std::string many_rows() {
  std::string sql =
      "PRAGMA page_size=512; CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b REAL, c TEXT)";
  for (int i = 0; i < 500; ++i) {
    const std::string n = std::to_string(i);
    const std::string wide = i % 2 == 0 ? "1 << (" + n + " % 63)" : "-(1 << (" + n + " % 63))";
    sql += ";INSERT INTO t VALUES(" + std::to_string(i * 3) + "," + wide + "," + n +
           " / 4.0, printf('%.*c', " + std::to_string(i * 7 % 1800) + ", 'x') || " + n + ")";
  }
  return sql;
}

TEST(SqliteRowsTest, rows_are_those_of_a_statement) {
  const auto database = Database::in_memory(sql_database(many_rows()));
  ASSERT_TRUE(database);
  auto query = database->query("SELECT id, a, b, c FROM t ORDER BY rowid");
  auto rows = database->rows("t", kNumbers);
  ASSERT_TRUE(query && rows);
  int count = 0;
  while (rows->next()) {
    ASSERT_TRUE(query->next());
    ++count;
    EXPECT_EQ(rows->integer(0), query->integer(0));
    EXPECT_EQ(rows->integer(1), query->integer(1)) << count;
    EXPECT_EQ(rows->real(2), query->real(2));
    EXPECT_EQ(rows->integer(2), query->integer(2));
    EXPECT_EQ(rows->text(3), query->text(3));
  }
  EXPECT_EQ(count, 500);
  EXPECT_EQ(rows->damages(), 0u);
}

TEST(SqliteRowsTest, a_file_gives_the_same_rows_as_memory) {
  const testing::TemporaryFolder folder;
  testing::put_bytes(folder / "a.sqlite", sql_database(many_rows()));
  const auto database = Database::open(folder / "a.sqlite");
  ASSERT_TRUE(database);
  auto rows = database->rows("t", kNumbers);
  std::int64_t ids = 0;
  while (rows && rows->next()) ids += rows->integer(0);
  EXPECT_EQ(ids, 3 * 499 * 500 / 2);
}

TEST(SqliteRowsTest, what_a_table_lacks_is_null) {
  const auto database = Database::in_memory(sql_database(
      "CREATE TABLE t(a INTEGER); INSERT INTO t VALUES(7); ALTER TABLE t ADD COLUMN late INTEGER;"
      "INSERT INTO t VALUES(NULL, 8)"));
  ASSERT_TRUE(database);
  auto rows = database->rows("t", std::to_array<std::string_view>({"a", "nothing", "late"}));
  ASSERT_TRUE(rows && rows->next());
  EXPECT_EQ(rows->integer(0), 7);
  EXPECT_TRUE(rows->is_null(1) && rows->is_null(2));
  EXPECT_EQ(rows->text(1), "");
  ASSERT_TRUE(rows->next());
  EXPECT_TRUE(rows->is_null(0));
  EXPECT_EQ(rows->integer(2), 8);
  EXPECT_FALSE(rows->next());
}

TEST(SqliteRowsTest, numbers_are_converted_and_other_values_are_0) {
  const auto database = Database::in_memory(sql_database(
      "CREATE TABLE t(a, b, c, d); INSERT INTO t VALUES('12', 2.75, 'twelve', x'0001')"));
  ASSERT_TRUE(database);
  auto rows = database->rows("t", std::to_array<std::string_view>({"a", "b", "c", "d"}));
  ASSERT_TRUE(rows && rows->next());
  EXPECT_EQ(rows->integer(0), 12);
  EXPECT_EQ(rows->integer(1), 2);
  EXPECT_EQ(rows->real(0), 12.0);
  EXPECT_EQ(rows->integer(2), 0);
  EXPECT_EQ(rows->text(3), std::string_view("\0\1", 2));
}

TEST(SqliteRowsTest, only_ordinary_tables_have_rows) {
  const auto database = Database::in_memory(sql_database(
      "CREATE TABLE k(a TEXT PRIMARY KEY) WITHOUT ROWID; CREATE VIEW v AS SELECT 1 AS a;"
      "CREATE TABLE g(a, b AS (a + 1), c); INSERT INTO g(a, c) VALUES(1, 3)"));
  ASSERT_TRUE(database);
  for (const char* table : {"k", "v", "nothing"}) {
    EXPECT_FALSE(database->rows(table, std::array<std::string_view, 1>{"a"})) << table;
  }
  auto rows = database->rows("g", std::to_array<std::string_view>({"a", "b", "c"}));
  ASSERT_TRUE(rows && rows->next());
  EXPECT_TRUE(rows->is_null(1)) << "a computed column is not stored";
  EXPECT_EQ(rows->integer(2), 3);
}

TEST(SqliteRowsTest, a_cut_costs_only_what_lies_behind_it) {
  const std::string bytes = sql_database(many_rows());
  const auto database = Database::in_memory(bytes.substr(0, bytes.size() / 2));
  ASSERT_TRUE(database);
  auto rows = database->rows("t", kNumbers);
  ASSERT_TRUE(rows);
  int count = 0;
  while (rows->next()) ++count;
  EXPECT_GT(count, 50);
  EXPECT_LT(count, 500);
  EXPECT_GT(rows->damages(), 0u);
}

TEST(SqliteRowsTest, flipped_bytes_never_do_harm) {
  const std::string whole = sql_database(many_rows());
  for (std::size_t flip = 0; flip < 400; ++flip) {
    std::string bytes = whole;
    bytes[100 + flip * 7919 % (bytes.size() - 100)] ^= static_cast<char>(1 + flip % 255);
    const auto database = Database::in_memory(std::move(bytes));
    if (!database) continue;
    auto rows = database->rows("t", kNumbers);
    int count = 0;
    while (rows && rows->next()) ++count;
    EXPECT_LT(count, 10'000);
  }
}

}  // namespace
}  // namespace strobe::sqlite

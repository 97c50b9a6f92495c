#include "strobe/base/sqlite.h"

#include <sqlite3.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/support/temporary_folder.h"

namespace strobe::sqlite {
namespace {

using ::testing::ElementsAre;

// A database in a file of its own, as another program leaves it.
std::filesystem::path make_database(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(connection);
  sqlite3_close(connection);
  return path;
}

constexpr auto kSmall =
    "CREATE TABLE kernels(start INTEGER, name TEXT); CREATE VIEW busy AS SELECT 1;"
    "INSERT INTO kernels VALUES (10, 'gemm'), (20, NULL), ('30', 'copy')";

std::vector<std::int64_t> starts_of(const Database& database) {
  std::vector<std::int64_t> starts;
  auto rows = database.query("SELECT start FROM kernels");
  EXPECT_TRUE(rows);
  while (rows && rows->next()) starts.push_back(rows->integer(0));
  EXPECT_TRUE(rows && rows->ended());
  return starts;
}

TEST(SqliteTest, rows_are_read_from_a_file_and_from_memory) {
  const testing::TemporaryFolder folder;
  const auto path = make_database(folder / "a?b#c%20.sqlite", kSmall);
  const std::string bytes = testing::bytes_of(path);
  EXPECT_TRUE(is_database(bytes));
  auto from_file = Database::open(path);
  auto from_memory = Database::in_memory(bytes);
  ASSERT_TRUE(from_file);
  ASSERT_TRUE(from_memory);
  EXPECT_THAT(starts_of(*from_file), ElementsAre(10, 20, 30));
  EXPECT_THAT(starts_of(*from_memory), ElementsAre(10, 20, 30));
  EXPECT_THAT(testing::names_in(folder.path()), ElementsAre("a?b#c%20.sqlite"));
}

TEST(SqliteTest, the_schema_can_be_asked) {
  const testing::TemporaryFolder folder;
  const auto database = Database::open(make_database(folder / "a", kSmall));
  ASSERT_TRUE(database);
  EXPECT_THAT(database->tables(), ElementsAre("busy", "kernels"));
  EXPECT_TRUE(database->has_column("kernels", "name"));
  EXPECT_FALSE(database->has_column("kernels", "mangledName"));
  EXPECT_FALSE(database->has_column("nothing", "name"));
  EXPECT_EQ(database->about_rows("kernels"), 3u);
}

TEST(SqliteTest, values_keep_their_types) {
  const testing::TemporaryFolder folder;
  const auto database = Database::open(make_database(folder / "a", kSmall));
  ASSERT_TRUE(database);
  auto rows = database->query("SELECT name, typeof(start) FROM kernels");
  ASSERT_TRUE(rows && rows->next());
  EXPECT_EQ(rows->text(0), "gemm");
  EXPECT_TRUE(rows->is_text(0));
  ASSERT_TRUE(rows->next());
  EXPECT_TRUE(rows->is_null(0));
  EXPECT_EQ(rows->text(0), "");
}

TEST(SqliteTest, a_database_in_wal_mode_is_read_without_touching_its_folder) {
  const testing::TemporaryFolder folder;
  const auto path = make_database(folder / "a", std::string("PRAGMA journal_mode=WAL;") + kSmall);
  const std::string bytes = testing::bytes_of(path);
  ASSERT_EQ(bytes[18], 2);
  auto from_file = Database::open(path);
  auto from_memory = Database::in_memory(bytes);
  ASSERT_TRUE(from_file) << from_file.error().what;
  ASSERT_TRUE(from_memory) << from_memory.error().what;
  EXPECT_THAT(starts_of(*from_file), ElementsAre(10, 20, 30));
  EXPECT_THAT(starts_of(*from_memory), ElementsAre(10, 20, 30));
  EXPECT_THAT(testing::names_in(folder.path()), ElementsAre("a"));
}

TEST(SqliteTest, damage_is_an_error_and_never_a_crash) {
  const testing::TemporaryFolder folder;
  std::string sql = kSmall;
  for (int i = 0; i < 3000; ++i)
    sql += "; INSERT INTO kernels VALUES (1, 'a kernel of some length')";
  const std::string bytes =
      testing::bytes_of(make_database(folder / "a", "BEGIN;" + sql + "; COMMIT"));
  const auto cut = Database::in_memory(bytes.substr(0, bytes.size() / 2));
  if (cut) {
    auto rows = cut->query("SELECT start FROM kernels");
    while (rows && rows->next()) {
    }
    EXPECT_FALSE(rows && rows->ended());
  }
  EXPECT_FALSE(Database::in_memory("SQLite format 3"));
  EXPECT_FALSE(Database::open(folder / "nothing"));
}

// A damaged page may make any statement one without end, and a hostile view is one.
TEST(SqliteTest, a_statement_without_end_is_cut_off) {
  const testing::TemporaryFolder folder;
  const auto database = Database::open(make_database(
      folder / "a", std::string(kSmall) +
                        "; CREATE VIEW endless AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT"
                        " n + 1 FROM r) SELECT n FROM r;"
                        "CREATE VIEW searching AS SELECT n FROM endless WHERE n < 0"));
  ASSERT_TRUE(database);
  for (const char* view : {"endless", "searching"}) {
    auto rows = database->query(std::string("SELECT n FROM ") + view);
    ASSERT_TRUE(rows);
    std::uint64_t count = 0;
    while (rows->next()) ++count;
    EXPECT_FALSE(rows->ended()) << view;
    EXPECT_LE(count, std::filesystem::file_size(folder / "a"));
  }
}

TEST(SqliteTest, a_table_is_unread_until_somebody_asks_for_its_rows) {
  const testing::TemporaryFolder folder;
  const auto database = Database::open(
      make_database(folder / "a",
                    "CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE c(x); CREATE TABLE d(x);"
                    "CREATE TABLE e(x INTEGER PRIMARY KEY AUTOINCREMENT);"
                    "CREATE VIEW behind AS SELECT b.x, c.x AS y FROM b LEFT JOIN c ON b.x = c.x"));
  ASSERT_TRUE(database);
  EXPECT_TRUE(database->has_column("a", "x"));
  EXPECT_EQ(database->about_rows("a") + database->count_rows("a"), 0u);
  EXPECT_THAT(database->unread_tables(), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_TRUE(database->query("SELECT count(*) FROM d"));
  EXPECT_THAT(database->unread_tables(), ElementsAre("a", "b", "c", "e"));
  EXPECT_TRUE(database->query("SELECT x FROM behind"));
  EXPECT_THAT(database->unread_tables(), ElementsAre("a", "e"));
  EXPECT_TRUE(database->rows("a", {}));
  EXPECT_THAT(database->unread_tables(), ElementsAre("e"));
}

TEST(SqliteTest, rows_are_counted_in_every_kind_of_table) {
  const testing::TemporaryFolder folder;
  std::string sql =
      "PRAGMA page_size=512; BEGIN; CREATE TABLE many(x TEXT);"
      "CREATE TABLE keyed(k INTEGER, x TEXT, PRIMARY KEY(k)) WITHOUT ROWID";
  for (int i = 0; i < 2000; ++i) {
    const std::string n = std::to_string(i);
    sql += ";INSERT INTO many VALUES(printf('%.*c', " + std::to_string(i % 900) + ", 'x'))";
    sql += ";INSERT INTO keyed VALUES(" + n + ", 'text')";
  }
  sql += "; DELETE FROM many WHERE rowid % 3 = 0; COMMIT";
  const auto database = Database::open(make_database(folder / "a", sql));
  ASSERT_TRUE(database);
  EXPECT_EQ(database->count_rows("many"), 1334u);
  EXPECT_EQ(database->count_rows("keyed"), 2000u);
  EXPECT_EQ(database->count_rows("nothing"), 0u);
}

TEST(SqliteTest, a_name_may_hold_anything) { EXPECT_EQ(quoted("a\"b"), "\"a\"\"b\""); }

}  // namespace
}  // namespace strobe::sqlite

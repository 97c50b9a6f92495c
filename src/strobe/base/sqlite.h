#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/base/sqlite_rows.h"

struct sqlite3;
struct sqlite3_stmt;

namespace strobe::sqlite {

// Sixteen bytes are enough.
bool is_database(std::string_view first_bytes);

// The rows of a statement, one at a time.
//
//   while (query.next()) { use(query.integer(0)); }
//   STROBE_TRY_VOID(query.ended());
class Query {
 public:
  bool next();
  // Why the rows ended: nothing, or an error where the database is damaged. A damaged one may have
  // rows without end: it is cut off when it costs far more than its size explains.
  Result<void> ended() const;

  // Of the current row, by the place in the statement. A value of another type is converted; a text
  // is valid until the next row.
  std::int64_t integer(int column) const;  // 0 for NULL
  double real(int column) const;
  std::string_view text(int column) const;
  bool is_null(int column) const;
  bool is_text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Query(sqlite3_stmt* statement, std::uint64_t most_rows)
      : statement_(statement), rows_left_(most_rows) {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::uint64_t rows_left_;
  int status_ = 0;
};

// A database that is only read. Nothing is written, no lock is taken and no file beside it is
// touched, so it may also be one that another program left open.
class Database {
 public:
  // Nobody may change the file meanwhile.
  static Result<Database> open(const std::filesystem::path& path);
  static Result<Database> in_memory(std::string bytes);

  // Both sorted. Views count as tables.
  std::vector<std::string> tables() const;
  bool has_table(std::string_view table) const;
  bool has_column(std::string_view table, std::string_view column) const;
  // A guess by the largest row id; 0 if there is none.
  std::uint64_t about_rows(std::string_view table) const;
  // The rows of a table. Of an ordinary one, only the heads of the pages are looked at.
  std::uint64_t count_rows(std::string_view table) const;
  // Tables of which no statement and no rows() has asked for a row, sorted: what a reader
  // overlooks. Views do not count, and a view that is read has read its tables.
  std::vector<std::string> unread_tables() const;

  Result<Query> query(const std::string& sql) const;
  // All rows of an ordinary table: much faster than a statement, and damage does not end them. A
  // column that the table lacks is NULL. Nothing for views, virtual tables and the like.
  std::optional<TableRows> rows(std::string_view table,
                                std::span<const std::string_view> columns) const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  // What SQLite notes while it works; it knows the address.
  struct Notes {
    std::set<std::string, std::less<>> read_tables;
    std::uint64_t steps_left = 0;

    static int take_steps(void* notes);
    static int note_read(void* notes, int action, const char* table, const char* column,
                         const char* database, const char* view);
  };
  explicit Database(sqlite3* connection) : connection_(connection) {}
  Result<void> prepare(std::uint64_t bytes);
  Result<Query> query_unnoticed(const std::string& sql) const;

  std::unique_ptr<std::string> memory_;  // outlives the connection, as do the notes
  std::unique_ptr<Notes> notes_ = std::make_unique<Notes>();
  std::uint64_t most_rows_ = 0;
  std::unique_ptr<sqlite3, Close> connection_;
  std::optional<Pages> pages_;
};

// A name as it stands in a statement.
std::string quoted(std::string_view name);

}  // namespace strobe::sqlite

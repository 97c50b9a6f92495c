#include "strobe/base/sqlite.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "strobe/base/text.h"

namespace strobe::sqlite {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
// No value of a trace is longer; a hostile file must not take all memory.
constexpr int kLongestValue = 64 << 20;
constexpr std::int64_t kMappedBytes = std::int64_t{1} << 46;

Error malformed(sqlite3* connection) {
  return {ErrorCode::kMalformed,
          std::string("the database cannot be read: ") + sqlite3_errmsg(connection), "",
          "export it again"};
}

// The steps that SQLite may take for each byte of a database, and for the smallest one. What
// profilers write needs about one.
constexpr std::uint64_t kMostStepsPerByte = 64;
constexpr std::uint64_t kLeastSteps = 8 << 20;
constexpr int kStepsPerLook = 1 << 16;

// A path as a URI, in which some letters have a meaning.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    if (c == '%' || c == '?' || c == '#') {
      uri += {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[c & 15]};
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1&mode=ro";
}

// Where the rows of an ordinary table begin; 0 for anything else.
std::int64_t root_page(const Database& database, std::string_view table) {
  auto rows = database.query("SELECT name, rootpage, sql FROM sqlite_schema WHERE type = 'table'");
  while (rows && rows->next()) {
    if (rows->text(0) != table) continue;
    const bool has_row_ids = lower_case(rows->text(2)).find("without rowid") == std::string::npos;
    return has_row_ids ? rows->integer(1) : 0;
  }
  return 0;
}

// An INTEGER PRIMARY KEY is the number of the row, and its place in the record holds NULL.
void find_columns(const Database& database, std::string_view table,
                  std::span<const std::string_view> columns, std::span<StoredColumn> stored) {
  enum Info : int { kName = 1, kType = 2, kKey = 5, kHidden = 6 };
  constexpr std::int64_t kComputedWhenRead = 2;
  auto info = database.query("PRAGMA table_xinfo(" + quoted(table) + ")");
  std::uint32_t place = 0;
  std::int64_t keys = 0;
  while (info && info->next()) {
    if (info->integer(kHidden) == kComputedWhenRead) continue;
    keys += info->integer(kKey) != 0;
    const auto found = std::ranges::find(columns, info->text(kName));
    if (found != columns.end()) {
      StoredColumn& column = stored[static_cast<std::size_t>(found - columns.begin())];
      column.place = place;
      column.is_row_id = info->integer(kKey) == 1 && lower_case(info->text(kType)) == "integer";
    }
    ++place;
  }
  if (keys < 2) return;
  for (StoredColumn& column : stored) column.is_row_id = false;
}

}  // namespace

bool is_database(std::string_view first_bytes) { return first_bytes.starts_with(kMagic); }

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

void Query::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

bool Query::next() {
  if (status_ != SQLITE_OK && status_ != SQLITE_ROW) return false;
  status_ = sqlite3_step(statement_.get());
  if (status_ == SQLITE_ROW && rows_left_-- == 0) status_ = SQLITE_INTERRUPT;
  return status_ == SQLITE_ROW;
}

Result<void> Query::ended() const {
  if (status_ == SQLITE_OK || status_ == SQLITE_ROW || status_ == SQLITE_DONE) return {};
  if (status_ == SQLITE_INTERRUPT) {
    return Error{ErrorCode::kMalformed,
                 "the database has more rows than its size allows: it is damaged", "",
                 "export it again"};
  }
  return malformed(sqlite3_db_handle(statement_.get()));
}

std::int64_t Query::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Query::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view Query::text(int column) const {
  const auto* bytes = sqlite3_column_text(statement_.get(), column);
  if (bytes == nullptr) return {};
  const int count = sqlite3_column_bytes(statement_.get(), column);
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count)};
}

bool Query::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
bool Query::is_text(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_TEXT;
}

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Result<Database> Database::open(const std::filesystem::path& path) {
  sqlite3* connection = nullptr;
  const int status =
      sqlite3_open_v2(uri_of(path).c_str(), &connection,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(connection);
  if (status != SQLITE_OK) return malformed(connection);
  database.pages_ = Pages::of_file(path);
  std::error_code failed;
  const std::uint64_t bytes = std::filesystem::file_size(path, failed);
  if (failed) return malformed(connection);
  STROBE_TRY_VOID(database.prepare(bytes));
  return database;
}

// A database in memory cannot be in WAL mode, which needs a second file: it is marked as an
// ordinary one, which it is without that file.
Result<Database> Database::in_memory(std::string bytes) {
  constexpr std::size_t kWriteVersion = 18;
  constexpr std::size_t kReadVersion = 19;
  if (bytes.size() > kReadVersion) bytes[kWriteVersion] = bytes[kReadVersion] = 1;
  sqlite3* connection = nullptr;
  const int opened = sqlite3_open_v2(":memory:", &connection,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(connection);
  if (opened != SQLITE_OK) return malformed(connection);
  database.memory_ = std::make_unique<std::string>(std::move(bytes));
  database.pages_ = Pages::of_memory(*database.memory_);
  auto* const memory = reinterpret_cast<unsigned char*>(database.memory_->data());
  const auto count = static_cast<sqlite3_int64>(database.memory_->size());
  if (sqlite3_deserialize(connection, "main", memory, count, count, SQLITE_DESERIALIZE_READONLY) !=
      SQLITE_OK) {
    return malformed(connection);
  }
  STROBE_TRY_VOID(database.prepare(database.memory_->size()));
  return database;
}

// Views and triggers of a file that nobody trusts may call only harmless functions.
Result<void> Database::prepare(std::uint64_t bytes) {
  sqlite3* const connection = connection_.get();
  most_rows_ = bytes;  // each takes some
  notes_->steps_left = kLeastSteps + kMostStepsPerByte * bytes;
  sqlite3_progress_handler(connection, kStepsPerLook, Notes::take_steps, notes_.get());
  sqlite3_set_authorizer(connection, Notes::note_read, notes_.get());
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Otherwise SQLite would refuse a file that was cut. It can write to none of them.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  const std::string sql = "PRAGMA mmap_size=" + std::to_string(kMappedBytes);
  sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
  if (sqlite3_exec(connection, "SELECT 1 FROM sqlite_schema", nullptr, nullptr, nullptr) !=
      SQLITE_OK) {
    return malformed(connection);
  }
  return {};
}

// SQLite asks it after so many steps; anything but 0 ends the statement.
int Database::Notes::take_steps(void* notes) {
  std::uint64_t& left = static_cast<Notes*>(notes)->steps_left;
  left -= std::min<std::uint64_t>(left, kStepsPerLook);
  return left == 0 ? 1 : 0;
}

// SQLite asks it for each column that a statement reads, also through views.
int Database::Notes::note_read(void* notes, int action, const char* table, const char*, const char*,
                               const char*) {
  auto& read = static_cast<Notes*>(notes)->read_tables;
  if (action == SQLITE_READ && table != nullptr && !read.contains(table)) read.emplace(table);
  return SQLITE_OK;
}

std::vector<std::string> Database::tables() const {
  std::vector<std::string> names;
  if (auto rows = query("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")) {
    while (rows->next()) names.emplace_back(rows->text(0));
  }
  std::ranges::sort(names);
  return names;
}

bool Database::has_table(std::string_view table) const {
  return std::ranges::binary_search(tables(), table);
}

bool Database::has_column(std::string_view table, std::string_view column) const {
  auto rows = query("PRAGMA table_info(" + quoted(table) + ")");
  while (rows && rows->next()) {
    if (rows->text(1) == column) return true;
  }
  return false;
}

std::uint64_t Database::about_rows(std::string_view table) const {
  auto rows = query_unnoticed("SELECT max(rowid) FROM " + quoted(table));
  if (!rows || !rows->next()) return 0;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(rows->integer(0), 0));
}

std::uint64_t Database::count_rows(std::string_view table) const {
  if (const std::int64_t root = root_page(*this, table); root > 0 && pages_) {
    return TableRows(*pages_, static_cast<std::uint64_t>(root), {}).count_rest();
  }
  auto rows = query_unnoticed("SELECT count(*) FROM " + quoted(table));
  if (!rows || !rows->next()) return 0;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(rows->integer(0), 0));
}

std::vector<std::string> Database::unread_tables() const {
  std::vector<std::string> unread;
  auto rows = query("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0");
  while (rows && rows->next()) {
    const std::string_view name = rows->text(0);
    const bool is_of_sqlite = name.starts_with("sqlite_");
    if (!is_of_sqlite && !notes_->read_tables.contains(name)) unread.emplace_back(name);
  }
  std::ranges::sort(unread);
  return unread;
}

std::optional<TableRows> Database::rows(std::string_view table,
                                        std::span<const std::string_view> columns) const {
  const std::int64_t root = root_page(*this, table);
  if (root <= 0 || !pages_) return std::nullopt;
  notes_->read_tables.emplace(table);
  std::vector<StoredColumn> stored(columns.size());
  find_columns(*this, table, columns, stored);
  return TableRows(*pages_, static_cast<std::uint64_t>(root), stored);
}

Result<Query> Database::query(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection_.get(), sql.c_str(), static_cast<int>(sql.size()) + 1,
                         &statement, nullptr) != SQLITE_OK) {
    return malformed(connection_.get());
  }
  return Query(statement, most_rows_);
}

Result<Query> Database::query_unnoticed(const std::string& sql) const {
  std::set<std::string, std::less<>> before = notes_->read_tables;
  auto made = query(sql);
  notes_->read_tables = std::move(before);
  return made;
}

}  // namespace strobe::sqlite

#pragma once

#include <sqlite3.h>

#include <string>

#include <gtest/gtest.h>

namespace strobe::testing {

// The bytes of a database with what these statements put into it.
inline std::string database_of(const std::string& sql) {
  sqlite3* connection = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &connection), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(connection);
  sqlite3_int64 size = 0;
  unsigned char* const bytes = sqlite3_serialize(connection, "main", &size, 0);
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(connection);
  return text;
}

}  // namespace strobe::testing

#pragma once

#include <sqlite3.h>

#include <string>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace strobe::testing {

// The bytes of a database that some SQL makes.
inline std::string sql_database(const std::string& sql) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "made.sqlite";
  sqlite3* connection = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  EXPECT_EQ(
      sqlite3_exec(connection, ("BEGIN;" + sql + ";COMMIT").c_str(), nullptr, nullptr, nullptr),
      SQLITE_OK)
      << sqlite3_errmsg(connection);
  sqlite3_close(connection);
  return bytes_of(path);
}

}  // namespace strobe::testing

#pragma once

#include <span>
#include <string_view>

#include "strobe/base/sqlite.h"
#include "strobe/readers/formats.h"

// Traces in SQLite databases: each profiler has its own tables.
namespace strobe::readers {

struct DatabaseFormat {
  std::string_view name;  // for people
  bool (*recognises)(const sqlite::Database& database);
  Result<void> (*read)(const sqlite::Database& database, TraceSink& sink);
};

// All of them behind one door.
extern const FileFormat kDatabases;

}  // namespace strobe::readers

#pragma once

#include <span>
#include <string_view>

#include "strobe/base/sqlite.h"
#include "strobe/readers/databases/left_out.h"
#include "strobe/readers/formats.h"

// Traces in SQLite databases: each profiler has its own tables.
namespace strobe::readers {

struct DatabaseFormat {
  std::string_view name;  // for people
  bool (*recognises)(const sqlite::Database& database);
  // Puts the rows into the sink, and says which of those that it looked at became no events.
  Result<LeftOut> (*read)(const sqlite::Database& database, TraceSink& sink);
  // Tables without events, of which it may read only some; see LeftOut::add_unread_tables.
  std::span<const std::string_view> no_events;
};

// All of them behind one door.
extern const FileFormat kDatabases;

}  // namespace strobe::readers

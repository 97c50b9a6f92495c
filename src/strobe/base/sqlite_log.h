#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace strobe::sqlite {

// The log beside a database in WAL mode, if it changes the database: what a program has written
// last and not put into the file yet. `Database` does not read it. A log that SQLite would not use
// either, or that was merged and only not removed, does not count.
std::optional<std::filesystem::path> unread_log(const std::filesystem::path& database);
inline constexpr std::string_view kHowToMergeLog =
    "copy both files, run `sqlite3 COPY \"PRAGMA wal_checkpoint(TRUNCATE)\"` and open the copy";

}  // namespace strobe::sqlite

#include "strobe/readers/databases/database_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "strobe/base/json_text.h"
#include "strobe/base/sqlite_log.h"
#include "strobe/readers/databases/ascend_database.h"
#include "strobe/readers/databases/nsys/nsys_reader.h"
#include "strobe/readers/databases/nvprof/nvprof_reader.h"
#include "strobe/readers/databases/rocm_databases.h"

namespace strobe::readers {
namespace {

// In the order in which they are asked.
constexpr std::array kFormats = {
    &kNsightSystems, &kRocpd, &kRpd, &kRocprofDb, &kAscendDatabase, &kNvprof,
};

Result<sqlite::Database> open_database(const TraceInput& input, ImportReport& report) {
  if (const auto path = input.plain_file()) return sqlite::Database::open(*path);
  STROBE_TRY(TraceInput::Unpacked all, input.unpack());
  report.text_bytes = all.bytes.size();
  if (all.damage) {
    report.add(ImportIssue::kBadCompressedData, all.bytes.size(),
               all.damage->what + " (" + all.damage->where + ")");
  }
  return sqlite::Database::in_memory(std::move(all.bytes));
}

const DatabaseFormat* find_database_format(const sqlite::Database& database) {
  const auto found = std::ranges::find_if(
      kFormats, [&](const DatabaseFormat* one) { return one->recognises(database); });
  return found == kFormats.end() ? nullptr : *found;
}

bool is_known(const TraceInput& input) {
  if (!sqlite::is_database(input.first())) return false;
  ImportReport ignored;
  const auto database = open_database(input, ignored);
  return database && find_database_format(*database) != nullptr;
}

Result<void> read_database(const TraceInput& input, TraceSink& sink) {
  STROBE_TRY(const sqlite::Database database, open_database(input, sink.report));
  if (const auto path = input.plain_file()) {
    if (const auto log = sqlite::unread_log(*path)) {
      sink.report.add(ImportIssue::kUnreadLog, 0, sanitize_utf8(log->filename().string()));
    }
  }
  const DatabaseFormat* format = find_database_format(database);
  if (format == nullptr)
    return Error{ErrorCode::kMalformed, "the database changed while it was opened", "", ""};
  STROBE_TRY(LeftOut left_out, format->read(database, sink));
  left_out.add_unread_tables(database, format->no_events);
  left_out.report_to(sink.report);
  return {};
}

}  // namespace

const FileFormat kDatabases{"SQLite", is_known, read_database};

}  // namespace strobe::readers

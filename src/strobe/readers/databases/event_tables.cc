#include "strobe/readers/databases/event_tables.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

// The least that SQLite needs for a row.
constexpr std::uint64_t kLeastRowBytes = 4;
constexpr std::int64_t kLatestTableTime_ns = std::int64_t{1} << 62;

}  // namespace

EventTables::EventTables(const sqlite::Database& database, TraceSink& sink)
    : database_(database), sink_(sink), most_rows_(sink.report.text_bytes / kLeastRowBytes) {
  std::vector<std::string> names;
  auto rows =
      database.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0");
  while (rows && rows->next()) names.emplace_back(rows->text(0));
  std::uint64_t units = 0;
  for (const std::string& name : names) {
    std::vector<std::string>& columns = tables_[name];
    auto info = database.query("PRAGMA table_info(" + sqlite::quoted(name) + ")");
    while (info && info->next()) columns.emplace_back(info->text(1));
    units += std::min(database.about_rows(name), most_rows_);
  }
  sink.expect(units);
}

bool EventTables::has(std::string_view table, std::string_view column) const {
  const auto found = tables_.find(table);
  return found != tables_.end() && std::ranges::find(found->second, column) != found->second.end();
}

std::uint64_t EventTables::about_rows(std::span<const std::string_view> tables) const {
  std::uint64_t rows = 0;
  for (const std::string_view table : tables) {
    if (has(table)) rows += std::min(database_.about_rows(table), most_rows_);
  }
  return std::min(rows, most_rows_);
}

std::optional<sqlite::TableRows> EventTables::begin(std::string_view table,
                                                    std::span<const std::string_view> columns) {
  if (!has(table)) return std::nullopt;
  std::optional<sqlite::TableRows> rows = database_.rows(table, columns);
  if (!rows) report_damage(table, "not an ordinary table");
  return rows;
}

bool EventTables::end(std::string_view table, const std::optional<sqlite::TableRows>& rows,
                      std::uint64_t count) {
  if (rows && rows->damages() > 0) {
    report_damage(table, counted(rows->damages(), "damaged or missing page or row",
                                 "damaged or missing pages or rows"));
  }
  return sink_.pulse(count % kPulse);
}

void EventTables::report_damage(std::string_view table, std::string_view what) {
  sink_.report.add(ImportIssue::kDamagedChunk, 0,
                   fmt::format("table {}: {}", excerpt(table), what));
}

bool read_time(const sqlite::TableRows& row, std::size_t column, std::string_view table,
               ImportReport& report, std::int64_t& time_ns) {
  time_ns = row.integer(column);
  const bool is_missing = time_ns == 0 && row.is_null(column);
  if (!is_missing && time_ns > -kLatestTableTime_ns && time_ns < kLatestTableTime_ns) [[likely]]
    return true;
  ++report.event_count;  // it was one
  report.add(ImportIssue::kMissingTime, 0,
             fmt::format("table {}: {}", table, is_missing ? "no time" : "no usable time"));
  return false;
}

}  // namespace strobe::readers

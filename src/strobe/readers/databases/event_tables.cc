#include "strobe/readers/databases/event_tables.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

// The least that SQLite needs for a row.
constexpr std::uint64_t kLeastRowBytes = 4;
constexpr std::int64_t kLatestTableTime_ns = std::int64_t{1} << 62;

// An event has one of them.
constexpr std::array<std::string_view, 3> kTimeColumns = {"start", "timestamp", "rawTimestamp"};
// What the tool says about itself and about the machine.
constexpr std::array<std::string_view, 5> kNoEventTables = {"TARGET_INFO_", "META_DATA_", "EXPORT_",
                                                            "ANALYSIS_", "ENUM_"};

bool may_hold_events(std::string_view table, const std::vector<std::string>& columns) {
  return std::ranges::none_of(kNoEventTables, [&](auto with) { return table.starts_with(with); }) &&
         std::ranges::any_of(columns, [](const std::string& column) {
           return std::ranges::find(kTimeColumns, column) != kTimeColumns.end();
         });
}

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

void EventTables::leave_out(std::string_view what, std::uint64_t rows) {
  if (rows > 0) left_out_[std::string(what)] += rows;
}

void EventTables::report_left_out() {
  for (const auto& [table, columns] : tables_) {
    if (read_.contains(table) || !may_hold_events(table, columns)) continue;
    leave_out(table, count_rows(table));
  }
  std::string names;
  std::uint64_t all = 0;
  for (const auto& [what, rows] : left_out_) {
    if (!names.empty()) names += ", ";
    names += fmt::format("{} in {}", count_text(rows), excerpt(what));
    all += rows;
  }
  if (all == 0) return;
  sink_.report.add(ImportIssue::kUnreadEvents, 0, names);
  sink_.report.add_many(ImportIssue::kUnreadEvents, all - 1);
}

std::uint64_t EventTables::count_rows(std::string_view table) const {
  std::uint64_t count = 0;
  read_first(table, {}, [&](const sqlite::TableRows&) { ++count; });
  return count;
}

std::optional<sqlite::TableRows> EventTables::begin(std::string_view table,
                                                    std::span<const std::string_view> columns) {
  if (!has(table)) return std::nullopt;
  read_.emplace(table);
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

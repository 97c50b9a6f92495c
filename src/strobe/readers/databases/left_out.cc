#include "strobe/readers/databases/left_out.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

bool stands_for(std::string_view pattern, std::string_view table) {
  if (pattern.ends_with('*')) return table.starts_with(pattern.substr(0, pattern.size() - 1));
  if (pattern.starts_with('*')) return table.ends_with(pattern.substr(1));
  return table == pattern;
}

}  // namespace

void LeftOut::add(std::string_view what, std::uint64_t rows) {
  if (rows > 0) rows_[std::string(what)] += rows;
}

void LeftOut::add_unread_tables(const sqlite::Database& database,
                                std::span<const std::string_view> no_events) {
  for (const std::string& table : database.unread_tables()) {
    const bool has_events = std::ranges::none_of(
        no_events, [&](std::string_view pattern) { return stands_for(pattern, table); });
    if (has_events) add(table, database.count_rows(table));
  }
}

void LeftOut::report_to(ImportReport& report) const {
  std::string names;
  std::uint64_t all = 0;
  for (const auto& [what, rows] : rows_) {
    if (!names.empty()) names += ", ";
    names += fmt::format("{} in {}", count_text(rows), excerpt(what));
    all += rows;
  }
  if (all == 0) return;
  report.add(ImportIssue::kUnreadEvents, 0, names);
  report.add_many(ImportIssue::kUnreadEvents, all - 1);
}

}  // namespace strobe::readers

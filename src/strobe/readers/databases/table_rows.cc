#include "strobe/readers/databases/table_rows.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace strobe::readers {

std::uint64_t count_in(const sqlite::Query& row, int column) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(row.integer(column), 0));
}

std::int32_t device_in(const sqlite::Query& row, int column) {
  return static_cast<std::int32_t>(count_in(row, column) & 0x7FFF'FFFFu);
}

TableRows::TableRows(const sqlite::Database& database, std::string_view table)
    : database_(database), table_(table), exists_(database.has_table(table)) {}

int TableRows::column(std::initializer_list<std::string_view> names) {
  std::string found = "NULL";
  for (const std::string_view name : names) {
    if (!has(name)) continue;
    found = sqlite::quoted(name);
    break;
  }
  if (count_ > 0) columns_ += ", ";
  columns_ += found;
  return count_++;
}

bool TableRows::for_each(TraceSink& sink, const std::function<void(const sqlite::Query&)>& f) {
  if (!exists_ || count_ == 0) return true;
  const auto damage = [&](const Error& error) {
    sink.report.add(ImportIssue::kDamagedChunk, 0, "table " + table_ + ": " + error.what);
  };
  auto query = database_.query("SELECT " + columns_ + " FROM " + sqlite::quoted(table_));
  if (!query) {
    damage(query.error());
    return true;
  }
  constexpr std::uint64_t kRowsPerPulse = 4096;
  std::uint64_t rows = 0;
  while (query->next()) {
    f(*query);
    if (++rows % kRowsPerPulse == 0 && !sink.pulse(kRowsPerPulse)) return false;
  }
  if (auto ended = query->ended(); !ended) damage(ended.error());
  return sink.pulse(rows % kRowsPerPulse);
}

}  // namespace strobe::readers

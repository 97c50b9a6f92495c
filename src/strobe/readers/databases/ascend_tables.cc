#include "strobe/readers/databases/ascend_tables.h"

#include <algorithm>

#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kLostNpuText = "(lost name)";
constexpr std::uint64_t kNpuRowsPerPulse = 4096;
constexpr std::int64_t kLatestNpuTime_ns = std::int64_t{1} << 62;

std::string select_npu_columns(const NpuTables& tables, std::string_view table,
                               std::initializer_list<std::string_view> columns) {
  std::string sql = "SELECT ";
  for (const std::string_view column : columns) {
    if (!sql.ends_with("SELECT ")) sql += ", ";
    sql += tables.has_column(table, column) ? sqlite::quoted(column) : "NULL";
  }
  return sql + " FROM " + sqlite::quoted(table);
}

}  // namespace

bool NpuTables::has(std::string_view table) const {
  auto rows = database_.query("SELECT name FROM sqlite_schema WHERE type = 'table'");
  while (rows && rows->next()) {
    if (rows->text(0) == table) return true;
  }
  return false;
}

std::uint64_t NpuTables::about_rows(std::initializer_list<std::string_view> tables) const {
  std::uint64_t rows = 0;
  for (const std::string_view table : tables) {
    if (has(table)) rows += database_.about_rows(table);
  }
  return rows;
}

Result<void> NpuTables::each(std::string_view table,
                             std::initializer_list<std::string_view> columns, const Use& use) {
  if (!has(table)) return {};
  const auto report_damage = [&](const std::string& why) {
    sink_.report.add(ImportIssue::kDamagedChunk, 0, std::string(table) + ": " + why);
  };
  auto query = database_.query(select_npu_columns(*this, table, columns));
  if (!query) {
    report_damage(query.error().what);
    return {};
  }
  std::uint64_t rows = 0;
  while (query->next()) {
    if (++rows % kNpuRowsPerPulse == 0 && !sink_.pulse(kNpuRowsPerPulse))
      return sink_.why_stopped();
    use(*query);
  }
  if (!sink_.pulse(rows % kNpuRowsPerPulse)) return sink_.why_stopped();
  if (const Result<void> ended = query->ended(); !ended) report_damage(ended.error().what);
  return {};
}

Result<NpuTables::Words> NpuTables::words(std::string_view table) {
  Words words;
  STROBE_TRY_VOID(each(table, {"id", "name"}, [&](const sqlite::Query& row) {
    words.emplace_back(row.integer(0), row.text(1));
  }));
  std::ranges::stable_sort(words, {}, &Words::value_type::first);
  return words;
}

std::string_view word_of(const NpuTables::Words& words, std::int64_t number) {
  const auto found =
      std::ranges::lower_bound(words, number, {}, &NpuTables::Words::value_type::first);
  return found == words.end() || found->first != number ? std::string_view() : found->second;
}

Result<void> NpuTexts::read(NpuTables& tables) {
  STROBE_TRY_VOID(tables.each("STRING_IDS", {"id", "value"}, [&](const sqlite::Query& row) {
    const std::string_view text = row.text(1);
    entries_.push_back(
        {row.integer(0), texts_.size(), static_cast<std::uint32_t>(text.size()), StringId()});
    texts_ += text;
  }));
  std::ranges::stable_sort(entries_, {}, &Entry::number);
  return {};
}

std::size_t NpuTexts::place_of(std::int64_t number) const {
  const auto found = std::ranges::lower_bound(entries_, number, {}, &Entry::number);
  if (found == entries_.end() || found->number != number) return entries_.size();
  return static_cast<std::size_t>(found - entries_.begin());
}

std::string_view NpuTexts::text(std::int64_t number) const {
  const std::size_t place = place_of(number);
  if (place == entries_.size()) return {};
  return std::string_view(texts_).substr(entries_[place].offset, entries_[place].bytes);
}

StringId NpuTexts::name(std::int64_t number, TraceSink& sink) {
  const std::size_t place = place_of(number);
  if (place == entries_.size()) {
    sink.report.add_many(ImportIssue::kLostName, 1);
    return sink.builder.intern(kLostNpuText);
  }
  Entry& entry = entries_[place];
  if (!entry.name.valid()) entry.name = sink.name(text(number));
  return entry.name;
}

std::optional<std::int64_t> time_at(const sqlite::Query& row, int column) {
  std::optional<std::int64_t> time_ns;
  if (row.is_text(column)) {
    time_ns = parse_whole_number(row.text(column));
  } else if (!row.is_null(column)) {
    time_ns = row.integer(column);
  }
  if (time_ns && (*time_ns <= -kLatestNpuTime_ns || *time_ns >= kLatestNpuTime_ns))
    return std::nullopt;
  return time_ns;
}

}  // namespace strobe::readers

#include "strobe/report/render/text_layout.h"

#include <algorithm>

#include "strobe/report/render/display_text.h"

namespace strobe::report {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr std::size_t kLeastBarWidth = 8;

struct Candidate {
  std::size_t index = 0;
  std::size_t natural = 0;
  std::size_t least = 0;
  int importance = 0;
  bool is_bar = false;
};

bool is_flexible(ColumnType type) {
  return type == ColumnType::kName || type == ColumnType::kText || type == ColumnType::kBar;
}

Candidate candidate_of(const Table& table, const std::vector<std::vector<std::string>>& texts,
                       std::size_t index) {
  const Column& column = table.columns[index];
  Candidate candidate{index, 0, 0, column.importance, column.type == ColumnType::kBar};
  std::size_t header = 0;
  for (const std::string& line : header_lines(column)) header = std::max(header, columns_of(line));
  if (candidate.is_bar) {
    candidate.natural = std::max(header, kBarWidth);
    candidate.least = std::max(header, kLeastBarWidth);
    return candidate;
  }
  candidate.natural = header;
  for (const auto& row : texts) {
    candidate.natural = std::max(candidate.natural, columns_of(row[index]));
  }
  candidate.least = is_flexible(column.type)
                        ? std::min(candidate.natural, std::max(header, column.least_width))
                        : candidate.natural;
  return candidate;
}

std::size_t total_of(const std::vector<Candidate>& columns, std::size_t Candidate::*width) {
  std::size_t total = kColumnGap * (columns.size() - 1);
  for (const Candidate& column : columns) total += column.*width;
  return total;
}

// The least important one, the rightmost among equals; the first column always stays.
std::size_t column_to_drop(const std::vector<Candidate>& columns) {
  std::size_t drop = columns.size() - 1;
  for (std::size_t i = drop; i >= 1; --i) {
    if (columns[i].importance < columns[drop].importance) drop = i;
  }
  return drop;
}

// Shrinks bars first, then the less important columns, each down to its least width.
void shrink(std::vector<Candidate>& columns, std::size_t room) {
  std::vector<Candidate*> order;
  for (Candidate& column : columns) order.push_back(&column);
  std::stable_sort(order.begin(), order.end(), [](const Candidate* a, const Candidate* b) {
    return std::pair(!a->is_bar, a->importance) < std::pair(!b->is_bar, b->importance);
  });
  for (Candidate* column : order) {
    const std::size_t total = total_of(columns, &Candidate::natural);
    if (total <= room) return;
    column->natural -= std::min(total - room, column->natural - column->least);
  }
}

}  // namespace

std::vector<std::string> header_lines(const Column& column) {
  std::vector<std::string> lines(1);
  for (const char c : column.header) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

TableLayout lay_out(const Table& table, const std::vector<std::vector<std::string>>& texts,
                    std::size_t room) {
  std::vector<Candidate> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].for_tools) columns.push_back(candidate_of(table, texts, i));
  }
  TableLayout layout;
  if (columns.empty()) return layout;
  std::vector<std::size_t> dropped;
  while (!table.is_grid && columns.size() > 1 && total_of(columns, &Candidate::least) > room) {
    const std::size_t drop = column_to_drop(columns);
    if (!columns[drop].is_bar) dropped.push_back(columns[drop].index);
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(drop));
  }
  std::sort(dropped.begin(), dropped.end());
  for (const std::size_t index : dropped) {
    layout.left_out.push_back(header_line(table.columns[index]));
  }
  if (!table.is_grid) shrink(columns, room);
  if (!table.is_grid && columns.size() == 1)
    columns[0].natural = std::min(columns[0].natural, room);
  for (const Candidate& column : columns) layout.columns.push_back({column.index, column.natural});
  return layout;
}

}  // namespace strobe::report

#include "strobe/report/render/document.h"

#include <algorithm>

#include "strobe/base/check.h"
#include "strobe/report/render/format.h"

namespace strobe::report {

std::span<const analysis::HealthRemark> health_on_page(const Document& document) {
  if (!document.health) return {};
  const bool is_complete = document.health->verdict == analysis::HealthVerdict::kComplete;
  if (is_complete && !document.shows_health_notes) return {};
  return document.health->remarks;
}
namespace {

struct CellText {
  std::optional<analysis::TimeUnit> unit;

  std::string operator()(const Absent&) const { return "-"; }
  std::string operator()(const Text& cell) const { return cell.text; }
  std::string operator()(const Count& cell) const { return count_text(cell.count); }
  std::string operator()(const Bytes& cell) const { return bytes_text(cell.bytes); }
  std::string operator()(const Duration& cell) const {
    return duration_text(cell.duration_ns, unit);
  }
  std::string operator()(const Share& cell) const { return percent_text(cell.share); }
  std::string operator()(const Measure& cell) const {
    if (cell.mark == Mark::kSame) return "=" + cell.text;
    return cell.mark == Mark::kWrong ? "~" + cell.text + "~" : cell.text;
  }
};

// Without the total row, which is the sum of the others.
void balance(const Table& table, std::size_t column, std::vector<std::vector<std::string>>& texts) {
  std::vector<std::size_t> rows;
  std::vector<double> shares;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto* share = std::get_if<Share>(&table.rows[row].cells[column]);
    if (share == nullptr || table.rows[row].style == RowStyle::kTotal) continue;
    rows.push_back(row);
    shares.push_back(share->share);
  }
  const std::vector<std::int64_t> permille = balanced_permille(shares);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_trace = permille[i] == 0 && shares[i] > 0;
    texts[rows[i]][column] = is_trace ? percent_text(0.0001) : permille_text(permille[i]);
  }
}

}  // namespace

bool is_empty(const Section& section) {
  return section.lead.empty() && section.arguments.empty() && section.points.empty() &&
         section.picture.empty() && section.table.rows.empty() && section.notes.empty() &&
         section.warnings.empty();
}

bool is_on_page(const Section& section) {
  return !section.for_tools && !section.is_csv_only && section.svg.empty();
}

bool has_grids(const Document& document) {
  return std::ranges::any_of(document.sections,
                             [](const Section& section) { return section.table.is_grid; });
}

bool is_shown(const Column& column) { return !column.for_tools && column.type != ColumnType::kBar; }

bool is_for_tools(const Column& column) {
  return !column.for_people && column.type != ColumnType::kBar;
}

std::string header_line(const Column& column) {
  std::string line;
  for (const char c : column.header) {
    if (c != '\n') {
      line += c;
    } else if (line.ends_with('-')) {
      line.pop_back();
    } else {
      line += ' ';
    }
  }
  return line;
}

std::string cell_text(const Cell& cell, std::optional<analysis::TimeUnit> unit) {
  return std::visit(CellText{unit}, cell);
}

Section figure_section(std::string title, std::string caption, std::string svg) {
  Section section;
  if (svg.empty()) return section;
  section.title = std::move(title);
  section.lead = std::move(caption);
  section.svg = std::move(svg);
  return section;
}

Section warning_section(std::vector<std::string> warnings) {
  Section section;
  section.key = "warnings";
  section.title = "About the measurement";
  section.points = std::move(warnings);
  section.is_remark = true;
  return section;
}

std::size_t name_column(const Table& table) {
  const auto name = std::find_if(table.columns.begin(), table.columns.end(),
                                 [](const Column& c) { return c.type == ColumnType::kName; });
  return static_cast<std::size_t>(name - table.columns.begin());
}

std::vector<std::vector<std::string>> table_texts(const Table& table,
                                                  std::optional<analysis::TimeUnit> unit) {
  std::vector<std::vector<std::string>> texts;
  texts.reserve(table.rows.size());
  for (const Row& row : table.rows) {
    STROBE_CHECK(row.cells.size() == table.columns.size(), "a row has one cell per column");
    std::vector<std::string> line;
    for (const Cell& cell : row.cells) line.push_back(cell_text(cell, unit));
    texts.push_back(std::move(line));
  }
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (table.columns[column].balanced) balance(table, column, texts);
  }
  return texts;
}

void drop_empty_columns(Table& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const bool is_empty = std::ranges::all_of(
        table.rows, [&](const Row& row) { return std::holds_alternative<Absent>(row.cells[i]); });
    if (!is_empty || table.rows.empty()) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (Row& row : table.rows) row.cells.erase(row.cells.begin() + at);
  }
}

}  // namespace strobe::report

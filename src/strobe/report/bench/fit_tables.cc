#include "strobe/report/bench/fit_tables.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/report/render/display_text.h"
#include "strobe/report/render/text_layout.h"

namespace strobe::report {
namespace {

constexpr std::size_t kPageMargin = 2;
constexpr std::size_t kLeastWrapped = 24;  // words at the end are not wrapped below this
using Indices = std::vector<std::size_t>;

bool is_words(const Column& column) { return column.type == ColumnType::kText; }

bool ends_with_words(const Table& table) { return is_words(table.columns.back()); }

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) widths.push_back(columns_of(header_line(column)));
  for (const auto& row : table_texts(table)) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  return widths;
}

// The same, with words at the end as narrow as they may be wrapped.
std::vector<std::size_t> least_widths_of(const Table& table) {
  std::vector<std::size_t> widths = widths_of(table);
  if (ends_with_words(table)) widths.back() = std::min(widths.back(), kLeastWrapped);
  return widths;
}

// An empty column at the end takes no room.
std::size_t joint_width_of(std::span<const std::size_t> widths) {
  while (!widths.empty() && widths.back() == 0) widths = widths.first(widths.size() - 1);
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width + kColumnGap;
  return total - std::min(total, kColumnGap);
}

// A table of these columns only.
Table part_of(const Table& table, const Indices& columns) {
  Table part = table;
  part.columns.clear();
  for (const std::size_t i : columns) part.columns.push_back(table.columns[i]);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    part.rows[row].cells.clear();
    for (const std::size_t i : columns) part.rows[row].cells.push_back(table.rows[row].cells[i]);
  }
  return part;
}

bool is_same_in_every_row(const Table& table, std::size_t column) {
  return table.rows.size() > 1 && std::ranges::all_of(table.rows, [&](const Row& row) {
           return cell_text(row.cells[column]) == cell_text(table.rows.front().cells[column]);
         });
}

void take_out_repeated_words(Section& section) {
  const Table& table = section.table;
  Indices kept = {0};
  std::vector<std::string> repeated;
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    if (!is_words(table.columns[i]) || !is_same_in_every_row(table, i)) {
      kept.push_back(i);
      continue;
    }
    const std::string text = cell_text(table.rows.front().cells[i]);
    const std::string& header = table.columns[i].header;
    if (!text.empty()) repeated.push_back(header.empty() ? text : header + " " + text);
  }
  section.table = part_of(table, kept);
  if (repeated.empty()) return;
  section.notes.insert(section.notes.begin(),
                       fmt::format("in every row: {}", fmt::join(repeated, ", ")));
}

// Names of code are cut so that they still differ, sentences in the middle.
std::vector<std::string> cut(const std::vector<std::string>& texts, std::size_t width,
                             bool unicode) {
  const bool are_names = std::ranges::none_of(
      texts, [](const std::string& text) { return text.find(' ') != std::string::npos; });
  std::vector<NameToFit> names;
  std::vector<std::string> sentences;
  for (const std::string& text : texts) {
    names.push_back({text, width});
    sentences.push_back(cut_middle(text, width, unicode));
  }
  return are_names ? fit_names(names, unicode) : sentences;
}

void cut_words(Table& table, std::size_t column, std::size_t width, bool unicode) {
  std::vector<std::string> texts;
  for (const Row& row : table.rows) texts.push_back(cell_text(row.cells[column]));
  const std::vector<std::string> shown = cut(texts, width, unicode);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (shown[row] != texts[row]) table.rows[row].cells[column] = Text{shown[row]};
  }
}

// Cuts the widest words first, until the table fits or all have their least width.
void shorten_words(Table& table, std::size_t room, bool unicode) {
  std::vector<std::size_t> widths = least_widths_of(table);
  const std::vector<std::size_t> natural = widths;
  const std::size_t end = table.columns.size() - (ends_with_words(table) ? 1 : 0);
  while (joint_width_of(widths) > room) {
    std::size_t widest = end;
    for (std::size_t i = 0; i < end; ++i) {
      if (!is_words(table.columns[i]) || widths[i] <= table.columns[i].least_width) continue;
      if (widest == end || widths[i] > widths[widest]) widest = i;
    }
    if (widest == end) break;
    --widths[widest];
  }
  for (std::size_t i = 0; i < end; ++i) {
    if (widths[i] < natural[i]) cut_words(table, i, widths[i], unicode);
  }
}

// The first column, and the words after it.
std::size_t count_of_labels(const Table& table) {
  std::size_t labels = 1;
  while (labels < table.columns.size() && is_words(table.columns[labels])) ++labels;
  return labels;
}

// Columns that are beside each other, for parts of at most this width; labels are in every part.
std::vector<Indices> parts_within(std::span<const std::size_t> widths, std::size_t labels,
                                  std::size_t room) {
  const std::size_t label_width = joint_width_of(widths.first(labels));
  std::vector<Indices> parts;
  std::size_t used = 0;
  for (std::size_t i = labels; i < widths.size(); ++i) {
    const std::size_t width = kColumnGap + widths[i];
    if (parts.empty() || used + width > room) {
      parts.emplace_back();
      for (std::size_t label = 0; label < labels; ++label) parts.back().push_back(label);
      used = label_width;
    }
    parts.back().push_back(i);
    used += width;
  }
  return parts;
}

// As few parts as possible, of about the same width.
std::vector<Indices> even_parts(const Table& table, std::size_t room) {
  const std::vector<std::size_t> widths = least_widths_of(table);
  const std::size_t labels = count_of_labels(table);
  std::vector<Indices> parts = parts_within(widths, labels, room);
  for (std::size_t narrower = room; narrower > 0; --narrower) {
    std::vector<Indices> other = parts_within(widths, labels, narrower - 1);
    if (other.size() > parts.size()) break;
    parts = std::move(other);
  }
  return parts;
}

// Words at the end go on in rows of their own.
void wrap_last_words(Table& table, std::size_t room) {
  const std::vector<std::size_t> widths = widths_of(table);
  const std::size_t total = joint_width_of(widths);
  if (total <= room || !ends_with_words(table)) return;
  const std::size_t others = total - widths.back();
  const std::size_t width = std::max(kLeastWrapped, room - std::min(room, others));
  std::vector<Row> rows;
  for (Row& row : table.rows) {
    std::vector<std::string> lines = wrap(cell_text(row.cells.back()), width);
    Row more = {.cells = std::vector<Cell>(row.cells.size(), Text{}), .style = row.style};
    if (lines.size() > 1) row.cells.back() = Text{lines.front()};
    rows.push_back(std::move(row));
    for (std::size_t i = 1; i < lines.size(); ++i) {
      more.cells.back() = Text{lines[i]};
      rows.push_back(more);
    }
  }
  table.rows = std::move(rows);
}

// The parts of a section whose table is too wide, each with a table of its own.
std::vector<Section> split(const Section& section, std::size_t room) {
  std::vector<Section> sections;
  for (const Indices& columns : even_parts(section.table, room)) {
    Section& part = sections.emplace_back(section);
    part.table = part_of(section.table, columns);
    wrap_last_words(part.table, room);
    if (sections.size() == 1) continue;
    part.title += ", continued";
    part.lead.clear();
    part.picture.clear();
    sections[sections.size() - 2].notes.clear();
    sections[sections.size() - 2].warnings.clear();
  }
  return sections;
}

std::vector<Section> fitted(Section section, std::size_t room, bool unicode) {
  take_out_repeated_words(section);
  shorten_words(section.table, room, unicode);
  const bool has_numbers = count_of_labels(section.table) < section.table.columns.size();
  if (joint_width_of(least_widths_of(section.table)) > room && has_numbers)
    return split(section, room);
  wrap_last_words(section.table, room);
  return {std::move(section)};
}

}  // namespace

void fit_tables(Document& page, std::size_t width, bool unicode) {
  const std::size_t room = width - std::min(width, kPageMargin);
  std::vector<Section> sections;
  for (Section& section : page.sections) {
    const bool is_wide = is_on_page(section) && section.table.is_grid &&
                         !section.table.rows.empty() &&
                         joint_width_of(widths_of(section.table)) > room;
    if (!is_wide) {
      sections.push_back(std::move(section));
      continue;
    }
    std::ranges::move(fitted(std::move(section), room, unicode), std::back_inserter(sections));
  }
  page.sections = std::move(sections);
}

}  // namespace strobe::report

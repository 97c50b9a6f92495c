#pragma once

#include <string>
#include <variant>
#include <vector>

#include "strobe/report/render/document.h"

// Helpers to check the tables of bench pages.
namespace strobe::report {

// A cell without its mark; what is absent is a dash.
inline Measure measure_of(const Cell& cell) {
  if (const auto* measure = std::get_if<Measure>(&cell)) return *measure;
  return {.text = cell_text(cell),
          .mark = std::holds_alternative<Absent>(cell) ? Mark::kMissing : Mark::kPlain};
}

// Rows and columns count without the header and the labels.
inline Measure measure_at(const Section& section, std::size_t row, std::size_t column) {
  return measure_of(section.table.rows.at(row).cells.at(column + 1));
}

inline const Column& column_at(const Section& section, std::size_t column) {
  return section.table.columns.at(column + 1);
}

inline const std::string& corner_text(const Section& section) {
  return section.table.columns.front().header;
}

// The text of a row, its label first.
inline std::vector<std::string> row_texts(const Row& row) {
  std::vector<std::string> texts;
  for (const Cell& cell : row.cells) texts.push_back(measure_of(cell).text);
  return texts;
}

// The tables shown on a page, in order.
inline std::vector<Section> tables_of(const Document& document) {
  std::vector<Section> tables;
  for (const Section& section : document.sections) {
    if (is_on_page(section) && section.table.is_grid) tables.push_back(section);
  }
  return tables;
}

}  // namespace strobe::report

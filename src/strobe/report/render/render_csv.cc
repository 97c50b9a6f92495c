#include "strobe/report/render/render.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/base/csv.h"
#include "strobe/report/render/display_text.h"

namespace strobe::report {
namespace {

struct WriteField {
  CsvWriter& csv;

  void operator()(const Absent&) const { csv.empty(); }
  void operator()(const Text& cell) const { csv.field(cell.text); }
  void operator()(const Count& cell) const { csv.field(cell.count); }
  void operator()(const Bytes& cell) const { csv.field(cell.bytes); }
  void operator()(const Duration& cell) const { csv.field(cell.duration_ns); }
  void operator()(const Share& cell) const { csv.raw(fmt::format("{:.6g}", cell.share)); }
  void operator()(const Measure& cell) const {
    cell.value ? csv.field(*cell.value) : csv.field(cell.word.empty() ? cell.text : cell.word);
  }
};

// A share is followed by a column with its base: a comment line would not be CSV.
void append_csv_table(std::string& out, const Table& table) {
  CsvWriter csv(out);
  const auto append_line = [&](const auto& write, const auto& write_base) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!is_for_tools(table.columns[i])) continue;
      write(i);
      if (!table.columns[i].share_of.empty()) write_base(i);
    }
    csv.end_row();
  };
  append_line([&](std::size_t i) { csv.field(table.columns[i].key); },
              [&](std::size_t i) { csv.field(table.columns[i].key + "_of"); });
  for (const Row& row : table.rows) {
    if (row.for_people) continue;
    append_line([&](std::size_t i) { std::visit(WriteField{csv}, row.cells[i]); },
                [&](std::size_t i) { csv.field(table.columns[i].share_of); });
  }
}

}  // namespace

std::string render_tsv(const Document& document) {
  const auto is_table = [](const Section& section) {
    return is_on_page(section) && !section.table.columns.empty();
  };
  const auto tables = std::ranges::count_if(document.sections, is_table);
  std::string out;
  for (const Section& section : document.sections) {
    if (!is_table(section)) continue;
    if (tables > 1) out += (out.empty() ? "" : "\n") + printable(section.title) + "\n";
    std::string_view separator;
    for (const Column& column : section.table.columns) {
      out += fmt::format("{}{}", separator, printable(column.header));
      separator = "\t";
    }
    out += "\n";
    for (const auto& row : table_texts(section.table)) {
      for (std::size_t i = 0; i < row.size(); ++i) out += (i > 0 ? "\t" : "") + printable(row[i]);
      out += "\n";
    }
  }
  return out;
}

std::string render_csv(const Document& document) {
  const auto has_table = [](const Section& section) {
    return !section.table.columns.empty() && !section.is_remark;
  };
  const auto tables = std::count_if(document.sections.begin(), document.sections.end(), has_table);
  std::string out;
  for (const Section& section : document.sections) {
    if (!has_table(section)) continue;
    if (!out.empty()) out += "\n";
    if (tables > 1) out += "# " + section.key + "\n";
    append_csv_table(out, section.table);
  }
  return out;
}

}  // namespace strobe::report

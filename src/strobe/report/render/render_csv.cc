#include "strobe/report/render/render_csv.h"

#include <algorithm>
#include <cstdio>

namespace strobe::report {
namespace {

struct PlainValue {
  std::string operator()(const Absent&) const { return ""; }
  std::string operator()(const Text& cell) const { return csv_field(cell.text); }
  std::string operator()(const Count& cell) const { return std::to_string(cell.count); }
  std::string operator()(const Bytes& cell) const { return std::to_string(cell.bytes); }
  std::string operator()(const Duration& cell) const { return std::to_string(cell.duration_ns); }
  std::string operator()(const Share& cell) const {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", cell.share);
    return text;
  }
};

void append_csv_table(std::string& out, const Table& table) {
  const auto append_line = [&](const auto& cell_at) {
    std::string separator;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].type == ColumnType::kBar) continue;
      out += separator + cell_at(i);
      separator = ",";
    }
    out += "\n";
  };
  append_line([&](std::size_t i) { return table.columns[i].key; });
  for (const Row& row : table.rows) {
    if (row.for_people) continue;
    append_line([&](std::size_t i) { return std::visit(PlainValue{}, row.cells[i]); });
  }
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && !text.starts_with('#')) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
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

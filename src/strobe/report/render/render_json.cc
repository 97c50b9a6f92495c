#include "strobe/report/render/render_json.h"

#include "strobe/base/json_write.h"

namespace strobe::report {
namespace {

using analysis::Finding;
using analysis::FindingWeight;

struct WriteCell {
  JsonWriter& json;

  void operator()(const Absent&) const { json.null(); }
  void operator()(const Text& cell) const { json.value(cell.text); }
  void operator()(const Count& cell) const { json.value(cell.count); }
  void operator()(const Bytes& cell) const { json.value(cell.bytes); }
  void operator()(const Duration& cell) const { json.value(cell.duration_ns); }
  void operator()(const Share& cell) const { json.value(cell.share); }
};

std::string_view type_word(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return "text";
    case ColumnType::kName:
      return "name";
    case ColumnType::kCount:
      return "count";
    case ColumnType::kBytes:
      return "bytes";
    case ColumnType::kDuration:
      return "duration_ns";
    case ColumnType::kShare:
      return "share";
    case ColumnType::kNumber:
      return "number";
    case ColumnType::kBar:
      return "bar";
  }
  return "";
}

void write_finding(JsonWriter& json, const Finding& finding) {
  json.begin_object()
      .member("code", finding.code)
      .member("weight", weight_word(finding.weight))
      .member("share", finding.share)
      .member("headline", finding.headline)
      .member("advice", finding.advice)
      .end_object();
}

// One line each, so that grep and diff work on columns and rows.
std::string column_line(const Column& column) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().member("key", column.key).member("type", type_word(column.type));
  if (!column.share_of.empty()) json.member("share_of", column.share_of);
  json.end_object();
  return line;
}

std::string row_line(const Table& table, const Row& row) {
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].type == ColumnType::kBar) continue;
    json.key(table.columns[i].key);
    std::visit(WriteCell{json}, row.cells[i]);
  }
  json.end_object();
  return line;
}

void write_section(JsonWriter& json, const Section& section) {
  const Table& table = section.table;
  json.key(section.key).begin_object().member("title", section.title);
  json.key("columns").begin_array();
  for (const Column& column : table.columns) {
    if (column.type != ColumnType::kBar) json.raw(column_line(column));
  }
  json.end_array();
  json.key("rows").begin_array();
  for (const Row& row : table.rows) {
    if (!row.for_people) json.raw(row_line(table, row));
  }
  json.end_array().member("rows_left_out", table.rows_left_out);
  json.key("notes").begin_array();
  for (const std::string& note : section.notes) json.value(note);
  json.end_array().end_object();
}

}  // namespace

std::string_view weight_word(FindingWeight weight) {
  switch (weight) {
    case FindingWeight::kNote:
      return "note";
    case FindingWeight::kWorthALook:
      return "worth_a_look";
    case FindingWeight::kMatters:
      return "matters";
  }
  return "";
}

std::string render_json(const Document& document) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().member("schema", document.schema).member("version", document.version);
  json.key("facts").begin_object();
  for (const Fact& fact : document.facts) {
    json.key(fact.key);
    std::visit(WriteCell{json}, fact.value);
  }
  json.end_object();
  json.key("findings").begin_array();
  for (const Finding& finding : document.findings) write_finding(json, finding);
  json.end_array();
  json.key("tables").begin_object();
  for (const Section& section : document.sections) {
    if (!section.table.columns.empty()) write_section(json, section);
  }
  json.end_object().end_object();
  out += "\n";
  return out;
}

}  // namespace strobe::report

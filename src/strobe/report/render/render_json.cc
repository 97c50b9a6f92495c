#include "strobe/report/render/render.h"

#include "strobe/report/render/json_rows.h"

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
  void operator()(const Measure& cell) const { cell.value ? json.value(*cell.value) : json.null(); }
};

std::string_view mark_word(Mark mark) {
  switch (mark) {
    case Mark::kSame:
      return "same_kernels";
    case Mark::kWrong:
      return "wrong";
    case Mark::kMissing:
      return "missing";
    case Mark::kPlain:
      break;
  }
  return "";
}

// In a grid a cell is an object: its text, and further facts about it.
void write_grid_cell(JsonWriter& json, const Cell& cell) {
  const Measure plain = {
      .text = cell_text(cell),
      .mark = std::holds_alternative<Absent>(cell) ? Mark::kMissing : Mark::kPlain};
  const auto* own = std::get_if<Measure>(&cell);
  const Measure& measure = own == nullptr ? plain : *own;
  json.begin_object().member("text", measure.word.empty() ? measure.text : measure.word);
  if (measure.value) json.member("value", *measure.value);
  if (measure.mark != Mark::kPlain) json.member("mark", mark_word(measure.mark));
  if (!measure.title.empty()) json.member("title", measure.title);
  json.end_object();
}

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
      .member("advice", finding.advice);
  write_texts(json, "against", finding.against);
  json.end_object();
}

void write_health(JsonWriter& json, const analysis::Health& health) {
  json.key("health")
      .begin_object()
      .member("verdict", analysis::word_of(health.verdict))
      .member("text", analysis::verdict_text(health));
  json.key("remarks").begin_array();
  for (const analysis::HealthRemark& remark : health.remarks) {
    json.begin_object()
        .member("code", remark.code)
        .member("verdict", analysis::word_of(remark.verdict))
        .member("seen", remark.seen)
        .member("consequence", remark.consequence)
        .member("advice", remark.advice)
        .member("count", remark.count);
    json.key("of");
    remark.of == 0 ? json.null() : json.value(remark.of);
    json.key("share");
    remark.of == 0 ? json.null() : json.value(remark.share());
    write_texts(json, "ranks", remark.ranks);
    json.end_object();
  }
  json.end_array().end_object();
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
    if (!is_for_tools(table.columns[i])) continue;
    json.key(table.columns[i].key);
    std::visit(WriteCell{json}, row.cells[i]);
  }
  json.end_object();
  return line;
}

void write_data(JsonWriter& json, const std::vector<ToolData>& data) {
  for (const ToolData& one : data) {
    json.key(one.key);
    if (one.is_list) json.begin_array();
    for (const std::string& item : one.items) json.raw(item);
    if (one.is_list) json.end_array();
  }
}

void write_grid(JsonWriter& json, const Section& section) {
  const Table& table = section.table;
  json.begin_object().member("key", section.key).member("title", section.title);
  write_data(json, section.data);
  json.member("corner", table.columns.front().header).key("columns").begin_array();
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    std::string line;
    JsonWriter(line)
        .begin_object()
        .member("key", table.columns[i].key)
        .member("header", table.columns[i].header)
        .end_object();
    json.raw(line);
  }
  json.end_array().key("rows").begin_array();
  for (const Row& row : table.rows) {
    std::string line;
    JsonWriter one(line);
    one.begin_object().member("label", cell_text(row.cells.front())).key("cells").begin_array();
    for (std::size_t i = 1; i < row.cells.size(); ++i) write_grid_cell(one, row.cells[i]);
    one.end_array().end_object();
    json.raw(line);
  }
  json.end_array();
  write_texts(json, "notes", section.notes);
  write_texts(json, "warnings", section.warnings);
  json.end_object();
}

void write_section(JsonWriter& json, const Section& section) {
  const Table& table = section.table;
  json.key(section.key).begin_object().member("title", section.title);
  json.key("columns").begin_array();
  for (const Column& column : table.columns) {
    if (is_for_tools(column)) json.raw(column_line(column));
  }
  json.end_array();
  json.key("rows").begin_array();
  for (const Row& row : table.rows) {
    if (!row.for_people) json.raw(row_line(table, row));
  }
  json.end_array().member("rows_left_out", table.rows_left_out);
  write_texts(json, "notes", section.notes);
  json.end_object();
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
  const bool is_list = has_grids(document);
  if (is_list) json.member("title", document.title);
  json.key("facts").begin_object();
  for (const Fact& fact : document.facts) {
    json.key(fact.key);
    std::visit(WriteCell{json}, fact.value);
  }
  json.end_object();
  if (document.health) write_health(json, *document.health);
  if (!is_list) {
    json.key("findings").begin_array();
    for (const Finding& finding : document.findings) write_finding(json, finding);
    json.end_array();
  }
  json.key("tables");
  is_list ? json.begin_array() : json.begin_object();
  for (const Section& section : document.sections) {
    if (section.table.columns.empty() || section.is_csv_only) continue;
    (is_list ? write_grid : write_section)(json, section);
  }
  is_list ? json.end_array() : json.end_object();
  write_data(json, document.data);
  json.end_object();
  out += "\n";
  return out;
}

}  // namespace strobe::report

#include "strobe/base/json_write.h"
#include "strobe/report/bench/bench_render.h"
#include "strobe/report/compare/compare_json_rows.h"

namespace strobe::report {
namespace {

std::string_view mark_name(BenchMark mark) {
  switch (mark) {
    case BenchMark::kSame:
      return "same_kernels";
    case BenchMark::kWrong:
      return "wrong";
    case BenchMark::kMissing:
      return "missing";
    case BenchMark::kPlain:
      break;
  }
  return "";
}

void write_cell(JsonWriter& json, const BenchCell& cell) {
  json.begin_object().member("text", cell.word.empty() ? cell.text : cell.word);
  if (cell.value) json.member("value", *cell.value);
  if (cell.mark != BenchMark::kPlain) json.member("mark", mark_name(cell.mark));
  if (!cell.title.empty()) json.member("title", cell.title);
  json.end_object();
}

void write_grid_cell(JsonWriter& json, const bench::GridCell& cell) {
  json.begin_object().member("dim0", cell.dim0).member("dim1", cell.dim1);
  if (!cell.shape.dims.empty()) {
    json.key("shape").begin_array();
    for (const std::int64_t axis : cell.shape.dims) json.value(axis);
    json.end_array();
  }
  if (cell.value) json.member("value", *cell.value);
  if (cell.ci95) {
    json.key("ci95").begin_array().value(cell.ci95->at(0)).value(cell.ci95->at(1)).end_array();
  }
  json.member("status", cell.ran_same_kernels ? "same_kernels" : bench::status_name(cell.status));
  json.end_object();
}

void write_grid(JsonWriter& json, const bench::RatioGrid& grid) {
  json.begin_object()
      .member("version", grid.version)
      .member("device", grid.device)
      .member("case", grid.case_id)
      .member("variant", grid.variant)
      .member("dtype", grid.dtype)
      .member("baseline", grid.baseline)
      .member("contender", grid.contender)
      .member("metric", bench::metric_name(grid.metric));
  if (const auto mean = bench::geometric_mean(grid);
      mean && grid.metric != bench::GridMetric::kBandwidth) {
    json.key("geometric_mean").begin_object();
    json.member("value", mean->mean).member("cells", mean->cells).end_object();
  }
  json.key("cells").begin_array();
  for (const bench::GridCell& cell : grid.cells) write_grid_cell(json, cell);
  json.end_array().end_object();
}

void write_flat_line(JsonWriter& json, const bench::FlatLine& line) {
  json.key("flat_line").begin_object();
  json.member("index", line.index)
      .member("before_share", line.before_share)
      .member("after_share", line.after_share)
      .member("before_mean_pct", line.before_mean)
      .member("after_mean_pct", line.after_mean)
      .end_object();
}

void write_table(JsonWriter& json, const BenchTable& table) {
  json.begin_object().member("key", table.key).member("title", table.title);
  if (!table.grids.empty()) {
    json.key("grids").begin_array();
    for (const bench::RatioGrid& grid : table.grids) write_grid(json, grid);
    json.end_array();
  }
  json.member("corner", table.corner).key("columns").begin_array();
  for (const BenchColumn& column : table.columns) {
    json.begin_object().member("key", column.key).member("header", column.header).end_object();
  }
  json.end_array().key("rows").begin_array();
  for (const BenchRow& row : table.rows) {
    json.begin_object().member("label", row.label).key("cells").begin_array();
    for (const BenchCell& cell : row.cells) write_cell(json, cell);
    json.end_array().end_object();
  }
  json.end_array();
  if (table.flat_line) write_flat_line(json, *table.flat_line);
  write_texts(json, "notes", table.notes);
  write_texts(json, "warnings", table.warnings);
  json.end_object();
}

}  // namespace

std::string bench_json(const BenchPage& page) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().member("schema", "strobe.bench_tables").member("version", 1);
  json.member("title", page.title).key("facts").begin_object();
  for (const auto& [label, text] : page.facts) json.member(label, text);
  json.end_object().key("tables").begin_array();
  for (const BenchTable& table : page.tables) write_table(json, table);
  json.end_array().key("identities").begin_array();
  for (const bench::IdentityCheck& check : page.identities) {
    json.begin_object()
        .member("law", check.law)
        .member("cells", check.cells)
        .member("worst", check.worst)
        .member("worst_cell", check.worst_cell);
    write_texts(json, "violations", check.violations);
    json.end_object();
  }
  json.end_array();
  write_texts(json, "remarks", page.remarks);
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace strobe::report

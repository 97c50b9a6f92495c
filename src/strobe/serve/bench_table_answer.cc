#include "strobe/serve/bench_table_answer.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/serve/bench_values.h"

namespace strobe::serve {
namespace {

using bench::Shape;

constexpr std::size_t kMostPanelColumns = 64;  // more would not be a readable table

struct AxisWords {
  std::size_t dims = 0;
  const char* row = "";
  const char* column = "";
};
constexpr AxisWords kTables[] = {{2, "dim0", "dim1"}, {3, "M", "N"}, {4, "batch", "sequence"}};

std::string title_of(const Shape& shape) {
  if (shape.dims.size() == 3) return fmt::format("K {}", shape[2]);
  if (shape.dims.size() == 4) return fmt::format("{} heads, head dimension {}", shape[2], shape[3]);
  return "";
}

BenchPanel list_of(std::span<const Shape> shapes) {
  BenchPanel panel;
  panel.row_axis = "shape";
  panel.columns = {""};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    panel.rows.push_back(shape_text(shapes[i]));
    panel.cells.push_back({i});
  }
  return panel;
}

using Members = std::vector<std::size_t>;  // indices of shapes

std::vector<std::string> texts_of(const std::set<std::int64_t>& values) {
  std::vector<std::string> texts;
  for (const std::int64_t value : values) texts.push_back(fmt::format("{}", value));
  return texts;
}

std::size_t place_of(const std::set<std::int64_t>& values, std::int64_t value) {
  return static_cast<std::size_t>(std::distance(values.begin(), values.find(value)));
}

BenchPanel table_of(std::span<const Shape> shapes, const Members& members, const AxisWords& words) {
  std::set<std::int64_t> rows;
  std::set<std::int64_t> columns;
  for (const std::size_t i : members) {
    rows.insert(shapes[i][0]);
    columns.insert(shapes[i][1]);
  }
  BenchPanel panel{
      title_of(shapes[members[0]]), words.row, words.column, texts_of(rows), texts_of(columns), {}};
  panel.cells.assign(rows.size(),
                     std::vector<std::optional<std::size_t>>(columns.size(), std::nullopt));
  for (const std::size_t i : members) {
    panel.cells[place_of(rows, shapes[i][0])][place_of(columns, shapes[i][1])] = i;
  }
  return panel;
}

// A few shapes chosen by hand do not fill a table.
bool is_table(const BenchPanel& panel, std::size_t shapes) {
  return panel.columns.size() <= kMostPanelColumns &&
         panel.rows.size() * panel.columns.size() <= 4 * shapes;
}

using bench::CellRecord;
using bench::PairCell;
using bench::PairTable;
using bench::RatioGrid;

constexpr std::size_t kMostPoints = 5000;

void write_panels(JsonWriter& json, std::span<const Shape> shapes) {
  json.key("panels").begin_array();
  for (const BenchPanel& panel : panels_of(shapes)) {
    json.begin_object().member("title", panel.title).member("row_axis", panel.row_axis);
    text_or_null(json, "column_axis", panel.column_axis);
    write_texts(json, "rows", panel.rows);
    write_texts(json, "columns", panel.columns);
    json.key("cells").begin_array();
    for (const auto& row : panel.cells) {
      json.begin_array();
      for (const auto& cell : row) cell ? json.value(*cell) : json.null();
      json.end_array();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

std::optional<double> median_of(const CellRecord* record, std::optional<bench::TimeMode> mode) {
  const bench::TimeSummary* time = record != nullptr ? time_of(*record, mode) : nullptr;
  if (time == nullptr) return {};
  return time->p50;
}

// Prefixed with the provider: "cuda-fused: needs 17 GB".
std::vector<std::string> reasons_of(const PairCell& cell) {
  std::vector<std::string> reasons = cell.remarks;
  for (const CellRecord* side : {cell.baseline, cell.contender}) {
    if (side == nullptr || side->status == bench::CellStatus::kOk) continue;
    std::string text = side->cell.provider + ": " + std::string(status_name(side->status));
    if (!side->reason.empty()) text += ", " + side->reason;
    reasons.push_back(std::move(text));
  }
  return reasons;
}

void write_cell(JsonWriter& json, const PairCell& cell, const bench::PairQuestion& question) {
  json.begin_object();
  write_shape(json, cell.shape);
  json.member("state", state_name(cell.state));
  member_or_null(json, "value", cell.percent);
  json.key("gain");
  cell.percent ? json.value(*cell.percent / 100) : json.null();
  write_interval(json, cell.percent_interval);
  member_or_null(json, "ceiling", cell.ceiling_percent);
  member_or_null(json, "baseline_us", median_of(cell.baseline, question.mode));
  member_or_null(json, "contender_us", median_of(cell.contender, question.mode));
  write_flags(json, cell.flags);
  write_texts(json, "remarks", reasons_of(cell));
  json.end_object();
}

void write_case(JsonWriter& json, std::string_view case_id, std::string_view dtype) {
  json.member("case", case_id).key("definition");
  const bench::CaseInfo* info = bench::find_case(case_id);
  info != nullptr ? json.value(info->definition) : json.null();
  json.member("dtype", dtype);
}

void write_question(JsonWriter& json, const bench::PairQuestion& question) {
  write_case(json, question.case_id, dtype_name(question.dtype));
  json.key("time");
  question.mode ? json.value(mode_name(*question.mode)) : json.null();
}

void write_cell(JsonWriter& json, const bench::GridCell& cell, bench::GridMetric metric) {
  json.begin_object();
  write_shape(json, {{cell.dim0, cell.dim1}});
  json.member("state", state_name(state_of(cell)));
  member_or_null(json, "value", cell.value);
  member_or_null(json, "gain", cell.value ? gain_of(metric, *cell.value) : std::nullopt);
  for (const char* key : {"low", "high", "ceiling", "baseline_us", "contender_us"}) {
    json.key(key).null();
  }
  json.key("flags").begin_array().end_array().key("remarks").begin_array().end_array();
  json.end_object();
}

}  // namespace

std::vector<BenchPanel> panels_of(std::span<const Shape> shapes) {
  if (shapes.empty()) return {};
  const std::size_t dims = shapes[0].dims.size();
  const auto words = std::ranges::find(kTables, dims, &AxisWords::dims);
  const bool is_uniform =
      std::ranges::all_of(shapes, [&](const Shape& shape) { return shape.dims.size() == dims; });
  if (words == std::end(kTables) || !is_uniform) return {list_of(shapes)};
  std::map<std::vector<std::int64_t>, Members> groups;  // by the axes beyond two
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    groups[{shapes[i].dims.rbegin(), shapes[i].dims.rend() - 2}].push_back(i);
  }
  const bool is_mostly_titles = groups.size() > 1 && 2 * groups.size() > shapes.size();
  if (is_mostly_titles) return {list_of(shapes)};
  std::vector<BenchPanel> panels;
  for (const auto& [rest, members] : groups) {
    panels.push_back(table_of(shapes, members, *words));
    if (!is_table(panels.back(), members.size())) return {list_of(shapes)};
  }
  return panels;
}

std::string bench_table_answer(std::string_view name, const bench::BenchRun& run,
                               const bench::PairQuestion& question) {
  const PairTable table = pair_table(run, question);
  std::vector<BenchAlert> alerts = alerts_of(table.grid);
  std::ranges::move(alerts_of(table), std::back_inserter(alerts));
  std::vector<Shape> shapes;
  for (const PairCell& cell : table.cells) shapes.push_back(cell.shape);
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("file", name);
  write_question(json, question);
  json.member("device", run.header.device)
      .member("baseline", question.baseline)
      .member("contender", question.contender)
      .member("metric", metric_name(bench::GridMetric::kRelativePerformance));
  write_mean(json, table.grid);
  write_alerts(json, alerts);
  write_panels(json, shapes);
  json.key("cells").begin_array();
  for (const PairCell& cell : table.cells) write_cell(json, cell, question);
  json.end_array().end_object();
  return text;
}

std::string bench_table_answer(std::string_view name, const RatioGrid& grid) {
  std::vector<Shape> shapes;
  for (const bench::GridCell& cell : grid.cells) shapes.push_back({{cell.dim0, cell.dim1}});
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("file", name);
  write_case(json, grid.case_id, grid.dtype);
  json.key("time").null();
  json.member("device", grid.device)
      .member("baseline", grid.baseline)
      .member("contender", grid.contender)
      .member("metric", metric_name(grid.metric));
  write_mean(json, grid);
  write_alerts(json, alerts_of(grid));
  write_panels(json, shapes);
  json.key("cells").begin_array();
  for (const bench::GridCell& cell : grid.cells) write_cell(json, cell, grid.metric);
  json.end_array().end_object();
  return text;
}

std::string bench_points_answer(std::string_view name, const bench::BenchRun& run,
                                const bench::PairQuestion& question) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("file", name);
  write_question(json, question);
  write_roofs(json, run.header.roofs);
  std::size_t points = 0;
  std::size_t left_out = 0;
  json.key("points").begin_array();
  for (const CellRecord& record : run.cells) {
    if (record.cell.case_id != question.case_id || record.cell.dtype != question.dtype) continue;
    const bench::TimeSummary* time = time_of(record, question.mode);
    if (record.status != bench::CellStatus::kOk || time == nullptr || !(time->p50 > 0)) continue;
    if (points == kMostPoints) {
      ++left_out;
      continue;
    }
    ++points;
    const BenchRates rates = rates_of(record, *time, run.header.roofs);
    json.begin_object().member("provider", record.cell.provider);
    json.member("shape", shape_text(record.cell.shape))
        .member("time_us", time->p50)
        .member("min_bytes", record.bytes.min);
    member_or_null(json, "bytes_per_s", rates.bytes_per_s);
    member_or_null(json, "flop_per_s", rates.flop_per_s);
    member_or_null(json, "flop_per_byte", rates.flop_per_byte);
    member_or_null(json, "copy_roof_share", rates.copy_roof_share);
    json.end_object();
  }
  json.end_array().member("points_left_out", left_out).end_object();
  return text;
}

}  // namespace strobe::serve

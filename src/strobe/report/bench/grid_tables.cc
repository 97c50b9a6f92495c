#include "strobe/report/bench/grid_tables.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/json_write.h"
#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/judge/ratio_checks.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using bench::CellStatus;
using bench::GridCell;
using bench::GridMetric;
using bench::RatioGrid;

std::string_view key_of(const RatioGrid& grid) {
  switch (grid.metric) {
    case GridMetric::kRelativeOverhead:
      return "overhead";
    case GridMetric::kDeviceSpeedup:
      return "device";
    case GridMetric::kBandwidth:
      return "bandwidth";
    case GridMetric::kRelativePerformance:
      break;
  }
  return bench::is_attention(grid.case_id) ? "attention" : "relative";
}

std::string corner_of(const RatioGrid& grid) {
  if (grid.metric == GridMetric::kDeviceSpeedup) return fmt::format("Relative {}", grid.device);
  if (grid.metric == GridMetric::kRelativeOverhead) return "dim0\\dim1";
  return bench::is_attention(grid.case_id) ? "batch \\ seqlen" : "dim0 \\ dim1";
}

// "softmax f32", "attention hd64_nh32 f16"
std::string case_text(const RatioGrid& grid) {
  std::string text = grid.case_id;
  for (const std::string& more : {grid.variant, grid.dtype}) {
    if (!more.empty()) text += ' ' + more;
  }
  return text;
}

std::string origin_text(const RatioGrid& grid) {
  if (grid.version.empty()) return grid.device;
  return grid.device.empty() ? grid.version : fmt::format("{}, {}", grid.device, grid.version);
}

// Common names for the providers of the layout tables.
std::string column_name(const std::string& provider) {
  if (provider == "triton") return "Triton";
  if (provider == "eager") return "Torch";
  if (provider == "inductor") return "Inductor";
  return provider.empty() ? "GB/s" : provider;
}

void describe_grid(Section& table, const RatioGrid& grid) {
  const std::string origin = origin_text(grid);
  const std::string where = origin.empty() ? "" : fmt::format(" ({})", origin);
  if (grid.metric == GridMetric::kDeviceSpeedup) {
    table.title =
        fmt::format("{}, {}: device against device{}", case_text(grid), grid.provider(), where);
    table.lead = fmt::format("Speed of {0} in percent of {1}. Above 100 %, {0} is faster.",
                             grid.contender, grid.baseline);
  } else if (grid.metric == GridMetric::kRelativeOverhead) {
    table.title = fmt::format("{}, {} / {}: relative overhead{}", case_text(grid), grid.contender,
                              grid.baseline, where);
    table.lead = fmt::format("Time of {} divided by the time of {}; below 1, {} is faster.",
                             grid.contender, grid.baseline, grid.contender);
  } else {
    table.title = fmt::format("{}, {} / {}: relative performance{}", case_text(grid),
                              grid.contender, grid.baseline, where);
    table.lead = fmt::format("Speed of {0} in percent of {1}. Above 100 %, {0} is faster.",
                             grid.contender, grid.baseline);
  }
}

std::string cell_place(const RatioGrid& grid, const GridCell& cell) {
  return grid.is_list ? bench::shape_text(cell.shape) : fmt::format("{}x{}", cell.dim0, cell.dim1);
}

// Counts why cells were left out of the mean.
std::string left_out_text(const RatioGrid& grid) {
  std::size_t same = 0;
  std::size_t wrong = 0;
  std::map<std::string, std::size_t> missing;
  for (const GridCell& cell : grid.cells) {
    if (!cell.value) {
      ++missing[status_text(cell.status, "")];
    } else if (cell.status == CellStatus::kWrong) {
      ++wrong;
    } else if (cell.ran_same_kernels) {
      ++same;
    }
  }
  std::vector<std::string> words;
  for (const auto& [text, count] : missing) words.push_back(fmt::format("{} {}", count, text));
  if (same > 0)
    words.push_back(fmt::format("{} with the same kernels (=, a difference is noise)", same));
  if (wrong > 0) words.push_back(fmt::format("{} with wrong values (struck out)", wrong));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string mean_value_text(GridMetric metric, double mean) {
  return metric == GridMetric::kRelativeOverhead ? fmt::format("{:.3g}", mean)
                                                 : fmt::format("{:.1f} %", mean);
}

void add_mean(Section& table, const RatioGrid& grid) {
  const auto mean = bench::geometric_mean(grid);
  const std::string left_out = left_out_text(grid);
  const std::string rest = left_out.empty() ? "" : fmt::format("; left out: {}", left_out);
  table.notes.push_back(mean ? fmt::format("geometric mean {} over {} of {} cells{}",
                                           mean_value_text(grid.metric, mean->mean), mean->cells,
                                           grid.cells.size(), rest)
                             : fmt::format("no mean: none of {} can be used{}",
                                           counted(grid.cells.size(), "cell"), rest));
}

void add_noise(Section& table, std::span<const RatioGrid> grids) {
  std::size_t noisy = 0;
  std::size_t cells = 0;
  for (const RatioGrid& grid : grids) {
    cells += grid.cells.size();
    noisy += static_cast<std::size_t>(std::ranges::count(grid.cells, true, &GridCell::is_noisy));
  }
  std::string note = noise_note(noisy, cells);
  if (!note.empty()) table.notes.push_back(std::move(note));
}

// What fusion alone can gain, and which cells exceed it; only if formulas give their bytes.
void add_ceiling(Section& table, const RatioGrid& grid) {
  const bench::CaseInfo* const info = bench::find_case(grid.case_id);
  const auto dtype = bench::parse_dtype(grid.dtype.empty() ? "f32" : grid.dtype);
  if (info == nullptr || info->kind != bench::CaseKind::kRows || !dtype ||
      grid.metric != GridMetric::kRelativePerformance ||
      !bench::is_unfused_provider(grid.baseline)) {
    return;
  }
  std::size_t beyond = 0;
  double largest = 0;
  for (const GridCell& cell : grid.cells) {
    if (!cell.counts()) continue;
    const double ceiling = 100 * bench::costs_of(*info, {{cell.dim0, cell.dim1}}, *dtype).ceiling();
    largest = std::max(largest, ceiling);
    beyond += *cell.value > ceiling * 1.02 ? 1 : 0;
  }
  if (largest == 0) return;
  table.notes.push_back(
      fmt::format("fusion ceiling {:.0f} %{}", largest,
                  beyond == 0 ? std::string(": no cell exceeds it")
                              : fmt::format("; {} above it by more than 2 %, where {} was below "
                                            "the memory roof or limited by its launches",
                                            counted(beyond, "cell"), grid.baseline)));
}

std::string_view status_word(const GridCell& cell) {
  return cell.ran_same_kernels ? "same_kernels" : bench::status_name(cell.status);
}

void write_ratio(JsonWriter& json, const GridCell& cell) {
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
  json.member("status", status_word(cell));
  if (cell.is_noisy) json.member("noisy", true);
  json.end_object();
}

void write_ratios(JsonWriter& json, const RatioGrid& grid) {
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
      mean && grid.metric != GridMetric::kBandwidth) {
    json.key("geometric_mean").begin_object();
    json.member("value", mean->mean).member("cells", mean->cells).end_object();
  }
  json.key("cells").begin_array();
  for (const GridCell& cell : grid.cells) write_ratio(json, cell);
  json.end_array().end_object();
}

ToolData grids_data(std::span<const RatioGrid> grids) {
  ToolData data{.key = "grids", .items = {}};
  for (const RatioGrid& grid : grids) {
    JsonWriter json(data.items.emplace_back());
    write_ratios(json, grid);
  }
  return data;
}

ToolData flat_line_data(const bench::FlatLine& line) {
  ToolData data{.key = "flat_line", .items = {""}, .is_list = false};
  JsonWriter(data.items[0])
      .begin_object()
      .member("index", line.index)
      .member("before_share", line.before_share)
      .member("after_share", line.after_share)
      .member("before_mean_pct", line.before_mean)
      .member("after_mean_pct", line.after_mean)
      .end_object();
  return data;
}

void add_flat_line(Section& table, const RatioGrid& grid) {
  const auto found = bench::find_flat_line(grid);
  if (!found) return;
  const bench::FlatLine& line = *found;
  table.data.push_back(flat_line_data(line));
  table.warnings.push_back(fmt::format(
      "flat line: from cell {} ({}) on, {:.0f} % of the ratios are 100 +- 1 %, before it {:.0f} %; "
      "geometric mean {:.2f} % before, {:.2f} % after. {} most likely ran the kernels of {} there; "
      "check whether its compiler gave up (recompilation limit)",
      line.index + 1, cell_place(grid, grid.cells[line.index]), 100 * line.after_share,
      100 * line.before_share, line.before_mean, line.after_mean, grid.contender, grid.baseline));
}

template <class Number>
void add_once(std::vector<Number>& values, Number value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

Measure gap(std::string_view missing) {
  return {.text = std::string(missing), .mark = Mark::kMissing};
}

Section list_of(const RatioGrid& grid, std::string_view missing) {
  Section table = list_section("", "", "", "shape",
                               {{"value", fmt::format("{} / {}", grid.contender, grid.baseline)}});
  for (const GridCell& cell : grid.cells) {
    table.table.rows.push_back(
        {{Text{bench::shape_text(cell.shape)}, ratio_measure(grid, cell, missing)}});
  }
  return table;
}

Section grid_of(const RatioGrid& grid, std::string_view missing) {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  std::map<std::pair<std::int64_t, std::int64_t>, const GridCell*> cells;
  for (const GridCell& cell : grid.cells) {
    add_once(rows, cell.dim0);
    add_once(columns, cell.dim1);
    cells[{cell.dim0, cell.dim1}] = &cell;
  }
  std::ranges::sort(rows);
  std::ranges::sort(columns);
  std::vector<ListColumn> headings;
  for (const std::int64_t dim1 : columns) {
    headings.push_back({std::to_string(dim1), std::to_string(dim1)});
  }
  Section table = list_section("", "", "", corner_of(grid), headings);
  table.table.columns.front().type = ColumnType::kNumber;
  for (const std::int64_t dim0 : rows) {
    Row& row = table.table.rows.emplace_back();
    row.cells.push_back(Text{std::to_string(dim0)});
    for (const std::int64_t dim1 : columns) {
      const auto found = cells.find({dim0, dim1});
      row.cells.push_back(found == cells.end() ? gap(missing)
                                               : ratio_measure(grid, *found->second, missing));
    }
  }
  return table;
}

}  // namespace

std::string identity_text(const bench::IdentityCheck& check) {
  return fmt::format(
      "{}: {} checked, worst deviation {:.3f} %{}{}", check.law, counted(check.cells, "cell"),
      100 * check.worst, check.worst_cell.empty() ? "" : fmt::format(" at {}", check.worst_cell),
      check.violations.empty()
          ? ", within rounding"
          : fmt::format("; {} larger than rounding explains: {}{}", check.violations.size(),
                        check.violations.front(), check.violations.size() > 1 ? ", ..." : ""));
}

Section grid_table(const RatioGrid& grid, std::string_view missing) {
  Section table = grid.is_list ? list_of(grid, missing) : grid_of(grid, missing);
  table.key = key_of(grid);
  table.is_remark = true;  // ratio_rows() has it
  describe_grid(table, grid);
  table.data = {grids_data({&grid, 1})};
  add_mean(table, grid);
  add_noise(table, {&grid, 1});
  add_ceiling(table, grid);
  add_flat_line(table, grid);
  return table;
}

std::vector<Section> bandwidth_tables(std::span<const RatioGrid> grids, std::string_view missing) {
  std::vector<std::int64_t> widths;
  for (const RatioGrid& grid : grids) {
    for (const GridCell& cell : grid.cells) add_once(widths, cell.dim1);
  }
  std::vector<Section> tables;
  for (const std::int64_t dim1 : widths) {
    std::vector<std::int64_t> heights;
    std::vector<RatioGrid> parts;
    std::vector<ListColumn> headings;
    for (const RatioGrid& grid : grids) {
      RatioGrid part = grid;
      std::erase_if(part.cells, [&](const GridCell& cell) { return cell.dim1 != dim1; });
      if (part.cells.empty()) continue;  // this provider has no such column
      for (const GridCell& cell : part.cells) add_once(heights, cell.dim0);
      headings.push_back({grid.contender, column_name(grid.contender)});
      parts.push_back(std::move(part));
    }
    const std::string origin = origin_text(grids.front());
    Section& table = tables.emplace_back(
        list_section("bandwidth",
                     fmt::format("{}, dim1 = {}: GB/s{}", case_text(grids.front()), dim1,
                                 origin.empty() ? "" : fmt::format(" ({})", origin)),
                     "The least traffic of the case divided by its time; 1 GB is 10^9 bytes.",
                     "dim_0", headings));
    table.is_remark = true;  // ratio_rows() has it
    table.table.columns.front().type = ColumnType::kNumber;
    for (const std::int64_t dim0 : heights) {
      Row& row = table.table.rows.emplace_back();
      row.cells.push_back(Text{std::to_string(dim0)});
      for (const RatioGrid& grid : parts) {
        const auto found = std::ranges::find(grid.cells, dim0, &GridCell::dim0);
        row.cells.push_back(found == grid.cells.end() ? gap(missing)
                                                      : ratio_measure(grid, *found, missing));
      }
    }
    add_noise(table, parts);
    table.data = {grids_data(parts)};
  }
  return tables;
}

Section overview_table(std::span<const RatioGrid> grids) {
  Section table =
      list_section("overview", "Overview", "One line per table; means are geometric.", "case",
                   {{"of", "of", true},
                    {"metric", "metric", true},
                    {"origin", "on", true},
                    {"cells", "cells"},
                    {"mean", "mean"},
                    {"least", "least"},
                    {"most", "most"},
                    {"remark", "", true}});
  bool has_marks = false;
  for (const RatioGrid& grid : grids) {
    if (grid.metric == GridMetric::kBandwidth) continue;
    const auto mean = bench::geometric_mean(grid);
    const GridCell* least = nullptr;
    const GridCell* most = nullptr;
    for (const GridCell& cell : grid.cells) {
      if (!cell.counts()) continue;
      if (least == nullptr || *cell.value < *least->value) least = &cell;
      if (most == nullptr || *cell.value > *most->value) most = &cell;
    }
    const auto number = [&](std::optional<double> value, bool is_noisy) -> Measure {
      if (!value) return {.text = "n/a", .mark = Mark::kMissing};
      return {.text = with_noise_mark(value_text(grid.metric, *value), is_noisy), .value = value};
    };
    const auto extreme = [&](const GridCell* cell) {
      if (cell == nullptr) return number(std::nullopt, false);
      has_marks = has_marks || cell->is_noisy;
      return number(cell->value, cell->is_noisy);
    };
    const std::size_t cells = mean ? mean->cells : 0;
    const bool has_line = bench::find_flat_line(grid).has_value();
    const std::string pair = grid.metric == GridMetric::kDeviceSpeedup
                                 ? grid.provider()
                                 : fmt::format("{} / {}", grid.contender, grid.baseline);
    table.table.rows.push_back(
        {{Text{case_text(grid)}, Text{pair}, Text{std::string(key_of(grid))},
          Text{origin_text(grid)},
          Measure{.text = fmt::format("{}", cells), .value = static_cast<double>(cells)},
          number(mean ? std::optional(mean->mean) : std::nullopt, false), extreme(least),
          extreme(most), Text{has_line ? "flat line" : ""}}});
  }
  if (has_marks) add_noise(table, grids);
  return table;
}

Section ratio_rows() {
  Section section;
  section.key = "ratios";
  section.is_csv_only = true;
  for (const char* key : {"version", "device", "case", "baseline", "contender", "metric", "dim0",
                          "dim1", "value", "status", "dtype", "shape", "noisy"}) {
    section.table.columns.push_back({key, key});
  }
  return section;
}

void add_ratio_rows(Section& rows, const RatioGrid& grid) {
  std::string case_id = grid.case_id;
  if (!grid.variant.empty()) case_id += '_' + grid.variant;
  for (const GridCell& cell : grid.cells) {
    rows.table.rows.push_back(
        {{Text{grid.version}, Text{grid.device}, Text{case_id}, Text{grid.baseline},
          Text{grid.contender}, Text{std::string(bench::metric_name(grid.metric))},
          Text{std::to_string(cell.dim0)}, Text{std::to_string(cell.dim1)},
          Measure{.text = "", .value = cell.value}, Text{std::string(status_word(cell))},
          Text{grid.dtype}, Text{bench::shape_text(cell.shape)},
          Text{cell.is_noisy ? "true" : ""}}});
  }
}

}  // namespace strobe::report

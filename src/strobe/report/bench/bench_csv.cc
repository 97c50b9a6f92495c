#include <algorithm>

#include <fmt/format.h>

#include "strobe/report/bench/bench_render.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/render/render_csv.h"

namespace strobe::report {
namespace {

using bench::GridCell;
using bench::RatioGrid;

std::string_view status_word(const GridCell& cell) {
  return cell.ran_same_kernels ? "same_kernels" : bench::status_name(cell.status);
}

// The columns that read_ratio_grids knows, and two of strobe's own runs behind them.
std::string grids_csv(const BenchPage& page) {
  std::string out =
      "version,device,case,baseline,contender,metric,dim0,dim1,value,status,dtype,shape\n";
  for (const BenchTable& table : page.tables) {
    for (const RatioGrid& grid : table.grids) {
      std::string case_id = grid.case_id;
      if (!grid.variant.empty()) case_id += '_' + grid.variant;
      const std::string front = fmt::format(
          "{},{},{},{},{},{}", csv_field(grid.version), csv_field(grid.device), csv_field(case_id),
          csv_field(grid.baseline), csv_field(grid.contender), bench::metric_name(grid.metric));
      for (const GridCell& cell : grid.cells) {
        out += fmt::format("{},{},{},{},{},{},{}\n", front, cell.dim0, cell.dim1,
                           cell.value ? fmt::format("{}", *cell.value) : "", status_word(cell),
                           csv_field(grid.dtype), bench::shape_text(cell.shape));
      }
    }
  }
  return out;
}

std::string list_csv(const BenchTable& table) {
  std::string out = csv_field(table.corner);
  for (const BenchColumn& column : table.columns) out += ',' + csv_field(column.key);
  out += '\n';
  for (const BenchRow& row : table.rows) {
    out += csv_field(row.label);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const BenchCell& cell = row.cells[i];
      const bool is_number = !table.columns[i].is_text;
      out += ',';
      if (cell.value) {
        out += fmt::format("{}", *cell.value);
      } else if (!is_number || cell.text != "-") {
        out += csv_field(cell.word.empty() ? cell.text : cell.word);
      }
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::string bench_csv(const BenchPage& page) {
  const bool has_grids = std::ranges::any_of(
      page.tables, [](const BenchTable& table) { return !table.grids.empty(); });
  std::vector<std::pair<std::string, std::string>> parts;
  if (has_grids) parts.emplace_back("ratios", grids_csv(page));
  for (const BenchTable& table : page.tables) {
    const bool is_summed_up = has_grids && table.key == "overview";
    if (table.grids.empty() && !is_summed_up) parts.emplace_back(table.key, list_csv(table));
  }
  if (parts.size() == 1) return parts.front().second;
  std::string out;
  for (const auto& [key, text] : parts) {
    out += fmt::format("{}# {}\n{}", out.empty() ? "" : "\n", key, text);
  }
  return out;
}

std::string bench_tsv(const BenchPage& page) {
  std::string out;
  for (const BenchTable& table : page.tables) {
    if (page.tables.size() > 1) {
      out += fmt::format("{}{}\n", out.empty() ? "" : "\n", printable(table.title));
    }
    out += printable(table.corner);
    for (const BenchColumn& column : table.columns) out += '\t' + printable(column.header);
    out += '\n';
    for (const BenchRow& row : table.rows) {
      out += printable(row.label);
      for (const BenchCell& cell : row.cells) out += '\t' + printable(marked_text(cell));
      out += '\n';
    }
  }
  return out;
}

}  // namespace strobe::report

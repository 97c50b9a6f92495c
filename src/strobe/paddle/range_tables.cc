#include <vector>

#include "strobe/analysis/tables/table_order.h"
#include "strobe/paddle/cells.h"
#include "strobe/paddle/labels.h"
#include "strobe/paddle/tables.h"
#include "strobe/paddle/text_table.h"

namespace strobe::paddle {
namespace {

using analysis::UserRangeRow;
using Rows = std::vector<std::vector<std::string>>;

Rows range_rows(const TableInput& input, const TimeCells& cells,
                const std::vector<const UserRangeRow*>& ranges) {
  const std::int64_t device_ns = step_totals(input.summary).device.total_ns;
  Rows rows;
  for (const UserRangeRow* range : ranges) {
    rows.push_back({range->name, std::to_string(range->host.calls),
                    cells.times(range->host, input.summary.total_ns),
                    cells.times(range->device, device_ns)});
  }
  return rows;
}

void print_head(std::string& out, const TextTable& table, const TableInput& input,
                std::string_view name) {
  table.title_line(out, name);
  out += "Time unit: " + std::string(TimeCells(input.options.unit).unit_name()) + "\n";
  table.separator(out);
  table.row(
      out, {"Name", "Calls", times_header("CPU"), times_header(input.trace.traits().device_label)});
  table.separator(out);
}

}  // namespace

std::string memory_manipulation_table(const TableInput& input) {
  if (input.summary.memory_ranges.empty()) return "";
  const bool by_device = analysis::sorts_by_device(input.options.sort);
  const TimeCells cells(input.options.unit);
  const auto shown = analysis::shown_rows_unsorted(input.summary.memory_ranges, input.options);
  const Rows rows = range_rows(input, cells, shown.rows);
  const TextTable table({grown_width(0, rows, 0), grown_width(6, rows, 1), grown_width(40, rows, 2),
                         grown_width(40, rows, 3)});
  std::string out;
  print_head(out, table, input, "Memory Manipulation Summary");
  for (const auto& row : rows) table.row(out, row);
  out += left_out_line(shown.cut, by_device, input.options.unit);
  table.separator(out);
  return out;
}

std::string user_defined_table(const TableInput& input) {
  const bool by_device = analysis::sorts_by_device(input.options.sort);
  const TimeCells cells(input.options.unit);
  struct Group {
    std::string title;
    Rows rows;
    std::string left_out;
  };
  std::vector<Group> groups;
  std::vector<std::size_t> widths = {0, 6, 40, 40};
  for (const auto& group : input.summary.user_ranges) {
    if (group.rows.empty()) continue;
    const auto shown = analysis::shown_rows(group.rows, input.options);
    Rows rows = range_rows(input, cells, shown.rows);
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = grown_width(widths[i], rows, i);
    groups.push_back({thread_title(group.thread), std::move(rows),
                      left_out_line(shown.cut, by_device, input.options.unit)});
  }
  if (groups.empty()) return "";

  const TextTable table(widths);
  std::string out;
  print_head(out, table, input, "UserDefined Summary");
  for (const Group& group : groups) {
    table.title_line(out, group.title);
    for (const auto& row : group.rows) table.row(out, row);
    out += group.left_out;
  }
  return out;
}

}  // namespace strobe::paddle

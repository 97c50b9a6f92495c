#include <vector>

#include "strobe/analysis/tables/table_order.h"
#include "strobe/paddle/labels.h"
#include "strobe/paddle/tables.h"
#include "strobe/paddle/text_table.h"

namespace strobe::paddle {
namespace {

using analysis::PhaseTotals;
using analysis::Summary;

constexpr std::string_view kModelNote =
    "Note:\n"
    "GPU time of a phase is the sum of the device work it launched.\n"
    "Work overlapping on several streams is counted once per stream here.\n"
    "\n";

constexpr std::string_view kDistributionNote =
    "Note:\n"
    "Communication is the time in communication ranges and operators on the host and in their "
    "kernels on the device, merged.\n"
    "Computation is the time in all other kernels, merged over streams and devices.\n"
    "Overlap is the time in both at once: communication that computation hides.\n"
    "Example:\n"
    "Communication, host:    |________|\n"
    "Communication, device:           |________|\n"
    "Computation:                |____|\n"
    "Communication:          |_________________|\n"
    "Overlap:                    |____|\n"
    "\n";

}  // namespace

PhaseTotals step_totals(const Summary& summary) {
  if (!summary.phases.empty() && summary.phases.front().kind == SliceKind::kStep) {
    return summary.phases.front();
  }
  return {};
}

std::string model_table(const TableInput& input) {
  const Summary& summary = input.summary;
  if (!summary.has_model) return "";
  const TimeCells cells(input.options.unit);
  const PhaseTotals steps = step_totals(summary);
  const std::int64_t total_ns = summary.total_ns;
  const std::int64_t kernel_ns = steps.kernels.total_ns;

  analysis::TimeStat whole = steps.host;
  if (!summary.has_steps) {
    whole = {};
    whole.add(total_ns);
  }
  std::vector<std::vector<std::string>> rows;
  rows.push_back({total_label(summary), std::to_string(whole.calls), cells.times(whole, total_ns),
                  cells.times(steps.kernels, kernel_ns)});
  std::int64_t other_host_ns = total_ns;
  std::int64_t other_kernel_ns = kernel_ns;
  for (const PhaseTotals& phase : summary.phases) {
    if (phase.kind == SliceKind::kStep) continue;
    rows.push_back({"  " + label_of(phase.kind, input.trace.traits()),
                    std::to_string(phase.host.calls), cells.times(phase.host, total_ns),
                    cells.times(phase.kernels, kernel_ns)});
    other_host_ns -= phase.host.total_ns;
    other_kernel_ns -= phase.kernels.total_ns;
  }
  rows.push_back({"  Others", "-", cells.total_only(other_host_ns, total_ns),
                  cells.total_only(other_kernel_ns, kernel_ns)});

  const TextTable table(
      {15, grown_width(6, rows, 1), grown_width(40, rows, 2), grown_width(40, rows, 3)});
  std::string out;
  table.title_line(out, "Model Summary");
  out += "Time unit: " + std::string(cells.unit_name()) + "\n";
  table.separator(out);
  table.row(
      out, {"Name", "Calls", times_header("CPU"), times_header(input.trace.traits().device_label)});
  table.separator(out);
  for (const auto& row : rows) table.row(out, row);
  table.separator(out);
  out += kModelNote;
  table.rule(out);
  return out;
}

std::string distribution_table(const TableInput& input) {
  const Summary& summary = input.summary;
  if (!summary.has_communication) return "";
  const TextTable table({25, 25, 25});
  const TimeCells cells(input.options.unit);
  std::string out;
  table.title_line(out, "Distribution Summary");
  out += "Time unit: " + std::string(cells.unit_name()) + "\n";
  table.separator(out);
  table.row(out, {"Name", "Total Time", "Ratio (%)"});
  table.separator(out);
  const auto print = [&](const std::string& name, std::int64_t duration_ns) {
    table.row(out, {name, cells.time(duration_ns), ratio(duration_ns, summary.total_ns)});
  };
  print(total_label(summary), summary.total_ns);
  print("  Communication", summary.communication.communication_ns);
  print("  Computation", summary.communication.computation_ns);
  print("  Overlap", summary.communication.overlap_ns);
  table.separator(out);
  out += kDistributionNote;
  table.rule(out);
  return out;
}

namespace {

using analysis::UserRangeRow;

TextRows range_rows(const TableInput& input, const TimeCells& cells,
                    const std::vector<const UserRangeRow*>& ranges) {
  const std::int64_t device_ns = step_totals(input.summary).device.total_ns;
  TextRows rows;
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
  const TextRows rows = range_rows(input, cells, shown.rows);
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
    TextRows rows;
    std::string left_out;
  };
  std::vector<Group> groups;
  std::vector<std::size_t> widths = {0, 6, 40, 40};
  for (const auto& group : input.summary.user_ranges) {
    if (group.rows.empty()) continue;
    const auto shown = analysis::shown_rows(group.rows, input.options);
    TextRows rows = range_rows(input, cells, shown.rows);
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

namespace {

using analysis::MemoryPlace;
using analysis::MemoryRow;

void print_rows(std::string& out, const TextTable& table, const std::vector<MemoryRow>& rows,
                const std::string& type, const analysis::TableOptions& options) {
  const auto shown = analysis::shown_rows_by_increase(rows, options);
  for (const MemoryRow* row : shown.rows) {
    table.row(out, {row->name, type, std::to_string(row->allocations), std::to_string(row->frees),
                    std::to_string(row->allocated_bytes), std::to_string(row->freed_bytes),
                    std::to_string(row->increased_bytes())});
  }
  if (shown.cut.rows > 0) out += "... " + std::to_string(shown.cut.rows) + " more\n";
}

}  // namespace

std::string memory_tables(const TableInput& input) {
  // The third header is one character wider than its column and shifts the header line.
  const TextTable table({50, 12, 15, 15, 15, 15, 15});
  std::string out;
  for (const MemoryPlace& place : input.summary.memory) {
    if (place.allocated.empty()) continue;
    if (!out.empty()) out += "\n\n";
    table.title_line(out, "Memory Summary - " + place.place);
    out += "Peak Allocated Memory: " + std::to_string(place.peak_allocated_bytes) + "\n";
    out += "Peak Reserved Memory: " + std::to_string(place.peak_reserved_bytes) + "\n";
    table.separator(out);
    table.row(out, {"Name", "Type", "Allocation Count", "Free Count", "Allocation Size",
                    "Free Size", "Increased Size"});
    table.separator(out);
    print_rows(out, table, place.allocated, "Allocated", input.options);
    print_rows(out, table, place.reserved, "Reserved", input.options);
  }
  return out;
}

}  // namespace strobe::paddle

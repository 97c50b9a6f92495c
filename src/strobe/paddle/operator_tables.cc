#include <vector>

#include "strobe/analysis/tables/table_order.h"
#include "strobe/paddle/labels.h"
#include "strobe/paddle/tables.h"
#include "strobe/paddle/text_table.h"

namespace strobe::paddle {
namespace {

using analysis::DeviceWorkRow;
using analysis::KernelRow;
using analysis::OperatorPhaseRow;
using analysis::OperatorRow;
using analysis::TimeStat;

constexpr std::size_t kOperatorNameWidth = 52;
constexpr std::size_t kKernelNameWidth = 90;

std::string indented(std::size_t indent, std::string_view name) {
  return std::string(indent, ' ') + shortened(name, kOperatorNameWidth - indent);
}

void add_work_rows(TextRows& rows, const TimeCells& cells, const std::vector<DeviceWorkRow>& work,
                   std::int64_t owner_device_ns, std::size_t indent) {
  for (const DeviceWorkRow& row : work) {
    rows.push_back({indented(indent, row.name), std::to_string(row.device.calls),
                    std::string(kNoTimes), cells.times(row.device, owner_device_ns), "-"});
  }
}

void add_detail_rows(TextRows& rows, const TimeCells& cells, const OperatorRow& item) {
  for (const OperatorPhaseRow& phase : item.phases) {
    rows.push_back({indented(2, phase.name), std::to_string(phase.host.calls),
                    cells.times(phase.host, item.host.total_ns),
                    cells.times(phase.device, item.device.total_ns), "-"});
    add_work_rows(rows, cells, phase.work, phase.device.total_ns, 4);
  }
  add_work_rows(rows, cells, item.work, item.device.total_ns, 2);
}

// Nested operators count in both sums: the percentages add up, the times do not.
TextRows operator_rows(const TimeCells& cells, const std::vector<OperatorRow>& group,
                       const std::vector<const OperatorRow*>& shown, bool with_detail) {
  std::int64_t host_ns = 0;
  std::int64_t device_ns = 0;
  for (const OperatorRow& item : group) {
    host_ns += item.host.total_ns;
    device_ns += item.device.total_ns;
  }
  TextRows rows;
  for (const OperatorRow* item : shown) {
    rows.push_back({item->name, std::to_string(item->host.calls), cells.times(item->host, host_ns),
                    cells.times(item->device, device_ns), std::to_string(item->flops)});
    if (with_detail) add_detail_rows(rows, cells, *item);
  }
  return rows;
}

}  // namespace

std::string operator_table(const TableInput& input) {
  const bool by_device = analysis::sorts_by_device(input.options.sort);
  const TimeCells cells(input.options.unit);
  struct Group {
    std::string title;
    TextRows rows;
    std::string left_out;
  };
  std::vector<Group> groups;
  std::size_t calls_width = 6;
  std::size_t host_width = 40;
  std::size_t device_width = 40;
  for (const auto& group : input.summary.operators) {
    if (group.rows.empty()) continue;
    const auto shown = analysis::shown_rows(group.rows, input.options);
    TextRows rows = operator_rows(cells, group.rows, shown.rows, input.options.operator_detail);
    calls_width = grown_width(calls_width, rows, 1);
    host_width = grown_width(host_width, rows, 2);
    device_width = grown_width(device_width, rows, 3);
    groups.push_back({thread_title(group.thread), std::move(rows),
                      left_out_line(shown.cut, by_device, input.options.unit)});
  }
  if (groups.empty()) return "";

  const TextTable table({kOperatorNameWidth, calls_width, host_width, device_width, 10});
  std::string out;
  table.title_line(out, "Operator Summary");
  out += "Time unit: " + std::string(cells.unit_name()) + "\n";
  table.separator(out);
  table.row(out, {"Name", "Calls", times_header("CPU"),
                  times_header(input.trace.traits().device_label), "FLOPs"});
  table.separator(out);
  for (const Group& group : groups) {
    table.title_line(out, group.title);
    for (const auto& row : group.rows) table.row(out, row);
    out += group.left_out;
  }
  table.separator(out);
  return out;
}

std::string kernel_table(const TableInput& input) {
  const std::vector<KernelRow>& kernels = input.summary.kernels;
  if (kernels.empty()) return "";
  const TimeCells cells(input.options.unit);
  std::int64_t total_ns = 0;
  for (const KernelRow& kernel : kernels) total_ns += kernel.device.total_ns;

  const auto shown = analysis::shown_rows(kernels, input.options);
  TextRows rows;
  for (const KernelRow* kernel : shown.rows) {
    rows.push_back({shortened(without_parameters(kernel->name), kKernelNameWidth),
                    std::to_string(kernel->device.calls), cells.times(kernel->device, total_ns)});
  }
  const TextTable table({kKernelNameWidth, grown_width(6, rows, 1), grown_width(40, rows, 2)});
  std::string out;
  table.title_line(out, "Kernel Summary");
  out += "Time unit: " + std::string(cells.unit_name()) + "\n";
  table.separator(out);
  table.row(out, {"Name", "Calls", times_header(input.trace.traits().device_label)});
  table.separator(out);
  for (const auto& row : rows) table.row(out, row);
  out += left_out_line(shown.cut, true, input.options.unit);
  table.separator(out);
  return out;
}

}  // namespace strobe::paddle

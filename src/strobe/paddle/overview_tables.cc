#include <algorithm>
#include <vector>

#include "strobe/paddle/labels.h"
#include "strobe/paddle/tables.h"
#include "strobe/paddle/text_table.h"

namespace strobe::paddle {
namespace {

using analysis::PhaseTotals;
using analysis::Summary;
using analysis::TypeRow;

constexpr std::string_view kDeviceNote =
    "Note:\n"
    "CPU(Process) Utilization = Current process CPU time over all cpu cores / elapsed time, so max "
    "utilization can be reached 100% * number of cpu cores.\n"
    "CPU(System) Utilization = All processes CPU time over all cpu cores(busy time) / (busy time + "
    "idle time).\n"
    "GPU Utilization = Current process GPU time / elapsed time.\n";

constexpr std::string_view kOverviewNote =
    "Note:\n"
    "In this table, We sum up all collected events in terms of event type.\n"
    "The time of events collected on host are presented as CPU Time, and as GPU Time if on "
    "device.\n"
    "Events with different types may overlap or inclusion, e.g. Operator includes OperatorInner, "
    "so the sum of ratios is not 100%.\n"
    "The time of events in the same type with overlap will not calculate twice, and all time is "
    "summed after merged.\n"
    "Example:\n"
    "Thread 1:\n"
    "  Operator: |___________|     |__________|\n"
    "Thread 2:\n"
    "  Operator:   |____________|     |___|\n"
    "After merged:\n"
    "  Result:   |______________|  |__________|\n"
    "\n";

struct OverviewRow {
  std::string label;
  std::uint64_t calls = 0;
  std::int64_t busy_ns = 0;
};

// Model phases show their plain sums here, as in the model table, and communication the figures of
// the distribution table; everything else its merged time.
std::vector<OverviewRow> host_rows(const TableInput& input) {
  const Summary& summary = input.summary;
  std::vector<OverviewRow> rows;
  if (!summary.has_steps) rows.push_back({total_label(summary), 1, summary.total_ns});
  for (const TypeRow& type : summary.host_types) {
    if (type.kind == SliceKind::kCommunication) continue;
    OverviewRow row{label_of(type, input.trace.traits()), type.calls, type.busy_ns};
    const auto phase =
        std::find_if(summary.phases.begin(), summary.phases.end(), [&](const PhaseTotals& totals) {
          return is_model_phase(type.kind) && totals.kind == type.kind;
        });
    if (phase != summary.phases.end()) {
      row.calls = phase->host.calls;
      row.busy_ns = phase->host.total_ns;
    }
    rows.push_back(std::move(row));
  }
  if (summary.communication.host_calls > 0) {
    rows.push_back({label_of(SliceKind::kCommunication, input.trace.traits()),
                    summary.communication.host_calls, summary.communication.host_ns});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const OverviewRow& a, const OverviewRow& b) {
    return a.busy_ns > b.busy_ns;
  });
  return rows;
}

std::vector<OverviewRow> device_rows(const TableInput& input) {
  const Summary& summary = input.summary;
  std::vector<OverviewRow> rows;
  for (const TypeRow& type : summary.device_types) {
    if (!is_device_work(type.kind)) continue;
    rows.push_back({label_of(type, input.trace.traits()), type.calls, type.busy_ns});
  }
  if (summary.communication.device_calls > 0) {
    rows.push_back({label_of(SliceKind::kCommunication, input.trace.traits()),
                    summary.communication.device_calls, summary.communication.device_ns});
  }
  return rows;
}

}  // namespace

std::string device_table(const TableInput& input) {
  const TextTable table({30, 20});
  const Metadata& metadata = input.trace.metadata();
  std::string out;
  table.title_line(out, "Device Summary");
  table.separator(out);
  table.row(out, {"Device", "Utilization (%)"});
  table.separator(out);
  if (metadata.process_cpu_utilization) {
    table.row(out, {"CPU(Process)", fixed(*metadata.process_cpu_utilization * 100)});
  }
  if (metadata.system_cpu_utilization) {
    table.row(out, {"CPU(System)", fixed(*metadata.system_cpu_utilization * 100)});
  }
  for (const analysis::DeviceRow& device : input.summary.devices) {
    table.row(out, {metadata.traits.device_label + std::to_string(device.device),
                    ratio(device.kernel_busy_ns, input.summary.total_ns)});
  }
  table.separator(out);
  out += kDeviceNote;
  table.rule(out);
  return out;
}

std::string overview_table(const TableInput& input) {
  const TextTable table({25, 25, 25, 25});
  const TimeCells cells(input.options.unit);
  const std::int64_t total_ns = input.summary.total_ns;
  const auto print = [&](std::string& out, const OverviewRow& row, std::string_view indent) {
    table.row(out, {std::string(indent) + row.label, std::to_string(row.calls),
                    cells.time(row.busy_ns), ratio(row.busy_ns, total_ns)});
  };

  std::string out;
  table.title_line(out, "Overview Summary");
  out += "Time unit: " + std::string(cells.unit_name()) + "\n";
  table.separator(out);
  table.row(out, {"Event Type", "Calls", "CPU Time", "Ratio (%)"});
  table.separator(out);
  std::string_view indent;
  for (const OverviewRow& row : host_rows(input)) {
    print(out, row, indent);
    indent = "  ";
  }
  table.separator(out);
  table.row(out, {"", "Calls", input.trace.traits().device_label + " Time", "Ratio (%)"});
  table.separator(out);
  for (const OverviewRow& row : device_rows(input)) print(out, row, "  ");
  table.separator(out);
  out += kOverviewNote;
  table.rule(out);
  return out;
}

}  // namespace strobe::paddle

#include <vector>

#include "strobe/paddle/cells.h"
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

}  // namespace strobe::paddle

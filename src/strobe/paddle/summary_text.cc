#include "strobe/paddle/summary_text.h"

#include "strobe/paddle/tables.h"

namespace strobe::paddle {
namespace {

using analysis::View;

struct Printer {
  View view;
  std::string (*table)(const TableInput&);
};

constexpr Printer kPrinters[] = {
    {View::kPerf, perf_table},
    {View::kDevice, device_table},
    {View::kOverview, overview_table},
    {View::kModel, model_table},
    {View::kDistributed, distribution_table},
    {View::kOperator, operator_table},
    {View::kKernel, kernel_table},
    {View::kMemoryManipulation, memory_manipulation_table},
    {View::kUserRanges, user_defined_table},
    {View::kMemory, memory_tables},
};

}  // namespace

std::string summary_text(const Trace& trace, const analysis::Summary& summary,
                         const analysis::TableOptions& options) {
  const TableInput input{trace, summary, options};
  std::string out;
  for (const Printer& printer : kPrinters) {
    if (!options.views.has(printer.view)) continue;
    const std::string table = printer.table(input);
    if (table.empty()) continue;
    if (!out.empty()) out += "\n\n";
    out += table;
  }
  return out;
}

}  // namespace strobe::paddle

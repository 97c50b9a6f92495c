#pragma once

#include <string>

#include "strobe/analysis/tables/summary.h"
#include "strobe/analysis/tables/table_options.h"
#include "strobe/analysis/tables/table_order.h"
#include "strobe/trace/trace.h"

// One function per table, in printing order. Each returns whole lines, or "" if the summary has no
// data for that table; the caller adds the empty lines between tables.
namespace strobe::paddle {

// What every table is made from.
struct TableInput {
  const Trace& trace;
  const analysis::Summary& summary;
  const analysis::TableOptions& options;
};

std::string perf_table(const TableInput& input);
std::string device_table(const TableInput& input);
std::string overview_table(const TableInput& input);
std::string model_table(const TableInput& input);
std::string distribution_table(const TableInput& input);
std::string operator_table(const TableInput& input);
std::string kernel_table(const TableInput& input);
std::string memory_manipulation_table(const TableInput& input);
std::string user_defined_table(const TableInput& input);
std::string memory_tables(const TableInput& input);  // one per place

// The totals of all steps; zeros if the trace has none.
analysis::PhaseTotals step_totals(const analysis::Summary& summary);

}  // namespace strobe::paddle

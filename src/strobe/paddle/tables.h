#pragma once

#include <string>

#include "strobe/analysis/tables/summary.h"
#include "strobe/analysis/tables/table_options.h"
#include "strobe/analysis/tables/table_order.h"
#include "strobe/trace/trace.h"

// One function per table, in printing order. Each returns whole lines, or "" when the summary has
// nothing for that table; the empty lines between tables are the caller's.
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

// "... 41 more, 3.20 ms", where the user asked for fewer rows than there are; "" otherwise.
std::string left_out_line(const analysis::LeftOut& cut, bool by_device, analysis::TimeUnit unit);

// The totals of all steps; zeros where the trace has none.
analysis::PhaseTotals step_totals(const analysis::Summary& summary);

}  // namespace strobe::paddle

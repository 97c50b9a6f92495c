#pragma once

#include <string>

#include "strobe/analysis/tables/summary.h"
#include "strobe/analysis/tables/table_options.h"
#include "strobe/trace/trace.h"

namespace strobe::paddle {

// The tables of Paddle's own profiler, character for character, for tools and readers that know
// them. Two empty lines between tables, none after the last one.
std::string summary_text(const Trace& trace, const analysis::Summary& summary,
                         const analysis::TableOptions& options);

}  // namespace strobe::paddle

#pragma once

#include <vector>

#include "strobe/analysis/launches/attributed_trace.h"
#include "strobe/analysis/tables/summary.h"

namespace strobe::analysis {

// Ranges of the framework's native code and of the user's script that move or set memory, as far as
// their names say so.
std::vector<UserRangeRow> list_memory_ranges(const AttributedTrace& input);

// All other ranges of the user's script.
std::vector<ThreadGroup<UserRangeRow>> list_user_ranges(const AttributedTrace& input,
                                                        bool separate_threads);

}  // namespace strobe::analysis

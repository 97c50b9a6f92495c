#pragma once

#include <vector>

#include "strobe/analysis/launches/attributed_trace.h"
#include "strobe/analysis/tables/summary.h"

namespace strobe::analysis {

// Every kernel by its full name, orphans and what a thread launched outside all ranges included.
std::vector<KernelRow> list_kernels(const AttributedTrace& input);

}  // namespace strobe::analysis

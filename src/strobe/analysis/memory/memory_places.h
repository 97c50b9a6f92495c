#pragma once

#include <vector>

#include "strobe/analysis/launches/attributed_trace.h"
#include "strobe/analysis/tables/summary.h"

namespace strobe::analysis {

// Allocator events by place and by the host range that caused them. An operator also answers for
// its direct children; phases have no rows of their own, other children count under both names.
// Where operators below operators are phases, the outermost one answers for every depth, once.
std::vector<MemoryPlace> list_memory_places(const AttributedTrace& input);

}  // namespace strobe::analysis

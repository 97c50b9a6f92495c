#pragma once

#include <string>
#include <vector>

#include "strobe/analysis/cycles.h"
#include "strobe/base/result.h"
#include "strobe/trace/trace.h"

// The ways to find cycles, one file each. An error's `what` says why there are none that way.
namespace strobe::analysis {

Result<CycleList> cycles_by_marker(const Trace& trace, const std::string& pattern);
Result<CycleList> cycles_by_steps(const Trace& trace);

// Parts cycles into short and long ones where their durations come in two sizes.
void tell_types_apart(std::vector<Cycle>& cycles);

// "ProfilerStep#N" of "ProfilerStep#7": what the names of one loop's turns share.
std::string without_number(std::string_view name);

}  // namespace strobe::analysis

#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/compare/measure/time_parts.h"

namespace strobe::compare {

// Device work, counted in the cycle in which the host launched it. It may run much later: if the
// host does not wait for the device, the time of a cycle says little about its work.

// Of one function. Empty if the launches of its work are not known.
struct LaunchedFunction {
  std::vector<std::uint32_t> calls;   // per cycle
  std::vector<std::int64_t> time_ns;  // per cycle, whole durations
};

// Of one device.
struct LaunchedWork {
  std::vector<std::int64_t> busy_ns;  // per cycle, union; empty if launches are not known
  std::int64_t overhang_ns = 0;       // from the end of the last cycle to the last end of this work
};

struct LaunchedWorks {
  std::vector<LaunchedFunction> functions;  // as the index has them
  std::vector<LaunchedWork> devices;        // as the index has them
};

LaunchedWorks add_up_launched_work(const analysis::AttributedTrace& input,
                                   const FunctionIndex& index, const TimeParts& cycles);

}  // namespace strobe::compare

#pragma once

#include <cstdint>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/compare/measure/measure.h"
#include "strobe/compare/measure/time_parts.h"

namespace strobe::compare {

// The work of a device; for the host, its operators and runtime calls.
struct DeviceWork {
  IntervalSet busy;
  std::vector<std::uint64_t> slices;  // per cycle, those that begin in it
};

struct FunctionTimes {
  std::vector<FunctionCycles> functions;  // as the index has them
  std::vector<DeviceWork> devices;
};

// When each cycle is, and when the host is in it: it may be ahead of its devices.
struct CycleTimes {
  const TimeParts& cycles;
  const TimeParts& host_marks;
};

// Slices are clipped to the cycles they reach into. Calls count where they begin, those of the host
// between its own marks.
FunctionTimes add_up_functions(const Trace& trace, const FunctionIndex& index,
                               const CycleTimes& times);

}  // namespace strobe::compare

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

// When each cycle is: a host that runs ahead is in another cycle than its devices.
struct CycleTimes {
  const TimeParts& of_devices;
  const TimeParts& of_host;
};

// Slices are clipped to the cycles they reach into; calls count where they begin.
FunctionTimes add_up_functions(const Trace& trace, const FunctionIndex& index,
                               const CycleTimes& cycles);

}  // namespace strobe::compare

#pragma once

#include <cstdint>

#include "strobe/analysis/tables/summary.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

inline constexpr std::int64_t kStallNs = 1'000'000;  // no launch takes that long to prepare

// Places of the host, rows of the waits, where it stood still for kStallNs or more at once while
// the device was idle. Not a call that synchronises, and neither data loading nor the profiler.
struct StalledPlaces {
  std::uint64_t places = 0;
  std::int64_t inside_ns = 0;   // idle time there, in steps, or the trace without them
  std::int64_t largest_ns = 0;  // of one place
  // Of them, operators and calls whose median is below 0.1 ms: nothing in them takes so long.
  std::uint64_t short_places = 0;
  std::int64_t short_inside_ns = 0;
};

StalledPlaces find_stalled_places(const Trace& trace, const Summary& summary);

}  // namespace strobe::analysis

#pragma once

#include <cstdint>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/trace/trace.h"

// When the devices of a trace work, and the gaps in between.
namespace strobe::analysis {

struct DeviceGap {
  Interval interval;
  std::int64_t inside_ns = 0;  // of it, in steps, or the whole gap without them
  SliceId next_work;           // what ends it; one with a known launch if there are several
};

// The gaps of at least 1 ms.
struct LongGaps {
  std::uint64_t gaps = 0;
  std::int64_t inside_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t in_first_step_ns = 0;
};

// How much the devices work at the same time.
struct DeviceTurns {
  std::uint64_t devices = 0;    // with at least a fifth of the time below
  std::int64_t any_ns = 0;      // at least one works; inside steps
  std::int64_t several_ns = 0;  // more than one
};

struct DeviceTime {
  IntervalSet busy;             // at least one device works
  std::vector<DeviceGap> gaps;  // by time; the time after the last work is no gap
  LongGaps long_gaps;
  DeviceTurns turns;
};

// `works`: slices of device work; `whole`: the steps, or the trace; `first_step` may be empty.
DeviceTime measure_device_time(const Trace& trace, std::vector<SliceId> works, Interval extent,
                               const IntervalSet& whole, Interval first_step);

}  // namespace strobe::analysis

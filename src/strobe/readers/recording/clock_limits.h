#pragma once

#include <cstdint>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/readers/trace_sink.h"

namespace strobe::readers {

// The metric whose bits say why a device runs below its highest clock, as NVML numbers them.
inline constexpr const char* kClockLimitMetric = "gpu_throttle_reasons";

struct ClockLimitSample {
  std::int64_t time_ns = 0;
  std::uint64_t reasons = 0;
};

// A time in which the same limits held.
struct ClockLimit {
  Interval interval;
  std::uint64_t reasons = 0;
  bool operator==(const ClockLimit&) const = default;
};

// A sample's limits hold until the next sample. Times without a limit are left out; a device
// without work needs no clock, so that is not one.
std::vector<ClockLimit> find_clock_limits(std::vector<ClockLimitSample> samples);

// Puts them on a track of the device, named by device::clock_limits_text.
void add_clock_limits(std::int32_t device, std::vector<ClockLimitSample> samples, TraceSink& sink);

}  // namespace strobe::readers

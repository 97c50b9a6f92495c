#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "strobe/compare/comparison.h"
#include "strobe/device/metric_info.h"

// Recorded runs with one cycle that went wild: something hiccuped once, and is no change.
namespace strobe::compare {

inline constexpr int kWildFactor = 20;

enum class WildPart {
  kMetric,
  kFunctionTime,
  kCalls,
  kIdle,     // time of the devices, by one cause
  kLaunches  // of a device: how long work waits, and how long it takes
};

template <class Number>
void multiply_cycle(std::vector<Number>& values, std::size_t cycle) {
  if (cycle < values.size()) values[cycle] *= kWildFactor;
}

// How many parts of this kind a rank has.
inline std::size_t count_of(const RankMeasure& rank, WildPart part) {
  switch (part) {
    case WildPart::kMetric:
      return rank.series.size();
    case WildPart::kFunctionTime:
    case WildPart::kCalls:
      return rank.functions.size();
    case WildPart::kIdle:
      return rank.idle.size();
    case WildPart::kLaunches:
      return rank.launches.size();
  }
  return 0;
}

// Returns what is wild now, for messages.
inline std::string spoil_cycle(RankMeasure& rank, WildPart part, std::size_t which,
                               std::size_t cycle) {
  switch (part) {
    case WildPart::kMetric: {
      SeriesCycles& series = rank.series[which];
      const bool is_size = series.info.role != device::MetricRole::kThrottleReasons;  // bits
      if (is_size) multiply_cycle(series.mean, cycle);
      if (is_size) multiply_cycle(series.busy_mean, cycle);
      return series.device + " " + series.metric;
    }
    case WildPart::kFunctionTime: {
      FunctionCycles& function = rank.functions[which];
      multiply_cycle(function.time_ns, cycle);
      multiply_cycle(function.covered_ns, cycle);
      multiply_cycle(function.launched_ns, cycle);
      return "time of " + function.key.name;
    }
    case WildPart::kCalls: {
      FunctionCycles& function = rank.functions[which];
      multiply_cycle(function.calls, cycle);
      multiply_cycle(function.launched_calls, cycle);
      multiply_cycle(function.copied_bytes, cycle);
      return "calls of " + function.key.name;
    }
    case WildPart::kIdle:
      multiply_cycle(rank.idle[which].idle_ns, cycle);
      return "idle time in " + rank.idle[which].cause.name;
    case WildPart::kLaunches: {
      LaunchCycles& launches = rank.launches[which];
      multiply_cycle(launches.median_delay_ns, cycle);
      multiply_cycle(launches.mean_queue, cycle);
      for (DeviceCycles& device : rank.devices) {
        if (device.device == launches.device) multiply_cycle(device.launched_ns, cycle);
      }
      return "launches of " + launches.device;
    }
  }
  return "";
}

// The cycle itself takes longer, and all later ones begin later.
inline void lengthen_cycle(RankMeasure& rank, std::size_t which) {
  std::vector<analysis::Cycle>& cycles = rank.cycles.cycles;
  const std::int64_t added_ns = (kWildFactor - 1) * cycles[which].interval.length_ns();
  cycles[which].interval.end_ns += added_ns;
  for (std::size_t later = which + 1; later < cycles.size(); ++later) {
    cycles[later].interval.start_ns += added_ns;
    cycles[later].interval.end_ns += added_ns;
  }
}

}  // namespace strobe::compare

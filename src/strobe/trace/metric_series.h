#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strobe {

// The device of metrics and functions of the host.
inline constexpr const char* kHostDevice = "Host";

// One resource metric of one device over time, recorded by a sampler during the run.
struct MetricSeries {
  std::string device;                  // "GPU 7", kHostDevice
  std::string metric;                  // the sampler's name: "gpu_sm_frequency"
  std::vector<std::int64_t> times_ns;  // ascending, no two equal; on the sampler's own clock
  std::vector<double> values;          // finite
};

}  // namespace strobe

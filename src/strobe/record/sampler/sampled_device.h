#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/device/nvml_api.h"
#include "strobe/record/sampler/sample_log.h"

namespace strobe::record {

// A device whose metrics are sampled.
struct SampledDevice {
  device::NvmlDevice handle = nullptr;
  unsigned index = 0;  // as NVML counts them, by their places on the bus
  std::uint64_t memory_bytes = 0;
  bool is_lost = false;
};

inline SeriesName device_series(unsigned index, std::string_view metric, int scale = 0,
                                std::string key = {}) {
  return {.of = wire::SeriesOf::kDevice,
          .number = index,
          .thread = 0,
          .metric = std::string(metric),
          .key = std::move(key),
          .scale = scale};
}

// Time on a core that this thread has taken so far.
using CpuClock = std::int64_t (*)();

// Part of a whole in hundredths of a percent.
constexpr std::int64_t hundredths_of_percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return 0;
  return static_cast<std::int64_t>(static_cast<double>(part) / static_cast<double>(whole) * 1e4 +
                                   0.5);
}

}  // namespace strobe::record

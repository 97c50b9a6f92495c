#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/tensorboard/events.h"
#include "strobe/tensorboard/steps.h"

namespace strobe::tensorboard {

// A device as the views describe it; facts that the trace lacks are missing.
struct DeviceInfo {
  std::optional<std::string> name;
  std::optional<std::string> memory;  // "31.74 GB"
  std::optional<Number> memory_raw;   // bytes, or MiB if the trace has those
  std::optional<double> memory_bytes;
  std::optional<std::string> compute_capability;
};

DeviceKind device_kind(const std::optional<std::vector<DeviceProperties>>& properties,
                       KindRule rule);

DeviceInfo describe_device(const DeviceProperties& properties, const VariantRules& rules);

struct ValueRange {
  Range range;
  Number value;
};

struct DeviceMetrics {
  std::int64_t device = 0;
  Number utilization;                              // 0 to 1
  std::optional<Number> sm_efficiency;             // 0 to 1
  std::optional<Number> occupancy_percent;         // 0 to 100
  std::optional<Number> tensor_core_ratio;         // of the kernels that operators launched
  std::vector<std::pair<Number, Number>> buckets;  // start, utilization; the last is (end, 0)
  std::vector<ValueRange> sm_ranges;
};

struct DeviceReport {
  std::vector<DeviceMetrics> devices;  // ascending; those of Kernel events
  bool has_blocks_per_sm = false;
  bool has_occupancy = false;
};

DeviceReport measure_devices(const Events& events, const Steps& steps);

}  // namespace strobe::tensorboard

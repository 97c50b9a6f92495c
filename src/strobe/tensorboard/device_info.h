#pragma once

#include <optional>
#include <string>

#include "strobe/tensorboard/events.h"

namespace strobe::tensorboard {

// A device as the views describe it; what the trace does not tell is missing.
struct DeviceInfo {
  std::optional<std::string> name;
  std::optional<std::string> memory;  // "31.74 GB"
  std::optional<Number> memory_raw;   // bytes, or MiB where the trace tells those
  std::optional<double> memory_bytes;
  std::optional<std::string> compute_capability;
};

DeviceKind device_kind(const std::optional<std::vector<DeviceProperties>>& properties,
                       KindRule rule);

DeviceInfo describe_device(const DeviceProperties& properties, const VariantRules& rules);

}  // namespace strobe::tensorboard

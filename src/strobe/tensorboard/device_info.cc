#include "strobe/tensorboard/device_info.h"

namespace strobe::tensorboard {
namespace {

constexpr double kKilo = 1024;
constexpr double kMiB = kKilo * kKilo;

std::string in_gb(double gb) { return to_text(round2(Number::real(gb))) + " GB"; }

}  // namespace

DeviceKind device_kind(const std::optional<std::vector<DeviceProperties>>& properties,
                       KindRule rule) {
  switch (rule) {
    case KindRule::kAlwaysGpu:
      return DeviceKind::kGpu;
    case KindRule::kAlwaysMlu:
      return DeviceKind::kMlu;
    case KindRule::kByName:
      if (!properties || properties->empty()) return DeviceKind::kNone;
      return properties->front().name.value_or("").starts_with("MLU") ? DeviceKind::kMlu
                                                                      : DeviceKind::kGpu;
    case KindRule::kByProperties:
      if (!properties) return DeviceKind::kNone;
      return properties->empty() ? DeviceKind::kMlu : DeviceKind::kGpu;
  }
  return DeviceKind::kNone;
}

DeviceInfo describe_device(const DeviceProperties& properties, const VariantRules& rules) {
  DeviceInfo info;
  info.name = properties.name;
  if (rules.reads_global_memory && properties.total_global_memory) {
    info.memory_raw = properties.total_global_memory;
    info.memory_bytes = info.memory_raw->value;
    info.memory = in_gb(*info.memory_bytes / kMiB / kKilo);
  } else if (rules.reads_mib && properties.total_memory_mib) {
    info.memory_raw = properties.total_memory_mib;
    info.memory_bytes = info.memory_raw->value * kMiB;
    info.memory = in_gb(info.memory_raw->value / kKilo);
  }
  if (properties.compute_major && properties.compute_minor) {
    info.compute_capability =
        to_text(*properties.compute_major) + "." + to_text(*properties.compute_minor);
  }
  return info;
}

}  // namespace strobe::tensorboard

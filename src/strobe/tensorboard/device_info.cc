#include "strobe/tensorboard/device_info.h"

namespace strobe::tensorboard {
namespace {

std::string in_gb(double gb) { return to_text(round2(Number::real(gb))) + " GB"; }

}  // namespace

DeviceInfo describe_device(const DeviceProperties& properties, const VariantRules& rules) {
  constexpr double kKilo = 1024;
  DeviceInfo info;
  info.name = properties.name;
  if (rules.reads_global_memory && properties.total_global_memory) {
    info.memory_raw = properties.total_global_memory;
    info.memory = in_gb(info.memory_raw->value / kKilo / kKilo / kKilo);
  } else if (rules.reads_mib && properties.total_memory_mib) {
    info.memory_raw = properties.total_memory_mib;
    info.memory = in_gb(info.memory_raw->value / kKilo);
  }
  if (properties.compute_major && properties.compute_minor) {
    info.compute_capability =
        to_text(*properties.compute_major) + "." + to_text(*properties.compute_minor);
  }
  return info;
}

}  // namespace strobe::tensorboard

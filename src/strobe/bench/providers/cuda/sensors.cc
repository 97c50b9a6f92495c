#include "strobe/bench/providers/cuda/sensors.h"

#include <array>

#include "strobe/device/metric_info.h"

namespace strobe::bench {

Sensors::Sensors(const NvmlApi& nvml, const std::string& pci_id) {
  if (nvml.init == nullptr || nvml.init() != device::kNvmlSuccess) return;
  nvml_ = nvml;
  NvmlDevice found = nullptr;
  if (nvml.device_by_pci_id != nullptr && nvml.device_by_pci_id(pci_id.c_str(), &found) == 0) {
    device_ = found;
  }
}

Clocks Sensors::read() const {
  Clocks clocks;
  if (device_ == nullptr) return clocks;
  unsigned value = 0;
  if (nvml_.clock_mhz != nullptr && nvml_.clock_mhz(device_, device::kNvmlSmClock, &value) == 0) {
    clocks.sm_mhz = value;
  }
  if (nvml_.clock_mhz != nullptr &&
      nvml_.clock_mhz(device_, device::kNvmlMemoryClock, &value) == 0) {
    clocks.memory_mhz = value;
  }
  if (nvml_.power_mw != nullptr && nvml_.power_mw(device_, &value) == 0) {
    clocks.power_w = value / 1000.0;
  }
  if (nvml_.temperature_c != nullptr &&
      nvml_.temperature_c(device_, device::kNvmlGpuSensor, &value) == 0) {
    clocks.temperature_c = value;
  }
  unsigned long long reasons = 0;
  if (nvml_.clock_reasons != nullptr && nvml_.clock_reasons(device_, &reasons) == 0) {
    clocks.reasons = device::clock_reason_names(reasons & ~device::kIdleReason);
  }
  return clocks;
}

std::string Sensors::driver_version() const {
  std::array<char, 96> text = {};
  if (nvml_.driver_version == nullptr ||
      nvml_.driver_version(text.data(), static_cast<unsigned>(text.size() - 1)) != 0) {
    return "";
  }
  return text.data();
}

}  // namespace strobe::bench

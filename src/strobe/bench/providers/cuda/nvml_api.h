#pragma once

#include <string>
#include <vector>

#include "strobe/bench/results/cell_record.h"

// The driver's sensors, if available; without them cells have no clocks, and nothing else changes.
namespace strobe::bench {

using NvmlDevice = struct NvmlDeviceTag*;

struct NvmlApi {
  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*device_by_pci_id)(const char*, NvmlDevice*) = nullptr;
  int (*clock_mhz)(NvmlDevice, int which, unsigned*) = nullptr;
  int (*power_mw)(NvmlDevice, unsigned*) = nullptr;
  int (*temperature_c)(NvmlDevice, int sensor, unsigned*) = nullptr;
  int (*clock_reasons)(NvmlDevice, unsigned long long*) = nullptr;

  explicit operator bool() const { return init != nullptr; }
};

// Calls that are not found stay null; all of them if there is no library.
NvmlApi open_nvml(const std::string& library = "libnvidia-ml.so.1");

// Why the driver keeps a clock below the requested one, in words; idling does not count.
std::vector<std::string> clock_reason_names(unsigned long long reasons);

// The sensors of one device.
class Sensors {
 public:
  Sensors() = default;
  Sensors(const NvmlApi& nvml, const std::string& pci_id);

  Clocks read() const;
  std::string driver_version() const;  // "580.95.05", "" where it is not known

 private:
  NvmlApi nvml_;
  NvmlDevice device_ = nullptr;
};

}  // namespace strobe::bench

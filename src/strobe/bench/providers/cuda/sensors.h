#pragma once

#include <string>

#include "strobe/bench/results/cell_record.h"
#include "strobe/device/nvml_api.h"

// The driver's sensors, if available; without them cells have no clocks, and nothing else changes.
namespace strobe::bench {

using device::NvmlApi;
using device::NvmlDevice;
using device::open_nvml;

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

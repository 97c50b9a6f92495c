#include "strobe/bench/providers/cuda/nvml_api.h"

#include <array>

#include "strobe/device/vendor_library.h"

namespace strobe::bench {
namespace {

constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kGpuSensor = 0;

struct Reason {
  unsigned long long bit;
  const char* name;
};
constexpr std::array<Reason, 8> kReasons = {{
    {0x002, "application clocks"},
    {0x004, "power cap"},
    {0x008, "hardware slowdown"},
    {0x010, "sync boost"},
    {0x020, "thermal slowdown"},
    {0x040, "hardware thermal slowdown"},
    {0x080, "hardware power brake"},
    {0x100, "display clocks"},
}};

}  // namespace

NvmlApi open_nvml(const std::string& library) {
  NvmlApi api;
  const auto opened = device::OpenLibrary::at(library);
  if (!opened) return api;
  opened->want(api.init, "nvmlInit_v2");
  opened->want(api.driver_version, "nvmlSystemGetDriverVersion");
  opened->want(api.device_by_pci_id, "nvmlDeviceGetHandleByPciBusId_v2");
  opened->want(api.clock_mhz, "nvmlDeviceGetClockInfo");
  opened->want(api.power_mw, "nvmlDeviceGetPowerUsage");
  opened->want(api.temperature_c, "nvmlDeviceGetTemperature");
  opened->want(api.clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  // Its name before 2023.
  if (api.clock_reasons == nullptr) {
    opened->want(api.clock_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  return api;
}

std::vector<std::string> clock_reason_names(unsigned long long reasons) {
  std::vector<std::string> names;
  for (const Reason& reason : kReasons) {
    if ((reasons & reason.bit) != 0) names.emplace_back(reason.name);
  }
  return names;
}

Sensors::Sensors(const NvmlApi& nvml, const std::string& pci_id) {
  if (nvml.init == nullptr || nvml.init() != 0) return;
  nvml_ = nvml;
  NvmlDevice device = nullptr;
  if (nvml.device_by_pci_id != nullptr && nvml.device_by_pci_id(pci_id.c_str(), &device) == 0) {
    device_ = device;
  }
}

Clocks Sensors::read() const {
  Clocks clocks;
  if (device_ == nullptr) return clocks;
  unsigned value = 0;
  if (nvml_.clock_mhz != nullptr && nvml_.clock_mhz(device_, kSmClock, &value) == 0) {
    clocks.sm_mhz = value;
  }
  if (nvml_.clock_mhz != nullptr && nvml_.clock_mhz(device_, kMemoryClock, &value) == 0) {
    clocks.memory_mhz = value;
  }
  if (nvml_.power_mw != nullptr && nvml_.power_mw(device_, &value) == 0) {
    clocks.power_w = value / 1000.0;
  }
  if (nvml_.temperature_c != nullptr && nvml_.temperature_c(device_, kGpuSensor, &value) == 0) {
    clocks.temperature_c = value;
  }
  unsigned long long reasons = 0;
  if (nvml_.clock_reasons != nullptr && nvml_.clock_reasons(device_, &reasons) == 0) {
    clocks.reasons = clock_reason_names(reasons);
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

#include "strobe/device/nvml_api.h"

#include <initializer_list>

#include "strobe/device/vendor_library.h"

namespace strobe::device {
namespace {

// The best of several names of one call. Only versions that take the same arguments are listed.
template <class Function>
void want_any(const OpenLibrary& library, Function*& call,
              std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (call == nullptr) library.want(call, name);
  }
}

void open_devices(const OpenLibrary& library, NvmlApi& api) {
  library.want(api.device_count, "nvmlDeviceGetCount_v2");
  library.want(api.device_by_index, "nvmlDeviceGetHandleByIndex_v2");
  library.want(api.device_by_pci_id, "nvmlDeviceGetHandleByPciBusId_v2");
  library.want(api.device_name, "nvmlDeviceGetName");
  library.want(api.device_uuid, "nvmlDeviceGetUUID");
}

void open_sensors(const OpenLibrary& library, NvmlApi& api) {
  library.want(api.clock_mhz, "nvmlDeviceGetClockInfo");
  want_any(library, api.clock_reasons,
           {"nvmlDeviceGetCurrentClocksEventReasons",
            "nvmlDeviceGetCurrentClocksThrottleReasons"});  // before 2023
  library.want(api.power_mw, "nvmlDeviceGetPowerUsage");
  library.want(api.power_limit_mw, "nvmlDeviceGetEnforcedPowerLimit");
  library.want(api.temperature_c, "nvmlDeviceGetTemperature");
  library.want(api.utilization, "nvmlDeviceGetUtilizationRates");
  library.want(api.memory, "nvmlDeviceGetMemoryInfo");
  library.want(api.memory_v2, "nvmlDeviceGetMemoryInfo_v2");
  library.want(api.field_values, "nvmlDeviceGetFieldValues");
  library.want(api.pcie_kilobytes_per_second, "nvmlDeviceGetPcieThroughput");
}

// Version 2 first: drivers 535.43 to 535.86 gave version 3 a larger structure.
void open_processes(const OpenLibrary& library, NvmlApi& api) {
  want_any(library, api.compute_processes,
           {"nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses_v3"});
  want_any(
      library, api.graphics_processes,
      {"nvmlDeviceGetGraphicsRunningProcesses_v2", "nvmlDeviceGetGraphicsRunningProcesses_v3"});
  want_any(
      library, api.mps_processes,
      {"nvmlDeviceGetMPSComputeRunningProcesses_v2", "nvmlDeviceGetMPSComputeRunningProcesses_v3"});
  library.want(api.process_utilization, "nvmlDeviceGetProcessUtilization");
}

void open_events(const OpenLibrary& library, NvmlApi& api) {
  library.want(api.create_event_set, "nvmlEventSetCreate");
  library.want(api.free_event_set, "nvmlEventSetFree");
  library.want(api.supported_events, "nvmlDeviceGetSupportedEventTypes");
  library.want(api.register_events, "nvmlDeviceRegisterEvents");
  library.want(api.wait_for_event, "nvmlEventSetWait_v2");
}

}  // namespace

NvmlAnswer answer_of(int result) {
  switch (result) {
    case kNvmlSuccess:
      return NvmlAnswer::kGiven;
    case kNvmlInvalidArgument:
    case kNvmlNotSupported:
    case kNvmlNoPermission:
    case kNvmlFunctionNotFound:
    case kNvmlEccNotSupported:
    case kNvmlArgumentVersionMismatch:
    case kNvmlDeprecated:
      return NvmlAnswer::kNever;
    case kNvmlGpuIsLost:
    case kNvmlResetRequired:
      return NvmlAnswer::kLost;
    default:
      return NvmlAnswer::kNotNow;
  }
}

long long NvmlFieldValue::whole_number() const {
  switch (type) {
    case NvmlValueType::kDouble:
      return static_cast<long long>(value.real);
    case NvmlValueType::kUnsignedInt:
      return value.unsigned_int;
    case NvmlValueType::kUnsignedLong:
      return static_cast<long long>(value.unsigned_long);
    case NvmlValueType::kSignedLongLong:
      return value.signed_long_long;
    case NvmlValueType::kSignedInt:
      return value.signed_int;
    case NvmlValueType::kUnsignedShort:
      return value.unsigned_short;
    case NvmlValueType::kUnsignedLongLong:
      break;
  }
  return static_cast<long long>(value.unsigned_long_long);
}

NvmlApi open_nvml(const std::string& library) {
  NvmlApi api;
  const auto opened = OpenLibrary::at(library);
  if (!opened) return api;
  opened->want(api.init, "nvmlInit_v2");
  opened->want(api.shutdown, "nvmlShutdown");
  opened->want(api.error_text, "nvmlErrorString");
  opened->want(api.driver_version, "nvmlSystemGetDriverVersion");
  want_any(*opened, api.cuda_version,
           {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"});
  open_devices(*opened, api);
  open_sensors(*opened, api);
  open_processes(*opened, api);
  open_events(*opened, api);
  return api;
}

}  // namespace strobe::device

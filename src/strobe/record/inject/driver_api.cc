#include "strobe/record/inject/driver_api.h"

#include <dlfcn.h>

#include <cstdint>

namespace strobe::record {
namespace {

template <class Call>
void find_call(void* handle, const char* name, Call& call) noexcept {
  call = reinterpret_cast<Call>(dlsym(handle, name));
}

}  // namespace

DriverApi load_driver() noexcept {
  DriverApi driver;
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return driver;
  find_call(handle, "cuStreamIsCapturing", driver.stream_is_capturing);
  find_call(handle, "cuDriverGetVersion", driver.driver_version);
  find_call(handle, "cuDeviceGet", driver.device_get);
  find_call(handle, "cuDeviceGetName", driver.device_name);
  find_call(handle, "cuDeviceGetAttribute", driver.device_attribute);
  find_call(handle, "cuDeviceTotalMem_v2", driver.device_bytes);
  find_call(handle, "cuFuncGetAttribute", driver.function_attribute);
  find_call(handle, "cuKernelGetAttribute", driver.kernel_attribute);
  return driver;
}

// A launch may name a function or, in its place, a kernel of no context: the runtime does the
// latter, and the driver tells them apart.
std::uint32_t function_fact(const DriverApi& driver, CUfunction_attribute which,
                            CUfunction function, std::uint32_t device) noexcept {
  if (driver.function_attribute == nullptr || function == nullptr) return wire::kUnknown;
  int value = 0;
  CUresult result = driver.function_attribute(&value, which, function);
  if (result == CUDA_ERROR_INVALID_HANDLE && driver.kernel_attribute != nullptr) {
    CUdevice handle = 0;
    if (driver.device_get == nullptr ||
        driver.device_get(&handle, static_cast<int>(device)) != CUDA_SUCCESS) {
      return wire::kUnknown;
    }
    result = driver.kernel_attribute(&value, which, reinterpret_cast<CUkernel>(function), handle);
  }
  return result == CUDA_SUCCESS && value >= 0 ? static_cast<std::uint32_t>(value) : wire::kUnknown;
}

wire::DeviceRecord describe_device(const DriverApi& driver, int index) noexcept {
  wire::DeviceRecord record = {};
  record.index = static_cast<std::uint32_t>(index);
  CUdevice device = 0;
  if (driver.device_get == nullptr || driver.device_get(&device, index) != CUDA_SUCCESS) {
    return record;
  }
  if (driver.device_name != nullptr)
    driver.device_name(record.name, sizeof record.name - 1, device);
  const auto attribute = [&](CUdevice_attribute which) -> std::uint32_t {
    int value = 0;
    if (driver.device_attribute == nullptr ||
        driver.device_attribute(&value, which, device) != CUDA_SUCCESS || value < 0) {
      return 0;
    }
    return static_cast<std::uint32_t>(value);
  };
  record.sm_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  record.capability_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  record.capability_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  // The driver speaks of kHz.
  record.most_clock_hz = std::uint64_t{1000} * attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  record.memory_clock_hz = std::uint64_t{1000} * attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  record.memory_bus_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  record.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  std::size_t bytes = 0;
  if (driver.device_bytes != nullptr && driver.device_bytes(&bytes, device) == CUDA_SUCCESS) {
    record.memory_bytes = bytes;
  }
  return record;
}

}  // namespace strobe::record

#include "strobe/record/inject/cuda_api.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace strobe::record {
namespace {

#if defined(__aarch64__)
constexpr std::string_view kTargetFolder = "targets/sbsa-linux";
#else
constexpr std::string_view kTargetFolder = "targets/x86_64-linux";
#endif

int note_loaded_cupti(dl_phdr_info* info, std::size_t, void* found) {
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (!file.starts_with("libcupti")) return 0;
  *static_cast<std::string*>(found) = path;
  return 1;
}

std::vector<std::string> places(const std::string& preferred) {
  std::vector<std::string> paths;
  if (!preferred.empty()) paths.push_back(preferred);
  std::vector<std::string> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr && *folder != 0) toolkits.emplace_back(folder);
  }
  toolkits.emplace_back("/usr/local/cuda");
  for (const std::string& toolkit : toolkits) {
    for (const std::string_view below : {std::string_view("extras/CUPTI/lib64"),
                                         std::string_view("lib64"), std::string_view("lib")}) {
      paths.push_back(toolkit + "/" + std::string(below) + "/libcupti.so");
    }
    paths.push_back(toolkit + "/" + std::string(kTargetFolder) + "/lib/libcupti.so");
  }
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
    paths.emplace_back(name);
  }
  return paths;
}

}  // namespace

void* open_cupti(const std::string& preferred, std::string& path, std::string& problem) noexcept {
  // Two copies in one process would both try to own the driver's hooks.
  if (dl_iterate_phdr(note_loaded_cupti, &path) == 1) {
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD); handle != nullptr) {
      return handle;
    }
  }
  for (const std::string& place : places(preferred)) {
    const bool is_file = place.find('/') != std::string::npos;
    if (is_file && ::access(place.c_str(), R_OK) != 0) continue;
    if (void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr) {
      path = place;
      return handle;
    }
    const char* error = dlerror();
    if (is_file && error != nullptr) problem += (problem.empty() ? "" : "; ") + std::string(error);
  }
  if (problem.empty()) problem = "no libcupti.so in the toolkit's folders or on the loader's path";
  return nullptr;
}

namespace {

template <class Call>
bool find_call(void* handle, const char* name, Call& call) noexcept {
  call = reinterpret_cast<Call>(dlsym(handle, name));
  return call != nullptr;
}

}  // namespace

CuptiLoad load_cupti(const std::string& preferred, CuptiApi& api, std::string& problem) noexcept {
  void* handle = open_cupti(preferred, api.path, problem);
  if (handle == nullptr) return CuptiLoad::kNotFound;
  problem.clear();
  if (find_call(handle, "cuptiGetVersion", api.cuptiGetVersion)) {
    api.cuptiGetVersion(&api.version);
  }
#define STROBE_FIND_CALL(name) \
  if (!find_call(handle, #name, api.name) && problem.empty()) problem = #name;
  STROBE_CUPTI_HOST_CALLS(STROBE_FIND_CALL)
  STROBE_CUPTI_TARGET_CALLS(STROBE_FIND_CALL)
#undef STROBE_FIND_CALL
#define STROBE_FIND_CALL(name) find_call(handle, #name, api.name);
  STROBE_CUPTI_OPTIONAL_CALLS(STROBE_FIND_CALL)
#undef STROBE_FIND_CALL
  if (problem.empty()) return CuptiLoad::kLoaded;
  problem = api.path + " (version " + std::to_string(api.version) + ") has no " + problem;
  return CuptiLoad::kTooOld;
}

std::string result_text(const CuptiApi& api, CUptiResult result) noexcept {
  const char* text = nullptr;
  if (api.cuptiGetResultString != nullptr) api.cuptiGetResultString(result, &text);
  return text == nullptr ? "result " + std::to_string(static_cast<int>(result)) : text;
}

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
  find_call(handle, "cuDeviceGetUuid_v2", driver.device_uuid);
  find_call(handle, "cuFuncGetAttribute", driver.function_attribute);
  find_call(handle, "cuKernelGetAttribute", driver.kernel_attribute);
  return driver;
}

std::string device_uuid(const DriverApi& driver, int index) noexcept {
  CUdevice device = 0;
  CUuuid uuid = {};
  if (driver.device_get == nullptr || driver.device_uuid == nullptr ||
      driver.device_get(&device, index) != CUDA_SUCCESS ||
      driver.device_uuid(&uuid, device) != CUDA_SUCCESS) {
    return "";
  }
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<std::uint8_t>(uuid.bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// A launch may pass a function or a context-free kernel in its place, as the runtime does; the
// driver can distinguish them.
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
  // The driver reports kHz.
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

#include <fmt/format.h>

#include "strobe/device/probe.h"

namespace strobe::device {
namespace {

// 12040 -> "12.4": how CUDA numbers its drivers.
std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

// The signatures below are those of the vendors' public headers; 0 is success in all of them.

void ask_cuda_driver(const OpenLibrary& library, Found& found) {
  const auto get_version = library.function<int(int*)>("cuDriverGetVersion");
  int number = 0;
  if (get_version != nullptr && get_version(&number) == 0) found.version = cuda_version(number);
  const auto init = library.function<int(unsigned)>("cuInit");
  const auto get_count = library.function<int(int*)>("cuDeviceGetCount");
  const auto get_device = library.function<int(int*, int)>("cuDeviceGet");
  const auto get_name = library.function<int(char*, int, int)>("cuDeviceGetName");
  if (init == nullptr || get_count == nullptr || get_device == nullptr || get_name == nullptr) {
    return;
  }
  int count = 0;
  if (init(0) != 0 || get_count(&count) != 0 || count == 0) {
    found.detail = "no device";
    return;
  }
  int device = 0;
  char name[256] = {};
  if (get_device(&device, 0) == 0) get_name(name, sizeof name, device);
  found.detail = fmt::format("{} {}: {}", count, count == 1 ? "device" : "devices", name);
}

void ask_nvml(const OpenLibrary& library, Found& found) {
  const auto init = library.function<int()>("nvmlInit_v2");
  const auto shutdown = library.function<int()>("nvmlShutdown");
  const auto get_version = library.function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  if (init == nullptr || shutdown == nullptr || get_version == nullptr) return;
  if (init() != 0) {
    found.detail = "the driver does not answer";
    return;
  }
  char version[96] = {};
  if (get_version(version, sizeof version) == 0) found.version = version;
  shutdown();
}

void ask_cupti(const OpenLibrary& library, Found& found) {
  const auto get_version = library.function<int(std::uint32_t*)>("cuptiGetVersion");
  std::uint32_t number = 0;
  if (get_version != nullptr && get_version(&number) == 0) {
    found.version = fmt::format("API {}", number);
  }
}

void ask_nvrtc(const OpenLibrary& library, Found& found) {
  const auto get_version = library.function<int(int*, int*)>("nvrtcVersion");
  int major = 0;
  int minor = 0;
  if (get_version != nullptr && get_version(&major, &minor) == 0) {
    found.version = fmt::format("{}.{}", major, minor);
  }
}

// 120805 -> "12.8.5" (cuBLASLt), 90100 -> "9.1.0" (cuDNN 9), 8904 -> "8.9.4" (cuDNN 8).
std::string packed_version(std::size_t number) {
  const std::size_t major = number >= 10000 ? 10000 : 1000;
  return fmt::format("{}.{}.{}", number / major, number % major / 100, number % 100);
}

void ask_packed(const OpenLibrary& library, const char* function, Found& found) {
  const auto get_version = library.function<std::size_t()>(function);
  if (get_version != nullptr) found.version = packed_version(get_version());
}

void ask(Library which, const OpenLibrary& library, Found& found) {
  switch (which) {
    case Library::kCudaDriver:
      return ask_cuda_driver(library, found);
    case Library::kNvml:
      return ask_nvml(library, found);
    case Library::kCupti:
      return ask_cupti(library, found);
    case Library::kNvrtc:
      return ask_nvrtc(library, found);
    case Library::kCublasLt:
      return ask_packed(library, "cublasLtGetVersion", found);
    case Library::kCudnn:
      return ask_packed(library, "cudnnGetVersion", found);
  }
}

}  // namespace

std::optional<Found> probe_library(Library which) {
  const auto library = open_library(which, kAnyCuda, OpenLibrary::at);
  if (!library) return std::nullopt;
  Found found;
  found.path = library->path();
  ask(which, *library, found);
  return found;
}

}  // namespace strobe::device

#include "strobe/record/driver_check.h"

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "strobe/device/vendor_library.h"

namespace strobe::record {
namespace {

// The driver's own numbers; its header is not needed for these two calls.
constexpr int kNoDevice = 100;
constexpr int kSystemNotReady = 802;

constexpr unsigned kCapSysAdmin = 21;
constexpr unsigned kCapPerfmon = 38;

Error lacks(std::string what, std::string hint) {
  return {.code = ErrorCode::kMachineLacks,
          .what = std::move(what),
          .where = "",
          .hint = std::move(hint)};
}

std::uint64_t effective_capabilities() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("CapEff:")) return std::stoull(line.substr(7), nullptr, 16);
  }
  return 0;
}

Result<device::OpenLibrary> open_driver() {
  return device::open_library(device::Library::kCudaDriver, device::kAnyCuda,
                              device::OpenLibrary::at);
}

}  // namespace

Result<void> check_driver(const std::filesystem::path& listed_devices) {
  std::error_code unreadable;
  const std::filesystem::directory_iterator first(listed_devices, unreadable);
  if (unreadable || first == std::filesystem::directory_iterator()) return start_driver();
  STROBE_TRY_VOID(open_driver());
  return {};
}

Result<void> start_driver() {
  STROBE_TRY(const device::OpenLibrary driver, open_driver());
  const auto init = driver.function<int(unsigned)>("cuInit");
  const auto count = driver.function<int(int*)>("cuDeviceGetCount");
  if (init == nullptr || count == nullptr) {
    return lacks("libcuda.so.1 is not a CUDA driver (it has no cuInit)",
                 "`ldconfig -p | grep libcuda` shows which file is found first");
  }
  int devices = 0;
  int result = init(0);
  if (result == 0) result = count(&devices);
  if (result == kNoDevice || (result == 0 && devices == 0)) {
    return lacks("the CUDA driver sees no GPU",
                 "check `nvidia-smi` and CUDA_VISIBLE_DEVICES; in a container, start it with "
                 "`--gpus all`");
  }
  if (result != 0) {
    return lacks(fmt::format("the CUDA driver does not start (cuInit gives {})", result),
                 result == kSystemNotReady
                     ? "the fabric manager of this machine may not be running"
                     : "`nvidia-smi` tells more; driver and kernel module must be of one version");
  }
  return {};
}

bool counters_are_restricted() {
  std::ifstream parameters("/proc/driver/nvidia/params");
  for (std::string line; std::getline(parameters, line);) {
    if (!line.starts_with("RmProfilingAdminOnly:")) continue;
    if (line.find('1') == std::string::npos) return false;
    const std::uint64_t capabilities = effective_capabilities();
    return ((capabilities >> kCapSysAdmin) & 1) == 0 && ((capabilities >> kCapPerfmon) & 1) == 0;
  }
  return false;
}

}  // namespace strobe::record

#include "strobe/record/obstacles.h"

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "strobe/device/vendor_library.h"

namespace strobe::record {
namespace {

// The driver's own numbers; two calls do not need its header.
constexpr int kNoDevice = 100;
constexpr int kSystemNotReady = 802;

constexpr unsigned kCapSysAdmin = 21;
constexpr unsigned kCapPerfmon = 38;

Error lacks(std::string what, std::string_view hint) {
  return {.code = ErrorCode::kMachineLacks,
          .what = std::move(what),
          .where = "",
          .hint = std::string(hint)};
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
                     : "`nvidia-smi` says more; driver and kernel module must have one version");
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

namespace {

constexpr std::string_view kHowToBeAllowed =
    "as an administrator, load the driver with NVreg_RestrictProfilingToAdminUsers=0 "
    "(`echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > "
    "/etc/modprobe.d/profiling.conf`, then reboot), or run as root, with CAP_SYS_ADMIN, or, since "
    "driver 565, with CAP_PERFMON; in a container the host must grant the capability "
    "(`--cap-add=SYS_ADMIN`)";

}  // namespace

Error explain(wire::Obstacle what, std::string_view text, std::string_view program) {
  switch (what) {
    case wire::Obstacle::kNoLibrary:
      return lacks(
          fmt::format("CUPTI, the library that reads the counters, is not found ({})", text),
          "install the CUDA toolkit's CUPTI (cuda-cupti-13-0, or `pip install "
          "nvidia-cuda-cupti`) or set STROBE_RECORD_CUPTI to its libcupti.so");
    case wire::Obstacle::kOldLibrary:
      return lacks(fmt::format("CUPTI is too old to count by kernel: {}", text),
                   "CUDA 12.6 or newer has what is needed; STROBE_RECORD_CUPTI may name another "
                   "libcupti.so");
    case wire::Obstacle::kOtherTool:
      return lacks(fmt::format("another profiler is already active in '{}' ({})", program, text),
                   "run without Nsight, without the program's own profiler (torch.profiler, "
                   "jax.profiler) and without CUDA_INJECTION64_PATH of another tool");
    case wire::Obstacle::kNoPermission:
      return lacks(fmt::format("the GPU's counters are for administrators here ({})", text),
                   kHowToBeAllowed);
    case wire::Obstacle::kCountersBusy:
      return lacks(fmt::format("another process holds the GPU's counters ({})", text),
                   "one client at a time: end other runs of ncu or strobe, and pause DCGM's "
                   "profiling (`dcgmi profiling --pause`)");
    case wire::Obstacle::kUnsupportedDevice:
      return lacks(fmt::format("this GPU gives no counters ({})", text),
                   "virtual, partitioned and confidential GPUs hide them; the times alone are in a "
                   "trace: `strobe kernels show trace.json`");
    case wire::Obstacle::kUnknownMetric:
      return lacks(fmt::format("this GPU has no metric '{}'", text),
                   "`strobe kernels metrics` lists the sets; a name needs its ending, as in "
                   "gpu__time_duration.sum");
    case wire::Obstacle::kMismatch:
      return lacks(fmt::format("the counters could not be assigned to kernels ({})", text),
                   "a launch that strobe does not know of was measured too; please report it with "
                   "the program");
    case wire::Obstacle::kDropped:
      return lacks(fmt::format("the counters ran out of room ({})", text),
                   "record fewer launches at a time: --launches A:B, or a smaller --set");
    case wire::Obstacle::kSetup:
      return lacks(fmt::format("the GPU's counters cannot be set up ({})", text),
                   "sandboxes and some containers forbid it; `ncu` on the same machine shows "
                   "whether strobe is the cause");
    case wire::Obstacle::kMeasure:
      return lacks(fmt::format("the GPU's counters failed while the program ran ({})", text),
                   "`ncu` on the same program shows whether strobe is the cause");
    case wire::Obstacle::kNone:
    case wire::Obstacle::kBadSettings:
    case wire::Obstacle::kNote:
      break;
  }
  return {.code = ErrorCode::kInvalidArgument, .what = std::string(text), .where = "", .hint = ""};
}

}  // namespace strobe::record

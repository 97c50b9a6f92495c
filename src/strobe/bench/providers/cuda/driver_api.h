#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "strobe/base/result.h"

// The CUDA driver as a table of calls, opened at run time: no vendor header is needed to build and
// no library to start. A test fills the same table with a script. If a vendor header is present,
// another test compares every declaration below with it.
namespace strobe::bench {

using CuResult = int;  // 0: success
using CuDevice = int;
using CuPointer = std::uint64_t;  // an address in the device's memory
using CuContext = struct CuContextTag*;
using CuStream = struct CuStreamTag*;
using CuEvent = struct CuEventTag*;
using CuModule = struct CuModuleTag*;
using CuFunction = struct CuFunctionTag*;
using CuGraph = struct CuGraphTag*;
using CuGraphExec = struct CuGraphExecTag*;
using CuGraphNode = struct CuGraphNodeTag*;
using CuKernel = struct CuKernelTag*;

namespace cu {  // the driver's numbers

constexpr CuResult kSuccess = 0;
constexpr CuResult kInvalidValue = 1;
constexpr CuResult kOutOfMemory = 2;
constexpr CuResult kNoDevice = 100;
constexpr CuResult kEccUncorrectable = 214;
constexpr CuResult kNvlinkUncorrectable = 220;
constexpr CuResult kIllegalAddress = 700;
constexpr CuResult kLaunchOutOfResources = 701;
constexpr CuResult kLaunchTimeout = 702;
constexpr CuResult kContextIsDestroyed = 709;
constexpr CuResult kAssert = 710;
constexpr CuResult kHardwareStackError = 714;
constexpr CuResult kLaunchFailed = 719;  // 714 to 719 are all errors of a kernel
constexpr CuResult kSystemNotReady = 802;
constexpr CuResult kUnknown = 999;

enum Attribute : int {
  kClockKhz = 13,
  kSmCount = 16,
  kMemoryClockKhz = 36,
  kMemoryBusBits = 37,
  kL2Bytes = 38,
  kThreadsPerSm = 39,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kSharedPerSm = 81,
  kRegistersPerSm = 82,
  kSharedPerBlockOptIn = 97,
};

enum FunctionAttribute : int {
  kStaticSharedBytes = 1,
  kLocalBytes = 3,
  kRegisters = 4,
  kMostDynamicShared = 8,
  kNonPortableClusters = 14,
};

constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventDefault = 0;
constexpr unsigned kHostAllocMapped = 2;
constexpr int kCaptureThreadLocal = 1;
constexpr int kJitErrorLog = 5;
constexpr int kJitErrorLogBytes = 6;
constexpr unsigned kClusterAttribute = 4;

struct alignas(8) LaunchAttribute {
  unsigned id = 0;
  unsigned padding = 0;
  union {
    unsigned cluster[3];
    char whole[64];
  } value = {};
};

constexpr int kKernelNode = 0;

struct KernelNode {
  CuFunction function = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
  CuKernel kernel = nullptr;  // where there is no function
  CuContext context = nullptr;
};

struct LaunchConfig {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  CuStream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

}  // namespace cu

struct DriverApi {
  CuResult (*init)(unsigned) = nullptr;
  CuResult (*driver_version)(int*) = nullptr;
  CuResult (*error_name)(CuResult, const char**) = nullptr;

  CuResult (*device_count)(int*) = nullptr;
  CuResult (*device_get)(CuDevice*, int) = nullptr;
  CuResult (*device_name)(char*, int, CuDevice) = nullptr;
  CuResult (*device_attribute)(int*, int, CuDevice) = nullptr;
  CuResult (*device_bytes)(std::size_t*, CuDevice) = nullptr;
  CuResult (*device_pci_id)(char*, int, CuDevice) = nullptr;

  CuResult (*context_retain)(CuContext*, CuDevice) = nullptr;
  CuResult (*context_release)(CuDevice) = nullptr;
  CuResult (*context_set_current)(CuContext) = nullptr;

  CuResult (*memory_info)(std::size_t* free, std::size_t* total) = nullptr;
  CuResult (*memory_allocate)(CuPointer*, std::size_t) = nullptr;
  CuResult (*memory_free)(CuPointer) = nullptr;
  CuResult (*host_allocate)(void**, std::size_t, unsigned) = nullptr;
  CuResult (*host_free)(void*) = nullptr;
  CuResult (*host_device_pointer)(CuPointer*, void*, unsigned) = nullptr;
  CuResult (*copy_to_host)(void*, CuPointer, std::size_t) = nullptr;
  CuResult (*copy_on_device)(CuPointer to, CuPointer from, std::size_t, CuStream) = nullptr;
  CuResult (*fill_bytes)(CuPointer, unsigned char, std::size_t, CuStream) = nullptr;

  CuResult (*stream_create)(CuStream*, unsigned) = nullptr;
  CuResult (*stream_destroy)(CuStream) = nullptr;
  CuResult (*stream_synchronize)(CuStream) = nullptr;
  CuResult (*stream_begin_capture)(CuStream, int mode) = nullptr;
  CuResult (*stream_end_capture)(CuStream, CuGraph*) = nullptr;

  CuResult (*event_create)(CuEvent*, unsigned) = nullptr;
  CuResult (*event_destroy)(CuEvent) = nullptr;
  CuResult (*event_record)(CuEvent, CuStream) = nullptr;
  CuResult (*event_elapsed_ms)(float*, CuEvent start, CuEvent end) = nullptr;

  CuResult (*module_load)(CuModule*, const void*, unsigned, int*, void**) = nullptr;
  CuResult (*module_unload)(CuModule) = nullptr;
  CuResult (*module_function)(CuFunction*, CuModule, const char*) = nullptr;
  CuResult (*function_set)(CuFunction, int attribute, int) = nullptr;
  CuResult (*function_get)(int*, int attribute, CuFunction) = nullptr;
  CuResult (*launch)(CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     unsigned shared_bytes, CuStream, void** arguments, void** extra) = nullptr;
  // Since CUDA 11.8; needed only for clusters.
  CuResult (*launch_ex)(const cu::LaunchConfig*, CuFunction, void** arguments,
                        void** extra) = nullptr;
  CuResult (*clusters_at_once)(int*, CuFunction, const cu::LaunchConfig*) = nullptr;

  CuResult (*graph_instantiate)(CuGraphExec*, CuGraph, unsigned long long flags) = nullptr;
  CuResult (*graph_launch)(CuGraphExec, CuStream) = nullptr;
  CuResult (*graph_nodes)(CuGraph, CuGraphNode*, std::size_t*) = nullptr;
  // Since CUDA 12.3; needed only for the names of kernels that a library launches.
  CuResult (*graph_node_type)(CuGraphNode, int*) = nullptr;
  CuResult (*graph_kernel_node)(CuGraphNode, cu::KernelNode*) = nullptr;
  CuResult (*function_name)(const char**, CuFunction) = nullptr;
  CuResult (*kernel_name)(const char**, CuKernel) = nullptr;
  CuResult (*graph_destroy)(CuGraph) = nullptr;
  CuResult (*graph_exec_destroy)(CuGraphExec) = nullptr;

  // Only marks, for a recorder in this process.
  CuResult (*profiler_start)() = nullptr;
  CuResult (*profiler_stop)() = nullptr;

  // "CUDA_ERROR_OUT_OF_MEMORY (2)".
  std::string name_of(CuResult result) const;
};

// kMachineLacks if there is no driver, or one without a required call; it stays open for the life
// of the process.
Result<DriverApi> open_driver();
Result<DriverApi> open_driver_at(const std::string& library);

// 13 for a driver of CUDA 13.2; device::kAnyCuda if it does not say.
int cuda_major(const DriverApi& driver);

// After these errors no call of this process can succeed: the context is lost.
bool is_sticky(CuResult result);

// Handles of the driver that are released automatically. The table of calls must outlive them.
template <class Handle, CuResult (*DriverApi::*kRelease)(Handle)>
class Owned {
 public:
  Owned() = default;
  Owned(const DriverApi& api, Handle handle) : api_(&api), handle_(handle) {}
  Owned(Owned&& other) noexcept { swap(other); }
  Owned& operator=(Owned&& other) noexcept {
    Owned(std::move(other)).swap(*this);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  // The result is ignored: in a lost context every release fails, which is already known.
  ~Owned() {
    if (handle_ != Handle{}) (api_->*kRelease)(handle_);
  }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle{}; }

 private:
  void swap(Owned& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(handle_, other.handle_);
  }

  const DriverApi* api_ = nullptr;
  Handle handle_ = {};
};

using OwnedMemory = Owned<CuPointer, &DriverApi::memory_free>;
using OwnedHostMemory = Owned<void*, &DriverApi::host_free>;
using OwnedStream = Owned<CuStream, &DriverApi::stream_destroy>;
using OwnedEvent = Owned<CuEvent, &DriverApi::event_destroy>;
using OwnedModule = Owned<CuModule, &DriverApi::module_unload>;
using OwnedGraph = Owned<CuGraph, &DriverApi::graph_destroy>;
using OwnedGraphExec = Owned<CuGraphExec, &DriverApi::graph_exec_destroy>;

}  // namespace strobe::bench

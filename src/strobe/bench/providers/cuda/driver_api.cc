#include "strobe/bench/providers/cuda/driver_api.h"

#include <fmt/format.h>

#include "strobe/device/vendor_library.h"

namespace strobe::bench {
namespace {

// Names with their versions, as in the vendor's header: the plain names are older calls.
void find_calls(device::OpenLibrary& driver, DriverApi& api) {
  driver.need(api.init, "cuInit");
  driver.need(api.driver_version, "cuDriverGetVersion");
  driver.need(api.error_name, "cuGetErrorName");

  driver.need(api.device_count, "cuDeviceGetCount");
  driver.need(api.device_get, "cuDeviceGet");
  driver.need(api.device_name, "cuDeviceGetName");
  driver.need(api.device_attribute, "cuDeviceGetAttribute");
  driver.need(api.device_bytes, "cuDeviceTotalMem_v2");
  driver.need(api.device_pci_id, "cuDeviceGetPCIBusId");

  driver.need(api.context_retain, "cuDevicePrimaryCtxRetain");
  driver.need(api.context_release, "cuDevicePrimaryCtxRelease_v2");
  driver.need(api.context_set_current, "cuCtxSetCurrent");

  driver.need(api.memory_info, "cuMemGetInfo_v2");
  driver.need(api.memory_allocate, "cuMemAlloc_v2");
  driver.need(api.memory_free, "cuMemFree_v2");
  driver.need(api.host_allocate, "cuMemHostAlloc");
  driver.need(api.host_free, "cuMemFreeHost");
  driver.need(api.host_device_pointer, "cuMemHostGetDevicePointer_v2");
  driver.need(api.copy_to_host, "cuMemcpyDtoH_v2");
  driver.need(api.copy_on_device, "cuMemcpyDtoDAsync_v2");
  driver.need(api.fill_bytes, "cuMemsetD8Async");

  driver.need(api.stream_create, "cuStreamCreate");
  driver.need(api.stream_destroy, "cuStreamDestroy_v2");
  driver.need(api.stream_synchronize, "cuStreamSynchronize");
  driver.need(api.stream_begin_capture, "cuStreamBeginCapture_v2");
  driver.need(api.stream_end_capture, "cuStreamEndCapture");

  driver.need(api.event_create, "cuEventCreate");
  driver.need(api.event_destroy, "cuEventDestroy_v2");
  driver.need(api.event_record, "cuEventRecord");
  driver.need(api.event_elapsed_ms, "cuEventElapsedTime");

  driver.need(api.module_load, "cuModuleLoadDataEx");
  driver.need(api.module_unload, "cuModuleUnload");
  driver.need(api.module_function, "cuModuleGetFunction");
  driver.need(api.function_set, "cuFuncSetAttribute");
  driver.need(api.function_get, "cuFuncGetAttribute");
  driver.need(api.launch, "cuLaunchKernel");
  driver.want(api.launch_ex, "cuLaunchKernelEx");
  driver.want(api.clusters_at_once, "cuOccupancyMaxActiveClusters");

  driver.need(api.graph_instantiate, "cuGraphInstantiateWithFlags");
  driver.need(api.graph_launch, "cuGraphLaunch");
  driver.need(api.graph_nodes, "cuGraphGetNodes");
  driver.want(api.graph_node_type, "cuGraphNodeGetType");
  driver.want(api.graph_kernel_node, "cuGraphKernelNodeGetParams_v2");
  driver.want(api.function_name, "cuFuncGetName");
  driver.want(api.kernel_name, "cuKernelGetName");
  driver.want(api.profiler_start, "cuProfilerStart");
  driver.want(api.profiler_stop, "cuProfilerStop");
  driver.need(api.graph_destroy, "cuGraphDestroy");
  driver.need(api.graph_exec_destroy, "cuGraphExecDestroy");
}

}  // namespace

std::string DriverApi::name_of(CuResult result) const {
  const char* name = nullptr;
  if (error_name == nullptr || error_name(result, &name) != cu::kSuccess || name == nullptr) {
    return fmt::format("CUDA error {}", result);
  }
  return fmt::format("{} ({})", name, result);
}

Result<DriverApi> open_driver_at(const std::string& library) {
  STROBE_TRY(device::OpenLibrary opened, device::OpenLibrary::at(library));
  DriverApi api;
  find_calls(opened, api);
  STROBE_TRY_VOID(opened.check_complete("a driver of CUDA 11.4 or newer"));
  return api;
}

Result<DriverApi> open_driver() {
  return device::open_library(device::Library::kCudaDriver, device::kAnyCuda, open_driver_at);
}

int cuda_major(const DriverApi& driver) {
  int version = 0;
  const bool is_known = driver.driver_version(&version) == cu::kSuccess && version > 0;
  return is_known ? version / 1000 : device::kAnyCuda;
}

bool is_sticky(CuResult result) {
  switch (result) {
    case cu::kEccUncorrectable:
    case cu::kNvlinkUncorrectable:
    case cu::kIllegalAddress:
    case cu::kLaunchTimeout:
    case cu::kContextIsDestroyed:
    case cu::kAssert:
    case cu::kUnknown:
      return true;
    default:
      return result >= cu::kHardwareStackError && result <= cu::kLaunchFailed;
  }
}

}  // namespace strobe::bench

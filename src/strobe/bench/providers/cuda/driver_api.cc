#include "strobe/bench/providers/cuda/driver_api.h"

#include <dlfcn.h>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

class CallFinder {
 public:
  explicit CallFinder(void* library) : library_(library) {}

  template <class Call>
  void need(Call& call, const char* name) {
    want(call, name);
    if (call == nullptr && missing_.empty()) missing_ = name;
  }

  template <class Call>
  void want(Call& call, const char* name) {
    call = reinterpret_cast<Call>(dlsym(library_, name));
  }

  // The first that was needed and is not there.
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

// Names with their versions, as the vendor's header maps them: the plain ones are older calls.
void find_calls(CallFinder& find, DriverApi& api) {
  find.need(api.init, "cuInit");
  find.need(api.driver_version, "cuDriverGetVersion");
  find.need(api.error_name, "cuGetErrorName");
  find.need(api.error_text, "cuGetErrorString");

  find.need(api.device_count, "cuDeviceGetCount");
  find.need(api.device_get, "cuDeviceGet");
  find.need(api.device_name, "cuDeviceGetName");
  find.need(api.device_attribute, "cuDeviceGetAttribute");
  find.need(api.device_bytes, "cuDeviceTotalMem_v2");
  find.need(api.device_pci_id, "cuDeviceGetPCIBusId");

  find.need(api.context_retain, "cuDevicePrimaryCtxRetain");
  find.need(api.context_release, "cuDevicePrimaryCtxRelease_v2");
  find.need(api.context_set_current, "cuCtxSetCurrent");
  find.need(api.context_synchronize, "cuCtxSynchronize");

  find.need(api.memory_info, "cuMemGetInfo_v2");
  find.need(api.memory_allocate, "cuMemAlloc_v2");
  find.need(api.memory_free, "cuMemFree_v2");
  find.need(api.host_allocate, "cuMemHostAlloc");
  find.need(api.host_free, "cuMemFreeHost");
  find.need(api.host_device_pointer, "cuMemHostGetDevicePointer_v2");
  find.need(api.copy_to_device, "cuMemcpyHtoD_v2");
  find.need(api.copy_to_host, "cuMemcpyDtoH_v2");
  find.need(api.copy_on_device, "cuMemcpyDtoDAsync_v2");
  find.need(api.fill_bytes, "cuMemsetD8Async");

  find.need(api.stream_create, "cuStreamCreate");
  find.need(api.stream_destroy, "cuStreamDestroy_v2");
  find.need(api.stream_synchronize, "cuStreamSynchronize");
  find.need(api.stream_begin_capture, "cuStreamBeginCapture_v2");
  find.need(api.stream_end_capture, "cuStreamEndCapture");

  find.need(api.event_create, "cuEventCreate");
  find.need(api.event_destroy, "cuEventDestroy_v2");
  find.need(api.event_record, "cuEventRecord");
  find.need(api.event_elapsed_ms, "cuEventElapsedTime");

  find.need(api.module_load, "cuModuleLoadDataEx");
  find.need(api.module_unload, "cuModuleUnload");
  find.need(api.module_function, "cuModuleGetFunction");
  find.need(api.function_set, "cuFuncSetAttribute");
  find.need(api.function_get, "cuFuncGetAttribute");
  find.need(api.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  find.need(api.launch, "cuLaunchKernel");
  find.want(api.launch_ex, "cuLaunchKernelEx");

  find.need(api.graph_instantiate, "cuGraphInstantiateWithFlags");
  find.need(api.graph_launch, "cuGraphLaunch");
  find.need(api.graph_nodes, "cuGraphGetNodes");
  find.want(api.graph_node_type, "cuGraphNodeGetType");
  find.want(api.graph_kernel_node, "cuGraphKernelNodeGetParams_v2");
  find.want(api.function_name, "cuFuncGetName");
  find.want(api.kernel_name, "cuKernelGetName");
  find.need(api.graph_destroy, "cuGraphDestroy");
  find.need(api.graph_exec_destroy, "cuGraphExecDestroy");
}

}  // namespace

std::string DriverApi::name_of(CuResult result) const {
  const char* name = nullptr;
  if (error_name == nullptr || error_name(result, &name) != cu::kSuccess || name == nullptr) {
    return fmt::format("CUDA error {}", result);
  }
  return fmt::format("{} ({})", name, result);
}

Result<DriverApi> open_driver(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error{
        .code = ErrorCode::kMachineLacks,
        .what = fmt::format("there is no CUDA driver on this machine ({} is missing)", library),
        .where = "",
        .hint =
            "run on a machine with an NVIDIA GPU; in a container, start it with the "
            "GPU's driver mounted (`--gpus all`)"};
  }
  DriverApi api;
  CallFinder find(handle);
  find_calls(find, api);
  if (!find.missing().empty()) {
    return Error{
        .code = ErrorCode::kMachineLacks,
        .what = fmt::format("the CUDA driver is too old or no driver at all ({} has no {})",
                            library, find.missing()),
        .where = "",
        .hint =
            "a driver of CUDA 11.4 or newer is needed; `nvidia-smi` shows which one "
            "is installed"};
  }
  return api;
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

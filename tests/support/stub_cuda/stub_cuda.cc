// A libcuda.so.1 without a GPU: enough of the driver for a program that launches kernels, and for
// the library that the real one would inject into it. STUB_CUDA_INIT is the result of cuInit.

#include "tests/support/stub_cuda/stub_cuda.h"

#include <cupti.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

using strobe::test::StubCall;

namespace {

std::atomic<strobe::test::StubHook> on_call = nullptr;
std::atomic<strobe::test::StubContextHook> on_destroy = nullptr;
std::atomic<bool> is_capturing = false;
char the_context = 0;

CUcontext context() { return reinterpret_cast<CUcontext>(&the_context); }

void report(const StubCall& call, bool is_enter) {
  if (const auto hook = on_call.load(); hook != nullptr) hook(call, is_enter);
}

CUresult make(const StubCall& call) {
  report(call, true);
  report(call, false);
  return call.result;
}

CUresult launch(unsigned call, const void* parameters, const char* symbol) {
  const bool fails = symbol != nullptr && std::strstr(symbol, "fails") != nullptr;
  return make({.call = call,
               .parameters = parameters,
               .symbol = symbol,
               .context = context(),
               .result = fails ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS,
               .is_captured = is_capturing});
}

StubCall other_call(unsigned call, const void* parameters) {
  return {.call = call, .parameters = parameters, .context = context(), .is_launch = false};
}

int number_of(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

extern "C" {

void stub_cuda_listen(strobe::test::StubHook call_hook,
                      strobe::test::StubContextHook destroy_hook) {
  on_call = call_hook;
  on_destroy = destroy_hook;
}

CUresult cuInit(unsigned) {
  const int result = number_of("STUB_CUDA_INIT", 0);
  if (result != 0) return static_cast<CUresult>(result);
  static bool is_injected = false;
  if (is_injected) return CUDA_SUCCESS;
  is_injected = true;
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) {
    const auto initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
    if (initialize != nullptr) initialize();
  }
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = number_of("STUB_CUDA_DEVICES", 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int index) {
  *device = index;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "Stub GPU", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 132;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      *value = 1980000;
      break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      *value = 3201000;
      break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      *value = 6016;
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  *bytes = std::size_t{141} << 30;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice) {
  for (std::size_t i = 0; i < sizeof uuid->bytes; ++i) uuid->bytes[i] = static_cast<char>(0xa0 + i);
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  *status = is_capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

// As in the real driver, the runtime does not launch functions of this context.
CUresult cuFuncGetAttribute(int*, CUfunction_attribute, CUfunction) {
  return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute which, CUkernel, CUdevice) {
  *value = which == CU_FUNC_ATTRIBUTE_NUM_REGS ? 40 : 1024;
  return CUDA_SUCCESS;
}

void stub_cuda_capture(int on) { is_capturing = on != 0; }

// The kernel's name is in the place of the function.
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream,
                        void** parameters, void** extra) {
  const cuLaunchKernel_params_st call = {f,  gx,     gy,     gz,         bx,   by,
                                         bz, shared, stream, parameters, extra};
  return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &call, reinterpret_cast<const char*>(f));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** parameters,
                          void** extra) {
  const cuLaunchKernelEx_params_st call = {config, f, parameters, extra};
  return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &call, reinterpret_cast<const char*>(f));
}

CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  const cuGraphLaunch_params_st call = {graph, stream};
  return launch(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, &call, nullptr);
}

CUresult cuProfilerStart() {
  return make(other_call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, nullptr));
}

CUresult cuProfilerStop() {
  return make(other_call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, nullptr));
}

CUresult cuCtxDestroy_v2(CUcontext) {
  if (const auto hook = on_destroy.load(); hook != nullptr) hook(context());
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes,
                              CUstream stream) {
  const cuMemcpyHtoDAsync_v2_params_st parameters = {to, from, bytes, stream};
  StubCall call = other_call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, &parameters);
  call.bytes = bytes;
  return make(call);
}

// The runtime's copy: it calls the driver's.
CUresult stub_runtime_copy(std::size_t bytes) {
  StubCall call = other_call(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, nullptr);
  call.is_runtime = true;
  report(call, true);
  const CUresult result = cuMemcpyHtoDAsync_v2(0, nullptr, bytes, nullptr);
  report(call, false);
  return result;
}

CUresult cuCtxSynchronize() {
  return make(other_call(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, nullptr));
}

CUresult cuMemAlloc_v2(CUdeviceptr* place, std::size_t bytes) {
  *place = 0x7000000;
  const cuMemAlloc_v2_params_st parameters = {place, bytes};
  return make(other_call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &parameters));
}

CUresult cuMemFree_v2(CUdeviceptr place) {
  const cuMemFree_v2_params_st parameters = {place};
  return make(other_call(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, &parameters));
}

}  // extern "C"

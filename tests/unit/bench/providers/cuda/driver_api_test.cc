#include "strobe/bench/providers/cuda/driver_api.h"

#include <gtest/gtest.h>

#include "tests/unit/bench/providers/cuda/same_call.h"

#if __has_include(<cuda.h>)
#include <cuda.h>
#define STROBE_HAS_CUDA_HEADER 1
#endif

namespace strobe::bench {
namespace {

#ifdef STROBE_HAS_CUDA_HEADER

#define STROBE_SAME(ours, theirs) \
  static_assert(SameCall<decltype(DriverApi::ours), decltype(&::theirs)>::value)

STROBE_SAME(init, cuInit);
STROBE_SAME(driver_version, cuDriverGetVersion);
STROBE_SAME(error_name, cuGetErrorName);
STROBE_SAME(device_count, cuDeviceGetCount);
STROBE_SAME(device_get, cuDeviceGet);
STROBE_SAME(device_name, cuDeviceGetName);
STROBE_SAME(device_attribute, cuDeviceGetAttribute);
STROBE_SAME(device_bytes, cuDeviceTotalMem_v2);
STROBE_SAME(device_pci_id, cuDeviceGetPCIBusId);
STROBE_SAME(context_retain, cuDevicePrimaryCtxRetain);
STROBE_SAME(context_release, cuDevicePrimaryCtxRelease_v2);
STROBE_SAME(context_set_current, cuCtxSetCurrent);
STROBE_SAME(memory_info, cuMemGetInfo_v2);
STROBE_SAME(memory_allocate, cuMemAlloc_v2);
STROBE_SAME(memory_free, cuMemFree_v2);
STROBE_SAME(host_allocate, cuMemHostAlloc);
STROBE_SAME(host_free, cuMemFreeHost);
STROBE_SAME(host_device_pointer, cuMemHostGetDevicePointer_v2);
STROBE_SAME(copy_to_host, cuMemcpyDtoH_v2);
STROBE_SAME(copy_on_device, cuMemcpyDtoDAsync_v2);
STROBE_SAME(fill_bytes, cuMemsetD8Async);
STROBE_SAME(stream_create, cuStreamCreate);
STROBE_SAME(stream_destroy, cuStreamDestroy_v2);
STROBE_SAME(stream_synchronize, cuStreamSynchronize);
STROBE_SAME(stream_begin_capture, cuStreamBeginCapture_v2);
STROBE_SAME(stream_end_capture, cuStreamEndCapture);
STROBE_SAME(event_create, cuEventCreate);
STROBE_SAME(event_destroy, cuEventDestroy_v2);
STROBE_SAME(event_record, cuEventRecord);
STROBE_SAME(event_elapsed_ms, cuEventElapsedTime);
STROBE_SAME(module_load, cuModuleLoadDataEx);
STROBE_SAME(module_unload, cuModuleUnload);
STROBE_SAME(module_function, cuModuleGetFunction);
STROBE_SAME(function_set, cuFuncSetAttribute);
STROBE_SAME(function_get, cuFuncGetAttribute);
STROBE_SAME(launch, cuLaunchKernel);
STROBE_SAME(launch_ex, cuLaunchKernelEx);
STROBE_SAME(clusters_at_once, cuOccupancyMaxActiveClusters);
STROBE_SAME(graph_instantiate, cuGraphInstantiateWithFlags);
STROBE_SAME(graph_launch, cuGraphLaunch);
STROBE_SAME(graph_nodes, cuGraphGetNodes);
STROBE_SAME(graph_node_type, cuGraphNodeGetType);
STROBE_SAME(graph_kernel_node, cuGraphKernelNodeGetParams_v2);
STROBE_SAME(function_name, cuFuncGetName);
STROBE_SAME(kernel_name, cuKernelGetName);
static_assert(sizeof(cu::KernelNode) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
static_assert(offsetof(cu::KernelNode, block) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, blockDimX));
static_assert(offsetof(cu::KernelNode, kernel) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, kern));
static_assert(cu::kKernelNode == CU_GRAPH_NODE_TYPE_KERNEL);
STROBE_SAME(graph_destroy, cuGraphDestroy);
STROBE_SAME(graph_exec_destroy, cuGraphExecDestroy);

static_assert(sizeof(cu::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(alignof(cu::LaunchAttribute) == alignof(CUlaunchAttribute));
static_assert(offsetof(cu::LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(cu::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(cu::LaunchConfig, block) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(cu::LaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(cu::LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(cu::LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(cu::LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));

#define STROBE_EQUAL(ours, theirs) \
  static_assert(static_cast<long>(ours) == static_cast<long>(theirs))

STROBE_EQUAL(cu::kInvalidValue, CUDA_ERROR_INVALID_VALUE);
STROBE_EQUAL(cu::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
STROBE_EQUAL(cu::kNoDevice, CUDA_ERROR_NO_DEVICE);
STROBE_EQUAL(cu::kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
STROBE_EQUAL(cu::kNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
STROBE_EQUAL(cu::kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
STROBE_EQUAL(cu::kLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
STROBE_EQUAL(cu::kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
STROBE_EQUAL(cu::kContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
STROBE_EQUAL(cu::kAssert, CUDA_ERROR_ASSERT);
STROBE_EQUAL(cu::kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
STROBE_EQUAL(cu::kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
STROBE_EQUAL(cu::kSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY);
STROBE_EQUAL(cu::kUnknown, CUDA_ERROR_UNKNOWN);
STROBE_EQUAL(cu::kClockKhz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
STROBE_EQUAL(cu::kSmCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
STROBE_EQUAL(cu::kMemoryClockKhz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
STROBE_EQUAL(cu::kMemoryBusBits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
STROBE_EQUAL(cu::kL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
STROBE_EQUAL(cu::kThreadsPerSm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
STROBE_EQUAL(cu::kCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
STROBE_EQUAL(cu::kCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
STROBE_EQUAL(cu::kSharedPerSm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
STROBE_EQUAL(cu::kRegistersPerSm, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
STROBE_EQUAL(cu::kSharedPerBlockOptIn, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
STROBE_EQUAL(cu::kStaticSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
STROBE_EQUAL(cu::kLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
STROBE_EQUAL(cu::kRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS);
STROBE_EQUAL(cu::kMostDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
STROBE_EQUAL(cu::kNonPortableClusters, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
STROBE_EQUAL(cu::kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
STROBE_EQUAL(cu::kEventDefault, CU_EVENT_DEFAULT);
STROBE_EQUAL(cu::kHostAllocMapped, CU_MEMHOSTALLOC_DEVICEMAP);
STROBE_EQUAL(cu::kCaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
STROBE_EQUAL(cu::kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER);
STROBE_EQUAL(cu::kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
STROBE_EQUAL(cu::kClusterAttribute, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);

TEST(DriverApi, its_declarations_are_the_vendors) { SUCCEED() << "held by the compiler"; }

#else

TEST(DriverApi, its_declarations_are_the_vendors) {
  GTEST_SKIP() << "cuda.h was not found when this was built";
}

#undef STROBE_SAME
#undef STROBE_EQUAL
#endif

TEST(DriverApi, a_library_that_is_no_driver_is_named_with_the_call_it_lacks) {
  const auto driver = open_driver_at("libc.so.6");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, ErrorCode::kMachineLacks);
  EXPECT_EQ(driver.error().what, "is not a driver of CUDA 11.4 or newer (it has no cuInit)");
  EXPECT_EQ(driver.error().where, "libc.so.6");
}

TEST(DriverApi, an_error_has_a_name_or_its_number) {
  DriverApi api;
  EXPECT_EQ(api.name_of(2), "CUDA error 2");
  api.error_name = [](CuResult, const char** name) {
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return cu::kSuccess;
  };
  EXPECT_EQ(api.name_of(2), "CUDA_ERROR_OUT_OF_MEMORY (2)");
}

TEST(DriverApi, what_a_kernel_did_wrong_loses_the_context_and_a_lack_of_memory_does_not) {
  EXPECT_TRUE(is_sticky(cu::kIllegalAddress));
  EXPECT_TRUE(is_sticky(cu::kLaunchFailed));
  EXPECT_TRUE(is_sticky(716));  // misaligned address
  EXPECT_FALSE(is_sticky(cu::kOutOfMemory));
  EXPECT_FALSE(is_sticky(cu::kLaunchOutOfResources));
  EXPECT_FALSE(is_sticky(cu::kSuccess));
}

}  // namespace
}  // namespace strobe::bench

#pragma once

#include <cuda.h>
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "strobe/wire/kernel_recording.h"

// The calls of CUPTI and of the CUDA driver, found at run time.
namespace strobe::record {

#define STROBE_CUPTI_HOST_CALLS(X)       \
  X(cuptiGetVersion)                     \
  X(cuptiGetResultString)                \
  X(cuptiProfilerHostGetSupportedChips)  \
  X(cuptiProfilerHostInitialize)         \
  X(cuptiProfilerHostDeinitialize)       \
  X(cuptiProfilerHostConfigAddMetrics)   \
  X(cuptiProfilerHostGetConfigImageSize) \
  X(cuptiProfilerHostGetConfigImage)     \
  X(cuptiProfilerHostGetNumOfPasses)     \
  X(cuptiProfilerHostEvaluateToGpuValues)

#define STROBE_CUPTI_TARGET_CALLS(X)              \
  X(cuptiSubscribe)                               \
  X(cuptiEnableCallback)                          \
  X(cuptiGetDeviceId)                             \
  X(cuptiGetStreamIdEx)                           \
  X(cuptiProfilerInitialize)                      \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiRangeProfilerDecodeData)                 \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerGetCounterDataInfo)         \
  X(cuptiRangeProfilerCounterDataGetRangeInfo)

#define STROBE_CUPTI_OPTIONAL_CALLS(X)   \
  X(cuptiProfilerGetCounterAvailability) \
  X(cuptiProfilerDeviceSupported)

// CUPTI's calls as members. Nothing is linked: it uses the library that the process has already
// loaded, or the machine's.
struct CuptiApi {
#define STROBE_DECLARE_CALL(name) decltype(&::name) name = nullptr;
  STROBE_CUPTI_HOST_CALLS(STROBE_DECLARE_CALL)
  STROBE_CUPTI_TARGET_CALLS(STROBE_DECLARE_CALL)
  STROBE_CUPTI_OPTIONAL_CALLS(STROBE_DECLARE_CALL)
#undef STROBE_DECLARE_CALL

  std::string path;
  std::uint32_t version = 0;
};

enum class CuptiLoad { kLoaded, kNotFound, kTooOld };

// The library that the process has already loaded, else the first of `preferred` and the usual
// places; nullptr if there is none, with the reason in `problem`.
void* open_cupti(const std::string& preferred, std::string& path, std::string& problem) noexcept;

// `preferred` is tried before the usual places, "" for none. `problem` says what failed: the places
// that were tried, or the missing call.
CuptiLoad load_cupti(const std::string& preferred, CuptiApi& api, std::string& problem) noexcept;

// The library's text for a result.
std::string result_text(const CuptiApi& api, CUptiResult result) noexcept;

// The few CUDA driver calls that this library makes itself; the driver has loaded it.
struct DriverApi {
  CUresult (*stream_is_capturing)(CUstream, CUstreamCaptureStatus*) = nullptr;
  CUresult (*driver_version)(int*) = nullptr;
  CUresult (*device_get)(CUdevice*, int) = nullptr;
  CUresult (*device_name)(char*, int, CUdevice) = nullptr;
  CUresult (*device_attribute)(int*, CUdevice_attribute, CUdevice) = nullptr;
  CUresult (*device_bytes)(std::size_t*, CUdevice) = nullptr;
  CUresult (*device_uuid)(CUuuid*, CUdevice) = nullptr;
  CUresult (*function_attribute)(int*, CUfunction_attribute, CUfunction) = nullptr;
  CUresult (*kernel_attribute)(int*, CUfunction_attribute, CUkernel, CUdevice) = nullptr;
};

// Calls that are not found stay null.
DriverApi load_driver() noexcept;

// The driver's facts about a device; the chip's name comes from CUPTI.
wire::DeviceRecord describe_device(const DriverApi& driver, int index) noexcept;

// "GPU-1f0c…", as the driver's tools write it; "" if the driver does not say.
std::string device_uuid(const DriverApi& driver, int index) noexcept;

// A fact about a launched function; wire::kUnknown if the driver does not say.
std::uint32_t function_fact(const DriverApi& driver, CUfunction_attribute which,
                            CUfunction function, std::uint32_t device) noexcept;

}  // namespace strobe::record

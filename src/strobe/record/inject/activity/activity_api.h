#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>

#include "strobe/record/inject/cuda_api.h"

namespace strobe::record {

#define STROBE_CUPTI_ACTIVITY_CALLS(X) \
  X(cuptiGetVersion)                   \
  X(cuptiGetResultString)              \
  X(cuptiSubscribe)                    \
  X(cuptiUnsubscribe)                  \
  X(cuptiEnableCallback)               \
  X(cuptiGetCallbackName)              \
  X(cuptiActivityEnable)               \
  X(cuptiActivityRegisterCallbacks)    \
  X(cuptiActivityGetNextRecord)        \
  X(cuptiActivityGetNumDroppedRecords) \
  X(cuptiActivityFlushAll)             \
  X(cuptiFinalize)

// Absent before CUDA 11.6: then times are on CUPTI's own clock, the wall clock.
#define STROBE_CUPTI_OPTIONAL_ACTIVITY_CALLS(X) \
  X(cuptiActivityRegisterTimestampCallback)     \
  X(cuptiGetDeviceId)

// The calls of CUPTI that record activities. Any version since CUDA 11 has them.
struct ActivityApi {
#define STROBE_DECLARE_CALL(name) decltype(&::name) name = nullptr;
  STROBE_CUPTI_ACTIVITY_CALLS(STROBE_DECLARE_CALL)
  STROBE_CUPTI_OPTIONAL_ACTIVITY_CALLS(STROBE_DECLARE_CALL)
#undef STROBE_DECLARE_CALL

  std::string path;
  std::uint32_t version = 0;
};

// As load_cupti().
CuptiLoad load_activity_api(const std::string& preferred, ActivityApi& api,
                            std::string& problem) noexcept;

// "cuptiSubscribe: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED".
std::string failed_call_text(const ActivityApi& api, const char* call, CUptiResult result) noexcept;

}  // namespace strobe::record

#pragma once

#include <array>
#include <cstdint>

#include "strobe/record/inject/cuda_api.h"
#include "strobe/wire/kernel_recording.h"

namespace strobe::record {

// The driver's calls that start work to be measured.
inline constexpr std::array kLaunchCalls = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
};

// The calls with which a program marks what should be measured.
inline constexpr CUpti_CallbackId kWindowBegins = CUPTI_DRIVER_TRACE_CBID_cuProfilerStart;
inline constexpr CUpti_CallbackId kWindowEnds = CUPTI_DRIVER_TRACE_CBID_cuProfilerStop;

// The arguments of such a call.
struct LaunchCall {
  CUstream stream = nullptr;
  CUfunction function = nullptr;
  bool is_per_thread = false;  // a null stream means the thread's own
  bool is_graph = false;
  std::array<std::uint32_t, 3> grid = {};
  std::array<std::uint32_t, 3> block = {};
  std::uint32_t dynamic_shared_bytes = 0;
};

LaunchCall read_launch_call(CUpti_CallbackId call, const void* parameters) noexcept;

}  // namespace strobe::record

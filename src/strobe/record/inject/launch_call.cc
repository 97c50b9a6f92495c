#include "strobe/record/inject/launch_call.h"

namespace strobe::record {
namespace {

template <class Parameters>
void read_shape(const void* parameters, LaunchCall& call) noexcept {
  const auto& p = *static_cast<const Parameters*>(parameters);
  call.function = p.f;
  call.stream = p.hStream;
  call.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  call.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  call.dynamic_shared_bytes = p.sharedMemBytes;
}

template <class Parameters>
void read_config(const void* parameters, LaunchCall& call) noexcept {
  const auto& p = *static_cast<const Parameters*>(parameters);
  call.function = p.f;
  if (p.config == nullptr) return;
  call.stream = p.config->hStream;
  call.grid = {p.config->gridDimX, p.config->gridDimY, p.config->gridDimZ};
  call.block = {p.config->blockDimX, p.config->blockDimY, p.config->blockDimZ};
  call.dynamic_shared_bytes = p.config->sharedMemBytes;
}

template <class Parameters>
void read_graph(const void* parameters, LaunchCall& call) noexcept {
  call.stream = static_cast<const Parameters*>(parameters)->hStream;
  call.is_graph = true;
}

// The oldest calls set the block's shape beforehand.
template <class Parameters>
void read_old(const void* parameters, LaunchCall& call) noexcept {
  const auto& p = *static_cast<const Parameters*>(parameters);
  call.function = p.f;
  call.grid = {static_cast<std::uint32_t>(p.grid_width), static_cast<std::uint32_t>(p.grid_height),
               1};
}

}  // namespace

LaunchCall read_launch_call(CUpti_CallbackId id, const void* parameters) noexcept {
  LaunchCall call;
  if (parameters == nullptr) return call;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
      read_shape<cuLaunchKernel_params>(parameters, call);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      read_shape<cuLaunchKernel_ptsz_params>(parameters, call);
      call.is_per_thread = true;
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
      read_config<cuLaunchKernelEx_params>(parameters, call);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      read_config<cuLaunchKernelEx_ptsz_params>(parameters, call);
      call.is_per_thread = true;
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
      read_shape<cuLaunchCooperativeKernel_params>(parameters, call);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      read_shape<cuLaunchCooperativeKernel_ptsz_params>(parameters, call);
      call.is_per_thread = true;
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
      read_graph<cuGraphLaunch_params>(parameters, call);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
      read_graph<cuGraphLaunch_ptsz_params>(parameters, call);
      call.is_per_thread = true;
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid:
      read_old<cuLaunchGrid_params>(parameters, call);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync:
      read_old<cuLaunchGridAsync_params>(parameters, call);
      call.stream = static_cast<const cuLaunchGridAsync_params*>(parameters)->hStream;
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunch:
      call.function = static_cast<const cuLaunch_params*>(parameters)->f;
      call.grid = {1, 1, 1};
      break;
    default:
      break;
  }
  return call;
}

}  // namespace strobe::record

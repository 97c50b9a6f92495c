#include "strobe/record/inject/transfer_call.h"

#include <algorithm>

namespace strobe::record {
namespace {

template <class Parameters>
CUstream stream_in(const void* parameters) noexcept {
  return static_cast<const Parameters*>(parameters)->hStream;
}

// The null stream of these is the thread's own.
template <class Parameters>
CUstream thread_stream_in(const void* parameters) noexcept {
  const CUstream stream = stream_in<Parameters>(parameters);
  return stream == nullptr ? CU_STREAM_PER_THREAD : stream;
}

}  // namespace

bool is_transfer(CUpti_CallbackId call) noexcept {
  return std::ranges::any_of(kTransferCalls, [&](CUpti_CallbackId one) { return one == call; });
}

CUstream stream_of_transfer(CUpti_CallbackId call, const void* parameters) noexcept {
  if (parameters == nullptr) return nullptr;
  switch (call) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync:
      return stream_in<cuMemcpyAsync_params>(parameters);
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync_ptsz:
      return thread_stream_in<cuMemcpyAsync_ptsz_params>(parameters);
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2:
      return stream_in<cuMemcpyHtoDAsync_v2_params>(parameters);
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz:
      return thread_stream_in<cuMemcpyHtoDAsync_v2_ptsz_params>(parameters);
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async:
      return stream_in<cuMemsetD8Async_params>(parameters);
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async_ptsz:
      return thread_stream_in<cuMemsetD8Async_ptsz_params>(parameters);
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async:
      return stream_in<cuMemsetD32Async_params>(parameters);
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async_ptsz:
      return thread_stream_in<cuMemsetD32Async_ptsz_params>(parameters);
    default:
      return nullptr;
  }
}

}  // namespace strobe::record

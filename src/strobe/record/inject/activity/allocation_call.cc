#include "strobe/record/inject/activity/allocation_call.h"

#include <cuda.h>

namespace strobe::record {
namespace {

std::uint64_t address_at(const CUdeviceptr* place) noexcept {
  return place == nullptr ? 0 : *place;
}
std::uint64_t address_at(void* const* place) noexcept {
  return place == nullptr ? 0 : reinterpret_cast<std::uint64_t>(*place);
}

std::optional<AllocationCall> read_runtime(CUpti_CallbackId id, const void* parameters) noexcept {
  switch (id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020: {
      const auto& p = *static_cast<const cudaMalloc_v3020_params*>(parameters);
      return AllocationCall{false, "device", p.size, address_at(p.devPtr)};
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020:
      return AllocationCall{true, "device", 0,
                            reinterpret_cast<std::uint64_t>(
                                static_cast<const cudaFree_v3020_params*>(parameters)->devPtr)};
    case CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_v11020: {
      const auto& p = *static_cast<const cudaMallocAsync_v11020_params*>(parameters);
      return AllocationCall{false, "device", p.size, address_at(p.devPtr)};
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_v11020:
      return AllocationCall{
          true, "device", 0,
          reinterpret_cast<std::uint64_t>(
              static_cast<const cudaFreeAsync_v11020_params*>(parameters)->devPtr)};
    case CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020: {
      const auto& p = *static_cast<const cudaHostAlloc_v3020_params*>(parameters);
      return AllocationCall{false, "pinned", p.size, address_at(p.pHost)};
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020:
      return AllocationCall{true, "pinned", 0,
                            reinterpret_cast<std::uint64_t>(
                                static_cast<const cudaFreeHost_v3020_params*>(parameters)->ptr)};
    case CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000: {
      const auto& p = *static_cast<const cudaMallocManaged_v6000_params*>(parameters);
      return AllocationCall{false, "managed", p.size, address_at(p.devPtr)};
    }
    default:
      return std::nullopt;
  }
}

std::optional<AllocationCall> read_driver(CUpti_CallbackId id, const void* parameters) noexcept {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2: {
      const auto& p = *static_cast<const cuMemAlloc_v2_params*>(parameters);
      return AllocationCall{false, "device", p.bytesize, address_at(p.dptr)};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
      return AllocationCall{true, "device", 0,
                            static_cast<const cuMemFree_v2_params*>(parameters)->dptr};
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync: {
      const auto& p = *static_cast<const cuMemAllocAsync_params*>(parameters);
      return AllocationCall{false, "device", p.bytesize, address_at(p.dptr)};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
      return AllocationCall{true, "device", 0,
                            static_cast<const cuMemFreeAsync_params*>(parameters)->dptr};
    case CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc: {
      const auto& p = *static_cast<const cuMemHostAlloc_params*>(parameters);
      return AllocationCall{false, "pinned", p.bytesize, address_at(p.pp)};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost:
      return AllocationCall{
          true, "pinned", 0,
          reinterpret_cast<std::uint64_t>(static_cast<const cuMemFreeHost_params*>(parameters)->p)};
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged: {
      const auto& p = *static_cast<const cuMemAllocManaged_params*>(parameters);
      return AllocationCall{false, "managed", p.bytesize, address_at(p.dptr)};
    }
    // Memory without an address: torch's expandable segments take theirs in this way.
    case CUPTI_DRIVER_TRACE_CBID_cuMemCreate: {
      const auto& p = *static_cast<const cuMemCreate_params*>(parameters);
      return AllocationCall{false, "device", p.size, p.handle == nullptr ? 0 : *p.handle};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemRelease:
      return AllocationCall{true, "device", 0,
                            static_cast<const cuMemRelease_params*>(parameters)->handle};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<AllocationCall> read_allocation_call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                                   const void* parameters) noexcept {
  if (parameters == nullptr) return std::nullopt;
  return domain == CUPTI_CB_DOMAIN_RUNTIME_API ? read_runtime(id, parameters)
                                               : read_driver(id, parameters);
}

}  // namespace strobe::record

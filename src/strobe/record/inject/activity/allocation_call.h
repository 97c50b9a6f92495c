#pragma once

#include <cupti.h>

#include <cstdint>
#include <optional>

namespace strobe::record {

// A call that takes or returns memory of a device, or host memory that devices reach.
struct AllocationCall {
  bool is_free = false;
  const char* place = "";   // "device", "pinned", "managed"
  std::uint64_t bytes = 0;  // 0 for a free
  std::uint64_t address = 0;
};

// From the arguments of a call that has ended; nothing for other calls.
std::optional<AllocationCall> read_allocation_call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                                   const void* parameters) noexcept;

}  // namespace strobe::record

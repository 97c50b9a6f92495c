#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "strobe/bench/providers/cuda/device.h"

// A worker's memory for cells: what one cell gave back the next one takes, so that no cell pays for
// asking the driver.
namespace strobe::bench {

class MemoryPool;

// One piece, given back to its pool at the end.
class PooledMemory {
 public:
  PooledMemory() = default;
  PooledMemory(MemoryPool& pool, DeviceMemory memory) : pool_(&pool), memory_(std::move(memory)) {}
  PooledMemory(PooledMemory&& other) noexcept;
  PooledMemory& operator=(PooledMemory&& other) noexcept;
  PooledMemory(const PooledMemory&) = delete;
  PooledMemory& operator=(const PooledMemory&) = delete;
  ~PooledMemory();

  CuPointer address() const { return memory_.address(); }
  std::size_t bytes() const { return memory_.bytes; }

 private:
  MemoryPool* pool_ = nullptr;
  DeviceMemory memory_;
};

class MemoryPool {
 public:
  explicit MemoryPool(CudaDevice& device) : device_(device) {}

  // At least so many bytes, aligned to 256. kMachineLacks: the device has no room for it.
  Result<PooledMemory> take(std::size_t bytes, std::string_view what);
  std::size_t kept_bytes() const { return kept_.bytes; }  // taken from the driver and free

 private:
  friend class PooledMemory;
  void give_back(DeviceMemory memory);

  CudaDevice& device_;
  DeviceMemory kept_;
};

}  // namespace strobe::bench

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/bench/providers/cuda/device.h"
#include "strobe/bench/providers/cuda/device_clock.h"
#include "strobe/bench/providers/provider.h"

// The state that a worker keeps between cells. Its memory pool hands the memory of one cell to the
// next, so that no cell pays for the driver's allocation.
namespace strobe::bench {

class MemoryPool;

// One piece, returned to its pool by the destructor.
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

  // At least this many bytes, aligned to 256. kOutOfMemory: the device has no room for them.
  Result<PooledMemory> take(std::size_t bytes, std::string_view what);
  std::size_t kept_bytes() const { return kept_.bytes; }  // allocated and free

 private:
  friend class PooledMemory;
  void give_back(DeviceMemory memory);

  CudaDevice& device_;
  DeviceMemory kept_;
};

struct FilledTensor {
  CuPointer address = 0;
  std::int64_t elements = 0;
  std::uint32_t number = 0;       // of the input
  bool is_far_from_zero = false;  // 0.5 + U(0, 2) whatever the law
};

// Generates inputs on the device, with the same bits as those of reference/input_values.h.
class InputFill {
 public:
  static Result<InputFill> make(CudaDevice& device, const std::string& cache_folder = "");

  // Queued. `columns` is C of the cell.
  Result<void> enqueue(const FilledTensor& tensor, DType dtype, InputLaw law, std::uint64_t seed,
                       std::int64_t columns);

 private:
  explicit InputFill(CudaDevice& device) : device_(&device) {}

  CudaDevice* device_;
  DeviceKernel kernel_;
  LaunchShape shape_;
};

// Shared by the cells of one worker: the GPU, its clock, its memory. Made once, when first needed.
class CudaSession {
 public:
  explicit CudaSession(std::unique_ptr<CudaDevice> device)
      : device_(std::move(device)), memory_(*device_) {}

  CudaDevice& device() { return *device_; }
  MemoryPool& memory() { return memory_; }
  // Where the code of its own kernels is stored when they are loaded; empty: nowhere.
  void keep_code_in(std::string folder) { cache_folder_ = std::move(folder); }
  // Switches the hold of the queue on or off: PrepareRequest::hold.
  Result<DeviceClock*> clock(bool hold = true);
  Result<InputFill*> input_fill();
  // Free for a cell, including what the pool keeps.
  std::optional<double> free_bytes();

 private:
  std::unique_ptr<CudaDevice> device_;  // outlives all below
  MemoryPool memory_;
  std::string cache_folder_;
  std::unique_ptr<DeviceClock> clock_;
  std::optional<InputFill> input_fill_;
};

using OpenSession = std::function<Result<std::shared_ptr<CudaSession>>()>;
// The first visible GPU. kMachineLacks if there is none.
Result<std::shared_ptr<CudaSession>> open_cuda_session();

}  // namespace strobe::bench

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "strobe/bench/providers/cuda/device.h"
#include "strobe/bench/providers/cuda/device_clock.h"
#include "strobe/bench/providers/cuda/input_fill.h"
#include "strobe/bench/providers/cuda/memory_pool.h"

// What the cells of one worker share: the GPU, its clock, its memory. Made once, at first need.
namespace strobe::bench {

class CudaSession {
 public:
  explicit CudaSession(std::unique_ptr<CudaDevice> device)
      : device_(std::move(device)), memory_(*device_) {}

  CudaDevice& device() { return *device_; }
  MemoryPool& memory() { return memory_; }
  // Where the code of its own kernels is kept that are not loaded yet; empty: nowhere.
  void keep_code_in(std::string folder) { cache_folder_ = std::move(folder); }
  // From now on it holds the queue, or does not: PrepareRequest::hold.
  Result<DeviceClock*> clock(bool hold = true);
  Result<InputFill*> input_fill();
  // Free for a cell: with what the pool keeps.
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

#pragma once

#include <string>
#include <string_view>

#include "strobe/bench/providers/cuda/device.h"

// In which state a call finds the L2 cache.
namespace strobe::bench {

enum class FlushKind : std::uint8_t {
  kCold,       // four times the cache is read: clean lines of a stranger
  kColdDirty,  // zeros are written: their write-back is charged to whoever comes next
  kRotate,     // every call on the next set of buffers
  kHot,        // as the call before left it
};
Result<FlushKind> parse_flush(std::string_view name);  // "cold", "cold-dirty", "rotate", "hot"

class CacheFlush {
 public:
  static Result<CacheFlush> make(CudaDevice& device, const std::string& cache_folder = "");

  Result<void> enqueue(FlushKind kind);
  std::size_t bytes() const { return buffer_.bytes; }

 private:
  explicit CacheFlush(CudaDevice& device) : device_(&device) {}
  Result<void> read(bool is_to_stay);
  Result<void> release();

  CudaDevice* device_;
  DeviceKernel read_kernel_;
  DeviceKernel release_kernel_;
  LaunchShape shape_;
  DeviceMemory buffer_;
  DeviceMemory sink_;
};

}  // namespace strobe::bench

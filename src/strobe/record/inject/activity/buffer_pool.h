#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace strobe::record {

// Memory for CUPTI's records, bounded: if every buffer is in use, CUPTI drops records and counts
// them, and the program's memory does not grow.
class BufferPool {
 public:
  static constexpr std::size_t kBufferBytes = 8 << 20;
  static constexpr std::size_t kMostBuffers = 6;

  BufferPool() = default;
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool();

  std::uint8_t* take() noexcept;  // nullptr if all are in use
  void give_back(std::uint8_t* buffer) noexcept;

 private:
  std::mutex mutex_;
  std::size_t made_ = 0;
  std::vector<std::uint8_t*> free_;
};

}  // namespace strobe::record

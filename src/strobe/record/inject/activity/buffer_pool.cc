#include "strobe/record/inject/activity/buffer_pool.h"

#include <cstdlib>

namespace strobe::record {
namespace {

constexpr std::size_t kBufferAlignment = 8;  // as CUPTI demands

}  // namespace

BufferPool::~BufferPool() {
  for (std::uint8_t* buffer : free_) std::free(buffer);
}

std::uint8_t* BufferPool::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    std::uint8_t* buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  if (made_ == kMostBuffers) return nullptr;
  auto* buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  if (buffer != nullptr) ++made_;
  return buffer;
}

void BufferPool::give_back(std::uint8_t* buffer) noexcept {
  if (buffer == nullptr) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(buffer);
}

}  // namespace strobe::record

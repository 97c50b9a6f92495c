#include "strobe/bench/providers/cuda/memory_pool.h"

#include <utility>

namespace strobe::bench {

PooledMemory::PooledMemory(PooledMemory&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), memory_(std::exchange(other.memory_, {})) {}

PooledMemory& PooledMemory::operator=(PooledMemory&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(memory_, other.memory_);
  return *this;
}

PooledMemory::~PooledMemory() {
  if (pool_ != nullptr) pool_->give_back(std::move(memory_));
}

Result<PooledMemory> MemoryPool::take(std::size_t bytes, std::string_view what) {
  if (kept_.bytes >= bytes && kept_.bytes > 0) {
    return PooledMemory(*this, std::exchange(kept_, {}));
  }
  kept_ = {};  // too small: its room may be what is lacking
  STROBE_TRY(DeviceMemory memory, device_.allocate(bytes, what));
  return PooledMemory(*this, std::move(memory));
}

void MemoryPool::give_back(DeviceMemory memory) {
  if (memory.bytes > kept_.bytes) kept_ = std::move(memory);
}

}  // namespace strobe::bench

#include "strobe/bench/providers/cuda/session.h"

#include <array>
#include <string>
#include <utility>

#include "strobe/bench/providers/cuda/kernel_sources.h"
#include "strobe/bench/providers/cuda/loaded_program.h"

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
  kept_ = {};  // too small: frees its memory for the new piece
  STROBE_TRY(DeviceMemory memory, device_.allocate(bytes, what));
  return PooledMemory(*this, std::move(memory));
}

void MemoryPool::give_back(DeviceMemory memory) {
  if (memory.bytes > kept_.bytes) kept_ = std::move(memory);
}

Result<InputFill> InputFill::make(CudaDevice& device, const std::string& cache_folder) {
  InputFill fill(device);
  fill.shape_.grid[0] = static_cast<std::uint32_t>(device.chip().sm_count) * 8;
  fill.shape_.block[0] = 256;
  STROBE_TRY(const KernelCode code,
             find_or_compile(device, std::string(sources::kFill), "strobe_fill", cache_folder));
  STROBE_TRY(fill.kernel_, device.load(code.image, "strobe_fill", fill.shape_));
  return fill;
}

Result<void> InputFill::enqueue(const FilledTensor& tensor, DType dtype, InputLaw law,
                                std::uint64_t seed, std::int64_t columns) {
  CuPointer out = tensor.address;
  auto count = static_cast<unsigned long long>(tensor.elements);
  unsigned long long seed_word = seed;
  unsigned number = tensor.number;
  int law_number = tensor.is_far_from_zero ? 2 : law == InputLaw::kNormal ? 0 : 1;
  float scale = 1.0f / static_cast<float>(columns);
  int type = static_cast<int>(dtype);
  static_assert(static_cast<int>(DType::kF32) == 0 && static_cast<int>(DType::kF16) == 1 &&
                static_cast<int>(DType::kBf16) == 2);
  const std::array<void*, 7> arguments = {&out,        &count, &seed_word, &number,
                                          &law_number, &scale, &type};
  return device_->launch(kernel_, shape_, arguments);
}

Result<DeviceClock*> CudaSession::clock(bool hold) {
  if (!clock_) {
    STROBE_TRY(clock_, DeviceClock::make(*device_, cache_folder_, hold));
  }
  STROBE_TRY_VOID(clock_->hold_queue(hold));
  return clock_.get();
}

Result<InputFill*> CudaSession::input_fill() {
  if (!input_fill_) {
    STROBE_TRY(InputFill fill, InputFill::make(*device_, cache_folder_));
    input_fill_.emplace(std::move(fill));
  }
  return &*input_fill_;
}

std::optional<double> CudaSession::free_bytes() {
  const std::optional<double> free = device_->free_bytes();
  if (!free) return free;
  return *free + static_cast<double>(memory_.kept_bytes());
}

Result<std::shared_ptr<CudaSession>> open_cuda_session() {
  STROBE_TRY(std::unique_ptr<CudaDevice> device, CudaDevice::open());
  return std::make_shared<CudaSession>(std::move(device));
}

}  // namespace strobe::bench

#include "strobe/bench/providers/cuda/session.h"

#include <utility>

namespace strobe::bench {

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

#pragma once

#include "strobe/bench/providers/cuda/device.h"
#include "strobe/bench/providers/provider.h"

// Inputs made on the device, bit for bit those of reference/input_values.h.
namespace strobe::bench {

struct FilledTensor {
  CuPointer address = 0;
  std::int64_t elements = 0;
  std::uint32_t number = 0;       // of the input
  bool is_far_from_zero = false;  // 0.5 + U(0, 2) whatever the law
};

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

}  // namespace strobe::bench

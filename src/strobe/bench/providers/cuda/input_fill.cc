#include "strobe/bench/providers/cuda/input_fill.h"

#include <array>
#include <string>

#include "strobe/bench/providers/cuda/kernel_code.h"
#include "strobe/bench/providers/cuda/kernel_sources.h"

namespace strobe::bench {

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

}  // namespace strobe::bench

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/cuda/device.h"
#include "strobe/bench/providers/cuda/kernel_code.h"

// A generated program on the device, and its arguments for one set of buffers.
namespace strobe::bench {

struct ProgramKernel {
  DeviceKernel kernel;
  std::vector<char> image;  // it was loaded from
  LaunchShape shape;
  std::vector<KernelArgument> arguments;
};

struct LoadedProgram {
  std::vector<ProgramKernel> kernels;
  double compile_ms = 0;  // 0: every kernel's code was found
  double load_ms = 0;     // with the finding
  bool is_cached = false;
  std::string not_kept;  // why compiled code could not be kept

  std::vector<KernelLaunch> launches() const;
};

Result<LoadedProgram> load_program(CudaDevice& device, const KernelProgram& program,
                                   const CodeOf& code_of);

// Arguments as the driver takes them: addresses of values that stay where they are.
class BoundProgram {
 public:
  BoundProgram(BoundProgram&&) = default;
  BoundProgram& operator=(BoundProgram&&) = default;

  // `address_of` gives 0 for a tensor that is not there, which is an error.
  static Result<BoundProgram> make(
      const LoadedProgram& program,
      const std::function<CuPointer(std::string_view tensor)>& address_of);

  Result<void> enqueue(CudaDevice& device, const LoadedProgram& program) const;

 private:
  BoundProgram() = default;
  struct Arguments {
    std::vector<std::uint64_t> values;
    std::vector<void*> places;
  };
  std::vector<Arguments> kernels_;
};

}  // namespace strobe::bench

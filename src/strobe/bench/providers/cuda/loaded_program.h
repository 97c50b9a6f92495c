#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/codegen/kernel_program.h"
#include "strobe/bench/providers/codegen/tune_cache.h"
#include "strobe/bench/providers/cuda/device.h"

// Where the code of a kernel comes from: a folder, the compiler, or the compiler many times at
// once.
namespace strobe::bench {

struct KernelCode {
  std::vector<char> image;
  bool is_cached = false;
  std::string not_kept;  // why, where it should have been
};
using CodeOf = std::function<Result<KernelCode>(const GeneratedKernel&)>;

TuneMachine machine_of(const CudaDevice& device);

// Compiled, unless the folder has it from an earlier time; kept there. `folder` may be empty:
// nothing is kept.
Result<KernelCode> find_or_compile(CudaDevice& device, const std::string& source,
                                   const std::string& name, const std::string& folder);
CodeOf code_in(CudaDevice& device, const std::string& folder);

// The code of many programs, compiled by several threads; what does not compile is an error of its
// own.
class CandidateCode {
 public:
  CandidateCode(CudaDevice& device, std::span<const KernelProgram> programs);
  Result<KernelCode> of(const GeneratedKernel& kernel) const;

 private:
  std::map<std::string, Result<std::vector<char>>> by_source_;
};

// A generated program on the device, and its arguments for one set of buffers.

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

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

// Gets the code of kernels, from a folder or from the compiler, and loads it.
namespace strobe::bench {

struct KernelCode {
  std::vector<char> image;
  bool is_cached = false;
  std::string not_kept;  // why it was not stored
};
using CodeOf = std::function<Result<KernelCode>(const GeneratedKernel&)>;

TuneMachine machine_of(const CudaDevice& device);

// Compiles, unless the folder has the code from an earlier run, and stores the code there. With an
// empty `folder` nothing is stored.
Result<KernelCode> find_or_compile(CudaDevice& device, const std::string& source,
                                   const std::string& name, const std::string& folder);
CodeOf code_in(CudaDevice& device, const std::string& folder);

// The code of many programs, compiled by several threads; a source that does not compile has its
// own error.
class CandidateCode {
 public:
  CandidateCode(CudaDevice& device, std::span<const KernelProgram> programs);
  Result<KernelCode> of(const GeneratedKernel& kernel) const;

 private:
  std::map<std::string, Result<std::vector<char>>> by_source_;
};

struct ProgramKernel {
  DeviceKernel kernel;
  std::vector<char> image;  // it was loaded from this
  LaunchShape shape;
  std::vector<KernelArgument> arguments;
};

// A generated program on the device.
struct LoadedProgram {
  std::vector<ProgramKernel> kernels;
  double compile_ms = 0;  // 0: the code of every kernel was in the folder
  double load_ms = 0;     // including the search
  bool is_cached = false;
  std::string not_kept;  // why compiled code could not be kept

  std::vector<KernelLaunch> launches() const;
};

Result<LoadedProgram> load_program(CudaDevice& device, const KernelProgram& program,
                                   const CodeOf& code_of);

// Its arguments for one set of buffers, in the driver's form: addresses of values that do not move.
class BoundProgram {
 public:
  BoundProgram(BoundProgram&&) = default;
  BoundProgram& operator=(BoundProgram&&) = default;

  // `address_of` returns 0 for an unknown tensor, which is an error.
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

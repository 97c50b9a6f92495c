#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
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

}  // namespace strobe::bench

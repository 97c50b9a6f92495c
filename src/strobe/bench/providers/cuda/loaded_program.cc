#include "strobe/bench/providers/cuda/loaded_program.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

std::array<std::int64_t, 3> wide(const std::array<std::uint32_t, 3>& dims) {
  return {dims[0], dims[1], dims[2]};
}

std::uint64_t scalar_bits(const KernelArgument& argument) {
  std::uint64_t bits = 0;
  if (argument.kind == KernelArgument::Kind::kInt64) {
    std::memcpy(&bits, &argument.integer, sizeof argument.integer);
  } else {
    std::memcpy(&bits, &argument.real, sizeof argument.real);  // the first bytes: what is read
  }
  return bits;
}

}  // namespace

std::vector<KernelLaunch> LoadedProgram::launches() const {
  std::vector<KernelLaunch> launches;
  for (const ProgramKernel& one : kernels) {
    launches.push_back(
        {.name = one.kernel.name,
         .grid = wide(one.shape.grid),
         .block = wide(one.shape.block),
         .registers = one.kernel.registers,
         .shared_bytes = std::int64_t{one.shape.shared_bytes} + one.kernel.static_shared});
  }
  return launches;
}

Result<LoadedProgram> load_program(CudaDevice& device, const KernelProgram& program,
                                   const CodeOf& code_of) {
  LoadedProgram loaded;
  loaded.is_cached = true;
  std::map<std::string, KernelCode> by_source;  // operators of one kind share their source
  for (const GeneratedKernel& generated : program.kernels) {
    auto known = by_source.find(generated.source);
    if (known == by_source.end()) {
      const auto start = std::chrono::steady_clock::now();
      STROBE_TRY(KernelCode code, code_of(generated));
      (code.is_cached ? loaded.load_ms : loaded.compile_ms) += ms_since(start);
      loaded.is_cached = loaded.is_cached && code.is_cached;
      if (loaded.not_kept.empty()) loaded.not_kept = code.not_kept;
      known = by_source.emplace(generated.source, std::move(code)).first;
    }
    ProgramKernel kernel;
    kernel.shape = {generated.grid, generated.block, generated.cluster, generated.shared_bytes};
    kernel.arguments = generated.arguments;
    const auto start = std::chrono::steady_clock::now();
    kernel.image = known->second.image;
    STROBE_TRY(kernel.kernel, device.load(kernel.image, generated.name, kernel.shape));
    if (generated.stays && generated.cluster > 1) {
      STROBE_TRY(const std::uint32_t clusters,
                 device.clusters_at_once(kernel.kernel, kernel.shape));
      kernel.shape.grid[0] = std::min(kernel.shape.grid[0], clusters * generated.cluster);
    }
    loaded.load_ms += ms_since(start);
    loaded.kernels.push_back(std::move(kernel));
  }
  return loaded;
}

Result<BoundProgram> BoundProgram::make(
    const LoadedProgram& program,
    const std::function<CuPointer(std::string_view tensor)>& address_of) {
  BoundProgram bound;
  for (const ProgramKernel& kernel : program.kernels) {
    Arguments arguments;
    for (const KernelArgument& argument : kernel.arguments) {
      if (argument.kind != KernelArgument::Kind::kTensor) {
        arguments.values.push_back(scalar_bits(argument));
        continue;
      }
      const CuPointer address = address_of(argument.tensor);
      if (address == 0) {
        return Error{.code = ErrorCode::kMalformed,
                     .what = fmt::format("the generated kernel {} wants a tensor '{}' that is "
                                         "not there",
                                         kernel.kernel.name, argument.tensor),
                     .where = "",
                     .hint = "this is a bug in strobe"};
      }
      arguments.values.push_back(address);
    }
    for (std::uint64_t& value : arguments.values) arguments.places.push_back(&value);
    bound.kernels_.push_back(std::move(arguments));
  }
  return bound;
}

Result<void> BoundProgram::enqueue(CudaDevice& device, const LoadedProgram& program) const {
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    STROBE_TRY_VOID(
        device.launch(program.kernels[i].kernel, program.kernels[i].shape, kernels_[i].places));
  }
  return {};
}

}  // namespace strobe::bench

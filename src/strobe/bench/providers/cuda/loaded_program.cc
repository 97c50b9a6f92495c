#include "strobe/bench/providers/cuda/loaded_program.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/check.h"
#include "strobe/bench/providers/stop_watch.h"

namespace strobe::bench {
namespace {

constexpr unsigned kMostThreads = 16;

}  // namespace

TuneMachine machine_of(const CudaDevice& device) {
  return {.architecture = fmt::format("sm_{}", device.chip().compute_capability),
          .device = device.name(),
          .driver = device.driver_text(),
          .compiler = device.compiler_text()};
}

Result<KernelCode> find_or_compile(CudaDevice& device, const std::string& source,
                                   const std::string& name, const std::string& folder) {
  KernelCode code;
  const TuneCache cache(folder);
  if (!folder.empty()) {
    std::optional<TuneEntry> found = cache.find(code_key(machine_of(device), source));
    if (found && found->kernel == name) {
      code.image = std::move(found->image);
      code.is_cached = true;
      return code;
    }
  }
  STROBE_TRY(code.image, device.compile(source, name));
  if (folder.empty()) return code;
  // The key is computed again: the opened compiler may differ from what its file name says.
  const Result<void> kept = cache.store(
      code_key(machine_of(device), source),
      {.label = "", .kernel = name, .candidate = 0, .typical_us = 0, .image = code.image});
  if (!kept) code.not_kept = fmt::format("{}: {}", kept.error().where, kept.error().what);
  return code;
}

CodeOf code_in(CudaDevice& device, const std::string& folder) {
  return [&device, folder](const GeneratedKernel& kernel) {
    return find_or_compile(device, kernel.source, kernel.name, folder);
  };
}

CandidateCode::CandidateCode(CudaDevice& device, std::span<const KernelProgram> programs) {
  std::vector<const GeneratedKernel*> kernels;
  for (const KernelProgram& program : programs) {
    for (const GeneratedKernel& kernel : program.kernels) {
      const bool is_new =
          by_source_.emplace(kernel.source, Error{ErrorCode::kMalformed, "not compiled", "", ""})
              .second;
      if (is_new) kernels.push_back(&kernel);
    }
  }
  if (const Result<void> opened = device.open_compiler(); !opened) {
    for (auto& [source, code] : by_source_) code = opened.error();
    return;
  }
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < kernels.size(); i = next++) {
      // The map's nodes do not move, and each thread has its own source.
      by_source_.find(kernels[i]->source)->second =
          device.compile(kernels[i]->source, kernels[i]->name);
    }
  };
  const std::size_t cores = std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(cores, kernels.size()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

Result<KernelCode> CandidateCode::of(const GeneratedKernel& kernel) const {
  const auto found = by_source_.find(kernel.source);
  STROBE_CHECK(found != by_source_.end(), "only candidates are asked for");
  if (!found->second) return found->second.error();
  return KernelCode{.image = *found->second, .is_cached = false, .not_kept = ""};
}

namespace {

std::array<std::int64_t, 3> wide(const std::array<std::uint32_t, 3>& dims) {
  return {dims[0], dims[1], dims[2]};
}

std::uint64_t scalar_bits(const KernelArgument& argument) {
  std::uint64_t bits = 0;
  if (argument.kind == KernelArgument::Kind::kInt64) {
    std::memcpy(&bits, &argument.integer, sizeof argument.integer);
  } else {
    std::memcpy(&bits, &argument.real, sizeof argument.real);  // the first bytes, which are read
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
      const StopWatch start;
      STROBE_TRY(KernelCode code, code_of(generated));
      (code.is_cached ? loaded.load_ms : loaded.compile_ms) += start.ms();
      loaded.is_cached = loaded.is_cached && code.is_cached;
      if (loaded.not_kept.empty()) loaded.not_kept = code.not_kept;
      known = by_source.emplace(generated.source, std::move(code)).first;
    }
    ProgramKernel kernel;
    kernel.shape = {generated.grid, generated.block, generated.cluster, generated.shared_bytes};
    kernel.arguments = generated.arguments;
    const StopWatch start;
    kernel.image = known->second.image;
    STROBE_TRY(kernel.kernel, device.load(kernel.image, generated.name, kernel.shape));
    if (generated.stays && generated.cluster > 1) {
      STROBE_TRY(const std::uint32_t clusters,
                 device.clusters_at_once(kernel.kernel, kernel.shape));
      kernel.shape.grid[0] = std::min(kernel.shape.grid[0], clusters * generated.cluster);
    }
    loaded.load_ms += start.ms();
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
                     .what = fmt::format("the generated kernel {} needs a tensor '{}' that does "
                                         "not exist",
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

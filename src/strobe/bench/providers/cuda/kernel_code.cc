#include "strobe/bench/providers/cuda/kernel_code.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/check.h"

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
  // Asked again: an opened compiler may be another than its file's name told.
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
      // The map does not move, and no two threads have the same source.
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

}  // namespace strobe::bench

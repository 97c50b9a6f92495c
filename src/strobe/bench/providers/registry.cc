#include <array>

#include "strobe/bench/providers/codegen/programs.h"
#include "strobe/bench/providers/cpu/cpu_provider.h"
#include "strobe/bench/providers/cuda/library_providers.h"
#include "strobe/bench/providers/cuda/program_providers.h"
#include "strobe/bench/providers/provider.h"

namespace strobe::bench {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Provider> (*make)();
};

// To add a provider, add a line.
constexpr std::array kProviders = {
    Entry{"cpu", []() -> std::unique_ptr<Provider> { return std::make_unique<CpuProvider>(true); }},
    Entry{"cpu-unfused",
          []() -> std::unique_ptr<Provider> { return std::make_unique<CpuProvider>(false); }},
    Entry{
        "cuda-unfused",
        [] { return make_unfused_provider(unfused_program, open_cuda_session, real_libraries()); }},
    Entry{"cuda-fused", [] { return make_fused_provider(fused_candidates, open_cuda_session); }},
    Entry{"cublaslt", [] { return make_cublaslt_provider(open_cuda_session, real_libraries()); }},
    Entry{"cudnn", [] { return make_cudnn_provider(open_cuda_session, real_libraries()); }},
};

}  // namespace

std::unique_ptr<Provider> make_provider(std::string_view name) {
  for (const Entry& entry : kProviders) {
    if (entry.name == name) return entry.make();
  }
  return nullptr;
}

std::vector<std::string_view> provider_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kProviders) names.push_back(entry.name);
  return names;
}

}  // namespace strobe::bench

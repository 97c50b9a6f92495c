#include "strobe/bench/providers/cuda/library_providers.h"
#include "strobe/bench/providers/cuda/program_providers.h"
#include "strobe/bench/providers/provider.h"

namespace strobe::bench {

std::unique_ptr<Provider> make_provider(std::string_view name) {
  if (auto provider = make_library_provider(name)) return provider;
  return make_cuda_provider(name);
}

std::vector<std::string_view> provider_names() {
  return {"cuda-unfused", "cuda-fused", "cublaslt", "cudnn"};
}

}  // namespace strobe::bench

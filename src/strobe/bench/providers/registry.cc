#include "strobe/bench/providers/cuda/program_providers.h"
#include "strobe/bench/providers/provider.h"

namespace strobe::bench {

std::unique_ptr<Provider> make_provider(std::string_view name) { return make_cuda_provider(name); }

std::vector<std::string_view> provider_names() { return {"cuda-unfused", "cuda-fused"}; }

}  // namespace strobe::bench

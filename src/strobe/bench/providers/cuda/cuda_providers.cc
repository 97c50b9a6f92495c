#include "strobe/bench/providers/codegen/programs.h"
#include "strobe/bench/providers/cuda/program_providers.h"

namespace strobe::bench {

std::unique_ptr<Provider> make_cuda_provider(std::string_view name) {
  if (name == "cuda-unfused") {
    return make_unfused_provider(unfused_program, open_cuda_session, real_libraries());
  }
  if (name == "cuda-fused") return make_fused_provider(fused_candidates, open_cuda_session);
  return nullptr;
}

}  // namespace strobe::bench

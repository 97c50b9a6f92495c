#include <vector>

#include "strobe/bench/providers/cpu/kernels.h"

namespace strobe::bench {

// Defined in simd/kernels.cc, one for each instruction set.
#if defined(__aarch64__)
namespace simd_neon {
extern const KernelSet kKernels;
}
#elif defined(__x86_64__)
namespace simd_sse2 {
extern const KernelSet kKernels;
}
namespace simd_avx2 {
extern const KernelSet kKernels;
}
namespace simd_avx512 {
extern const KernelSet kKernels;
}
#else
#error "the cpu provider knows aarch64 and x86-64"
#endif

namespace {

std::vector<const KernelSet*> supported_sets() {
  std::vector<const KernelSet*> sets;
#if defined(__aarch64__)
  sets.push_back(&simd_neon::kKernels);
#else
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    sets.push_back(&simd_avx512::kKernels);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    sets.push_back(&simd_avx2::kKernels);
  sets.push_back(&simd_sse2::kKernels);
#endif
  return sets;
}

}  // namespace

std::span<const KernelSet* const> kernel_sets() {
  static const std::vector<const KernelSet*> sets = supported_sets();
  return sets;
}

}  // namespace strobe::bench

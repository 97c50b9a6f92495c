#include <vector>

#include "strobe/bench/providers/cpu/kernels.h"

namespace strobe::bench {

#if defined(__aarch64__)
extern const KernelSet kNeonKernels;
#elif defined(__x86_64__)
extern const KernelSet kSse2Kernels;
extern const KernelSet kAvx2Kernels;
extern const KernelSet kAvx512Kernels;
#else
#error "the cpu provider knows aarch64 and x86-64"
#endif

namespace {

std::vector<const KernelSet*> supported_sets() {
  std::vector<const KernelSet*> sets;
#if defined(__aarch64__)
  sets.push_back(&kNeonKernels);
#else
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    sets.push_back(&kAvx512Kernels);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    sets.push_back(&kAvx2Kernels);
  sets.push_back(&kSse2Kernels);
#endif
  return sets;
}

}  // namespace

std::span<const KernelSet* const> kernel_sets() {
  static const std::vector<const KernelSet*> sets = supported_sets();
  return sets;
}

}  // namespace strobe::bench

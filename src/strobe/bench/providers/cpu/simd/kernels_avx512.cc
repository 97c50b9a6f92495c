#if defined(__x86_64__)

#define STROBE_SIMD simd_avx512
#define STROBE_SIMD_BYTES 64
#define STROBE_TILE_ROWS 8
#define STROBE_TILE_VECTORS 3

#include "strobe/bench/providers/cpu/simd/kernel_set.h"

namespace strobe::bench {

extern constinit const KernelSet kAvx512Kernels;
constinit const KernelSet kAvx512Kernels = simd_avx512::make_set("AVX-512");

}  // namespace strobe::bench

#endif

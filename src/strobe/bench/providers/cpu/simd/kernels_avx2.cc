#if defined(__x86_64__)

#define STROBE_SIMD simd_avx2
#define STROBE_SIMD_BYTES 32
#define STROBE_TILE_ROWS 4
#define STROBE_TILE_VECTORS 3

#include "strobe/bench/providers/cpu/simd/kernel_set.h"

namespace strobe::bench {

extern constinit const KernelSet kAvx2Kernels;
constinit const KernelSet kAvx2Kernels = simd_avx2::make_set("AVX2");

}  // namespace strobe::bench

#endif

#if defined(__x86_64__)

#define STROBE_SIMD simd_sse2
#define STROBE_SIMD_BYTES 16
#define STROBE_TILE_ROWS 4
#define STROBE_TILE_VECTORS 2

#include "strobe/bench/providers/cpu/simd/kernel_set.h"

namespace strobe::bench {

extern constinit const KernelSet kSse2Kernels;
constinit const KernelSet kSse2Kernels = simd_sse2::make_set("SSE2");

}  // namespace strobe::bench

#endif

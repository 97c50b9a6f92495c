#if defined(__aarch64__)

#define STROBE_SIMD simd_neon
#define STROBE_SIMD_BYTES 16
#define STROBE_TILE_ROWS 8
#define STROBE_TILE_VECTORS 3

#include "strobe/bench/providers/cpu/simd/kernel_set.h"

namespace strobe::bench {

extern constinit const KernelSet kNeonKernels;
constinit const KernelSet kNeonKernels = simd_neon::make_set("NEON");

}  // namespace strobe::bench

#endif

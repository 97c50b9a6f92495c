#include "strobe/base/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace strobe {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargestBlock = 32 << 20;  // the most that the library accepts
  constexpr int kLargestRest = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  mallopt(M_TRIM_THRESHOLD, kLargestRest);
#endif
}

}  // namespace strobe

#include "strobe/base/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#endif

namespace strobe {

#ifdef __GLIBC__
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

// The heap grows once, by all that is needed soon, and that part asks for large pages. A machine
// without them says no, which changes nothing.
void grow_heap(std::size_t bytes) {
  mallopt(M_TOP_PAD, static_cast<int>(bytes));
  void* const first = std::malloc(kLargePage);
  const auto begin = (reinterpret_cast<std::uintptr_t>(first) + kLargePage - 1) & ~(kLargePage - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  if (first != nullptr && begin < end && end - begin <= bytes + 2 * kLargePage) {
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }
  std::free(first);
  mallopt(M_TOP_PAD, 0);
}

}  // namespace
#endif

void keep_freed_memory([[maybe_unused]] std::size_t soon_bytes) {
#ifdef __GLIBC__
  constexpr int kLargestBlock = 32 << 20;  // the most that the library accepts
  constexpr int kLargestRest = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  mallopt(M_TRIM_THRESHOLD, kLargestRest);
  if (soon_bytes >= kLargePage) grow_heap(std::min<std::size_t>(soon_bytes, kLargestRest));
#endif
}

}  // namespace strobe

#include "strobe/base/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#endif

namespace strobe {

#ifdef __GLIBC__
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

// The heap grows once, by all that is needed soon, and that part asks for large pages. A machine
// without them says no, which changes nothing. Blocks that the heap still has free are taken until
// it must grow.
void grow_heap(std::size_t bytes) {
  constexpr int kMostBlocks = 128;
  const auto heap_end = [] { return reinterpret_cast<std::uintptr_t>(sbrk(0)); };
  const std::uintptr_t before = heap_end();
  mallopt(M_TOP_PAD, static_cast<int>(bytes));
  std::array<void*, kMostBlocks> blocks = {};
  for (void*& block : blocks) {
    block = std::malloc(kLargePage);
    if (block == nullptr || heap_end() != before) break;
  }
  const std::uintptr_t begin = (before + kLargePage - 1) & ~(kLargePage - 1);
  if (const std::uintptr_t end = heap_end(); begin < end) {
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }
  for (void* block : blocks) std::free(block);
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

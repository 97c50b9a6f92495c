#include "strobe/base/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <vector>

// Only the GNU C library can be told what to do with freed memory.
#ifdef __GLIBC__

namespace strobe {
namespace {

// How often the process met a page that it did not have yet.
long page_faults() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

long page_faults_of_a_list() {
  const long before = page_faults();
  const std::vector<char> list(8 << 20, 'x');
  EXPECT_EQ(list.back(), 'x');
  return page_faults() - before;
}

TEST(MemoryTest, freed_memory_serves_the_next_list) {
  keep_freed_memory();
  page_faults_of_a_list();
  EXPECT_LT(page_faults_of_a_list(), 200);  // of 2,048 pages of 4 KiB
}

TEST(MemoryTest, the_heap_grows_at_once_even_if_some_of_it_is_free) {
  keep_freed_memory();
  std::make_unique<std::vector<char>>(8 << 20).reset();  // stays in the heap, free
  constexpr std::ptrdiff_t kSoon = 64 << 20;
  const char* before = static_cast<char*>(sbrk(0));
  keep_freed_memory(kSoon);
  EXPECT_GE(static_cast<char*>(sbrk(0)) - before, kSoon);
}

}  // namespace
}  // namespace strobe

#endif

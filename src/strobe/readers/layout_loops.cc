#include "strobe/readers/layout_loops.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "strobe/readers/layout_reading.h"

namespace strobe::readers {

#if defined(__x86_64__)
extern const LayoutLoops kAvx2LayoutLoops;  // in layout_loops_avx2.cc
#endif

namespace {

std::uint64_t load_eight(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

// For every processor of its kind: words of eight bytes, and values as readers of single events
// take them.
struct Words {
  // Both sides are padded, so whole words can be read; bytes past the end are shifted out.
  static bool same_bytes(const char* a, const char* b, std::size_t bytes) {
    for (; bytes > 8; bytes -= 8, a += 8, b += 8) {
      if (load_eight(a) != load_eight(b)) return false;
    }
    return bytes == 0 || (load_eight(a) ^ load_eight(b)) << (64 - 8 * bytes) == 0;
  }
  static const char* take_common(Field, const char*, RawEvent&) { return nullptr; }
};

constexpr LayoutLoops kWordLoops = {"words", read_by_layout<Words>};

}  // namespace

std::span<const LayoutLoops> layout_loops() {
#if defined(__x86_64__)
  static const std::array loops = {kAvx2LayoutLoops, kWordLoops};
  static const bool has_avx2 = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
  }();
  return std::span(loops).subspan(has_avx2 ? 0 : 1);
#else
  static const std::array loops = {kWordLoops};
  return loops;
#endif
}

}  // namespace strobe::readers

#include "strobe/readers/slice_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace strobe::readers {
namespace {

// A machine without large pages says no, which changes nothing.
template <class T>
void ask_for_large_pages(const std::vector<T>& column) {
  constexpr std::uintptr_t kLargePage = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(column.data());
  const std::uintptr_t end = (begin + column.capacity() * sizeof(T)) & ~(kLargePage - 1);
  const std::uintptr_t first = (begin + kLargePage - 1) & ~(kLargePage - 1);
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace

void reserve_rows(SliceVectors& slices, std::size_t rows) {
  std::apply(
      [&](auto&... columns) {
        (columns.reserve(rows), ...);
        (ask_for_large_pages(columns), ...);
      },
      columns_of(slices));
}

NewRows append_rows(SliceVectors& slices, std::size_t rows) {
  const std::size_t first = slices.size();
  return std::apply(
      [&](auto&... columns) {
        (columns.resize(first + rows), ...);
        return NewRows{columns.data() + first...};
      },
      columns_of(slices));
}

}  // namespace strobe::readers

#include "strobe/bench/providers/cpu/host_buffer.h"

#include <sys/mman.h>

#include <algorithm>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

constexpr std::size_t kLargePageBytes = std::size_t{2} << 20;

}  // namespace

void UnmapPages::operator()(void* data) const { munmap(data, mapped); }

Result<HostBuffer> HostBuffer::make(std::int64_t bytes) {
  HostBuffer buffer;
  const std::size_t wanted = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  void* const data =
      mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    return Error{.code = ErrorCode::kOutOfMemory,
                 .what = fmt::format("cannot allocate {} bytes of memory", bytes),
                 .where = "",
                 .hint = "run a smaller shape"};
  }
  if (wanted >= kLargePageBytes) madvise(data, wanted, MADV_HUGEPAGE);
  buffer.data_ = std::unique_ptr<void, UnmapPages>(data, UnmapPages{wanted});
  buffer.bytes_ = bytes;
  return buffer;
}

}  // namespace strobe::bench

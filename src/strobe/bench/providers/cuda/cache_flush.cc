#include "strobe/bench/providers/cuda/cache_flush.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/kernel_code.h"
#include "strobe/bench/providers/cuda/kernel_sources.h"

namespace strobe::bench {

Result<FlushKind> parse_flush(std::string_view name) {
  if (name == "cold") return FlushKind::kCold;
  if (name == "cold-dirty") return FlushKind::kColdDirty;
  if (name == "rotate") return FlushKind::kRotate;
  if (name == "hot") return FlushKind::kHot;
  return Error{.code = ErrorCode::kBadCommandLine,
               .what = fmt::format("'{}' is no state of the cache", name),
               .where = "--l2",
               .hint = "one of cold, cold-dirty, rotate, hot"};
}

Result<CacheFlush> CacheFlush::make(CudaDevice& device, const std::string& cache_folder) {
  CacheFlush flush(device);
  flush.shape_.grid[0] = static_cast<std::uint32_t>(device.chip().sm_count) * 4;
  flush.shape_.block[0] = 512;
  STROBE_TRY(const KernelCode code,
             find_or_compile(device, std::string(sources::kFlush), "strobe_flush", cache_folder));
  STROBE_TRY(flush.kernel_, device.load(code.image, "strobe_flush", flush.shape_));
  STROBE_TRY(flush.buffer_, device.allocate(2 * static_cast<std::size_t>(device.chip().l2_bytes),
                                            "a buffer to flush the L2 cache with"));
  STROBE_TRY(flush.sink_, device.allocate(16, "a word"));
  STROBE_TRY_VOID(device.fill_bytes(flush.buffer_.address(), 0, flush.buffer_.bytes));
  STROBE_TRY_VOID(flush.enqueue(FlushKind::kCold));
  STROBE_TRY_VOID(flush.enqueue(FlushKind::kColdDirty));
  STROBE_TRY_VOID(device.synchronize());
  return flush;
}

Result<void> CacheFlush::enqueue(FlushKind kind) {
  switch (kind) {
    case FlushKind::kCold: {
      CuPointer data = buffer_.address();
      unsigned long long count = buffer_.bytes / 16;
      CuPointer sink = sink_.address();
      const std::array<void*, 3> arguments = {&data, &count, &sink};
      return device_->launch(kernel_, shape_, arguments);
    }
    case FlushKind::kColdDirty:
      return device_->fill_bytes(buffer_.address(), 0, buffer_.bytes);
    case FlushKind::kRotate:
    case FlushKind::kHot:
      return {};
  }
  return {};
}

}  // namespace strobe::bench

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
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = fmt::format("'{}' is no state of the cache", name),
               .where = "--l2",
               .hint = "one of cold, cold-dirty, rotate, hot"};
}

Result<CacheFlush> CacheFlush::make(CudaDevice& device, const std::string& cache_folder) {
  CacheFlush flush(device);
  flush.shape_.grid[0] = static_cast<std::uint32_t>(device.chip().sm_count) * 4;
  flush.shape_.block[0] = 512;
  const auto load = [&](std::string_view source, const char* name) -> Result<DeviceKernel> {
    STROBE_TRY(const KernelCode code,
               find_or_compile(device, std::string(source), name, cache_folder));
    return device.load(code.image, name, flush.shape_);
  };
  STROBE_TRY(flush.read_kernel_, load(sources::kFlush, "strobe_flush"));
  STROBE_TRY(flush.release_kernel_, load(sources::kRelease, "strobe_release"));
  STROBE_TRY(flush.buffer_, device.allocate(2 * static_cast<std::size_t>(device.chip().l2_bytes),
                                            "a buffer to flush the L2 cache with"));
  STROBE_TRY(flush.sink_, device.allocate(16, "a word"));
  STROBE_TRY_VOID(device.fill_bytes(flush.buffer_.address(), 0, flush.buffer_.bytes));
  STROBE_TRY_VOID(flush.enqueue(FlushKind::kCold));
  STROBE_TRY_VOID(flush.enqueue(FlushKind::kColdDirty));
  STROBE_TRY_VOID(device.synchronize());
  return flush;
}

Result<void> CacheFlush::read(bool is_to_stay) {
  CuPointer data = buffer_.address();
  unsigned long long count = buffer_.bytes / 16;
  CuPointer sink = sink_.address();
  int stays = is_to_stay ? 1 : 0;
  const std::array<void*, 4> arguments = {&data, &count, &sink, &stays};
  return device_->launch(read_kernel_, shape_, arguments);
}

Result<void> CacheFlush::release() {
  CuPointer data = buffer_.address();
  unsigned long long count = buffer_.bytes / 16;
  const std::array<void*, 2> arguments = {&data, &count};
  return device_->launch(release_kernel_, shape_, arguments);
}

Result<void> CacheFlush::enqueue(FlushKind kind) {
  switch (kind) {
    case FlushKind::kCold:
      // What a kernel read with the priority to stay gives way only to what has it, too. In the
      // end nothing has it, and the last lines came from memory, as before.
      STROBE_TRY_VOID(read(true));
      STROBE_TRY_VOID(release());
      return read(false);
    case FlushKind::kColdDirty:
      return device_->fill_bytes(buffer_.address(), 0, buffer_.bytes);
    case FlushKind::kRotate:
    case FlushKind::kHot:
      return {};
  }
  return {};
}

}  // namespace strobe::bench

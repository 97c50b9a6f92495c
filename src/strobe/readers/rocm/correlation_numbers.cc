#include "strobe/readers/rocm/correlation_numbers.h"

namespace strobe::readers {

std::uint32_t CorrelationNumbers::of(std::uint64_t process, std::uint64_t correlation) {
  if (correlation == 0) return kNoLaunchId;
  if (!first_process_) first_process_ = process;
  if (process == *first_process_ && correlation < kFirstGiven) {
    return static_cast<std::uint32_t>(correlation);
  }
  const auto [entry, is_new] = given_.try_emplace({process, correlation}, kNoLaunchId);
  if (is_new && next_ != kNoLaunchId) entry->second = next_++;
  if (entry->second == kNoLaunchId) ++left_out_;
  return entry->second;
}

}  // namespace strobe::readers

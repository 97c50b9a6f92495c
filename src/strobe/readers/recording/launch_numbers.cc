#include "strobe/readers/recording/launch_numbers.h"

#include <algorithm>

namespace strobe::readers {

// A segment counts on if its calls are nearer to the end of those before than to their beginning:
// threads write their calls a little out of order.
void LaunchNumbers::number_segments() {
  std::size_t first = 0;  // of the segments that count on
  Span all;
  std::uint64_t offset = 0;
  const auto close = [&](std::size_t end) {
    for (; first < end; ++first) {
      spans_[first].offset = offset;
      spans_[first].ceiling = all.high;
    }
  };
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    if (span.low > span.high) continue;
    const bool has_calls_before = all.low <= all.high;
    if (has_calls_before && span.low <= all.low + (all.high - all.low) / 2) {
      close(i);
      offset = std::min<std::uint64_t>(offset + std::min<std::uint64_t>(all.high, kNoLaunchId),
                                       std::uint64_t{1} << 40);
      all = {};
      starts_again_ = true;
    }
    all.low = std::min(all.low, span.low);
    all.high = std::max(all.high, span.high);
  }
  close(spans_.size());
}

}  // namespace strobe::readers

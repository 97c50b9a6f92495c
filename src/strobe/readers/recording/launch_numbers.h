#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/trace/tables.h"

namespace strobe::readers {

// The correlations of a recording as the numbers of a trace, which are unique in it. Where the
// device's library was attached again, a segment starts, and correlations may count from 1 again;
// where a recording was only cut into parts, they go on.
class LaunchNumbers {
 public:
  explicit LaunchNumbers(std::size_t segments) : spans_(segments) {}

  // Every call's correlation is noted before the first number is asked for.
  void note_call(std::uint32_t segment, std::uint64_t correlation) {
    if (correlation == 0) return;
    Span& span = spans_[segment];
    if (correlation < span.low) span.low = correlation;
    if (correlation > span.high) span.high = correlation;
  }
  void number_segments();

  // kNoLaunchId for 0, and for what has no room in 32 bits; those are counted.
  std::uint32_t of(std::uint32_t segment, std::uint64_t correlation) {
    if (correlation == 0) return kNoLaunchId;
    const Span& span = spans_[segment];
    // Another segment's calls may have what lies above.
    if (starts_again_ && correlation > span.ceiling) return kNoLaunchId;
    const std::uint64_t number = correlation + span.offset;
    if (correlation >= kNoLaunchId || number >= kNoLaunchId) [[unlikely]] {
      ++too_wide_;
      return kNoLaunchId;
    }
    return static_cast<std::uint32_t>(number);
  }
  std::uint64_t too_wide() const { return too_wide_; }

 private:
  struct Span {
    std::uint64_t low = ~0ull;  // of its calls; above `high` if it has none
    std::uint64_t high = 0;
    std::uint64_t offset = 0;
    std::uint64_t ceiling = ~0ull;  // the highest of the segments that count on
  };
  std::vector<Span> spans_;
  bool starts_again_ = false;
  std::uint64_t too_wide_ = 0;
};

}  // namespace strobe::readers

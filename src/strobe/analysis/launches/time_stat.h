#pragma once

#include <cstdint>
#include <limits>

namespace strobe::analysis {

// One duration over several calls.
struct TimeStat {
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t max_ns = 0;
  std::int64_t min_ns = std::numeric_limits<std::int64_t>::max();

  void add(std::int64_t duration_ns) { add(duration_ns, duration_ns); }
  // A call of which only a part counts in the total.
  void add(std::int64_t duration_ns, std::int64_t counted_ns) {
    ++calls;
    total_ns += counted_ns;
    if (duration_ns > max_ns) max_ns = duration_ns;
    if (duration_ns < min_ns) min_ns = duration_ns;
  }
  void add(const TimeStat& other) {
    calls += other.calls;
    total_ns += other.total_ns;
    if (other.max_ns > max_ns) max_ns = other.max_ns;
    if (other.min_ns < min_ns) min_ns = other.min_ns;
  }
  double average_ns() const {
    return calls == 0 ? 0.0 : static_cast<double>(total_ns) / static_cast<double>(calls);
  }
  bool operator==(const TimeStat&) const = default;
};

}  // namespace strobe::analysis

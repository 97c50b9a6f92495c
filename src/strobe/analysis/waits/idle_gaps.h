#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/base/interval.h"

namespace strobe::analysis {

// The times in which no device of the trace works.
struct IdleGaps {
  static constexpr std::uint32_t kNoWork = 0xFFFFFFFFu;

  IntervalSet intervals;
  std::vector<std::uint32_t> next_works;  // per gap, of Attribution::Works: what ends it
  std::size_t size() const { return intervals.size(); }
};

// The gaps between the device work of all streams, by time, as far as they meet `hull`. A gap keeps
// its whole length, except that before the first work it starts with the hull, and after the last
// one it ends with it. If several works end a gap together, one with a known call is its next work.
// None in a trace without device work: what is not there is not idle.
IdleGaps find_idle_gaps(const AttributedTrace& input, Interval hull);

// The host threads that idle time is explained by.
struct LaunchingThreads {
  std::uint32_t busiest = OpTree::kNoThread;  // that launches most; without launches, the one with
                                              // most steps or else most ranges
  // Per thread: the thread of its process that runs the script. That is the one with steps; else
  // the one whose number is the process's; else the one that launches most. kNoThread if unknown.
  std::vector<std::uint32_t> script_threads;
  std::vector<char> watched;  // per thread: it launches, or is the busiest, or the script's of one
};
LaunchingThreads find_launching_threads(const AttributedTrace& input);

// Who launched device work, and when that ended. Where only the operator is known, it is the
// operator's end. kNoThread for work whose launch was not recorded.
struct LaunchEnd {
  std::uint32_t thread = OpTree::kNoThread;
  std::int64_t end_ns = 0;
  bool is_exact = false;  // the end of the call itself
};
LaunchEnd find_launch_end(const AttributedTrace& input, std::uint32_t work);
// That of the work that ends a gap.
LaunchEnd find_launch_end(const AttributedTrace& input, const IdleGaps& gaps, std::size_t gap);

}  // namespace strobe::analysis

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "strobe/base/string_pool.h"

namespace strobe::analysis {

// Collectives that take far longer than the median of their name: they wait for other ranks. A
// collective of more bytes takes longer too, but not by this much, and not just once in a while.
struct LongCollectives {
  std::uint64_t calls = 0;  // at least ten times the median, and at most a twentieth of the name's
  std::uint64_t of_calls = 0;  // of this name
  std::int64_t total_ns = 0;   // of the long ones
  std::int64_t longest_ns = 0;
  std::int64_t median_ns = 0;  // of the name
  std::int64_t all_ns = 0;     // collectives of all names
};

// Of the name with most time in long ones; only `all_ns` if there are none. `durations_ns`: one
// entry per collective on the device.
LongCollectives find_long_collectives(std::vector<std::pair<StringId, std::int64_t>> durations_ns);

}  // namespace strobe::analysis

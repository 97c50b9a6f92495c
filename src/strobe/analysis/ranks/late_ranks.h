#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/trace/trace.h"

// Which ranks came last to the collectives of a run. A collective waits for its last rank, and the
// slices of the others show the wait as communication.
//
// Collectives are device kernels that communicate, and ranges of libraries that communicate on the
// host. The n-th of one name and process group on one rank meets the n-th of that name and group on
// the others, if all ranks that have it have it equally often. The group is known where the
// arguments name it. What one rank sends to another is left out.
//
// The last rank is the one whose slice starts after all others; if two start last together, it is
// none. That is also counted if it is later by a microsecond: whether it matters is a question of
// the time that the others waited.
//
// Ranks leave most collectives together. One that seems to leave earlier or later has a clock that
// is wrong by that, and its starts are corrected. Where clocks differ by more than the collectives
// last, starts mean nothing. Then the last rank is the one whose slice is shortest.
namespace strobe::analysis {

struct RankLateness {
  std::uint64_t collectives = 0;  // matched, in which this rank took part
  std::uint64_t last = 0;         // in which it alone came last
  // In those: from the median arrival of the others to its own. Time in which they wait in several
  // at once counts once.
  std::int64_t others_waited_ns = 0;
  std::int64_t longest_ns = 0;     // the most in one collective
  std::int64_t longest_at_ns = 0;  // when that one started here
  // How often it would be last if chance decided: each rank of a collective equally likely. 0: one
  // of as many collectives as there are ranks.
  double last_by_chance = 0;
};

struct Lateness {
  std::vector<RankLateness> ranks;  // parallel to the traces
  std::uint64_t collectives = 0;    // matched over all ranks
  bool clocks_differ = false;  // starts cannot be compared: most collectives do not overlap in time
  bool on_host = false;        // most of them run there
  std::int64_t span_ns = 0;    // of the longest trace
};

// Empty ranks if fewer than two traces have collectives that match.
Lateness find_lateness(const std::vector<const Trace*>& ranks);

// Positions of the ranks that come last clearly more often than chance and cost time, worst first:
// chance alone makes one of them last that often in less than one run of a thousand, and the others
// waited for it for more than 1 % of the span; 5 % if the collectives run on the host.
std::vector<std::size_t> late_ranks(const Lateness& lateness);

}  // namespace strobe::analysis

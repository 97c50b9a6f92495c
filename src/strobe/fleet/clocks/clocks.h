#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/fleet/matching/matching.h"

// One clock for all ranks, out of their exchanges: nobody leaves a collective before the last rank
// has come, and all leave it together, within its last transfer. Where only messages between two
// ranks tie clocks together, those of both directions bound them from both sides.
namespace strobe::fleet {

// The ranks of one host share a clock. A rank whose host is not known has its own.
struct HostClock {
  std::string host;                 // empty: not known
  std::vector<std::int32_t> ranks;  // ascending
  // Hosts of one number are tied together by exchanges; the first host of each has the clock that
  // its others are moved to.
  std::uint32_t island = 0;
  std::size_t exchanges = 0;        // with other hosts, that tell about the clock
  std::int64_t offset_ns = 0;       // ahead of that clock, when the host's first exchange begins
  double drift_ppm = 0;             // and gains so much
  std::int64_t uncertainty_ns = 0;  // of the offset, 95 %
  // What the offset cannot be below and above, if exchanges say so.
  std::optional<std::int64_t> least_ns;
  std::optional<std::int64_t> most_ns;

  bool operator==(const HostClock&) const = default;
};

class Clocks {
 public:
  std::vector<HostClock> hosts;  // by their first rank
  std::uint32_t islands = 0;

  std::int64_t common_ns(std::size_t rank, std::int64_t own_ns) const;  // `rank`: a position
  Interval common(std::size_t rank, const Interval& own) const {
    return {common_ns(rank, own.start_ns), common_ns(rank, own.end_ns)};
  }

 private:
  friend class ClockFitter;
  friend Clocks own_clocks(std::span<const RankDigest* const> digests);

  struct Line {
    std::int64_t base_ns = 0;         // by the own clock
    std::int64_t common_base_ns = 0;  // when the common clock would show that, but for the offset
    double offset_ns = 0;
    double drift = 0;
  };
  std::vector<Line> lines_;                // per host
  std::vector<std::size_t> host_of_rank_;  // by position
};

// `digests` by rank, `matching` of them.
Clocks fit_clocks(std::span<const RankDigest* const> digests, const Matching& matching);

// As the files have them.
Clocks own_clocks(std::span<const RankDigest* const> digests);

}  // namespace strobe::fleet

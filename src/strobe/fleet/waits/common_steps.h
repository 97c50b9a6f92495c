#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "strobe/fleet/clocks/clocks.h"
#include "strobe/fleet/digest/rank_digest.h"

namespace strobe::fleet {

// The steps that all ranks have.
struct CommonSteps {
  std::vector<std::string> names;
  std::vector<std::vector<std::size_t>> of_ranks;  // per rank: its steps, parallel to the names
};

// Marked steps meet by name; what was found in their place by its time on the common clock.
CommonSteps common_steps(std::span<const RankDigest* const> digests, const Clocks& clocks);

}  // namespace strobe::fleet

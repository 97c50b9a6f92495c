#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/stats/dice.h"

namespace strobe::bench {

// Who measures when. A round gives every contender one turn, in an order that is drawn anew for
// each: whatever drifts meets all of them alike, and nobody always follows the same neighbour. The
// order follows from the seed, which the run's header keeps.
class Turns {
 public:
  Turns(std::size_t contenders, std::uint64_t seed) : contenders_(contenders), dice_(seed) {}

  std::vector<std::size_t> next_round();

 private:
  std::size_t contenders_;
  stats::Dice dice_;
};

}  // namespace strobe::bench

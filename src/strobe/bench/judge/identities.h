#pragma once

#include <string>
#include <vector>

#include "strobe/bench/results/ratio_grid.h"

// Tables of ratios that must fit together: devices times providers, and three providers in a ring.
namespace strobe::bench {

struct IdentityCheck {
  std::string law;  // "G(inductor) = G(eager) P(A100) / P(RTX3090)"
  std::size_t cells = 0;
  double worst = 0;  // relative deviation
  std::string worst_cell;
  std::vector<std::string> violations;  // beyond what rounding explains, by cell
};
std::vector<IdentityCheck> check_identities(const RatioGrids& grids);

}  // namespace strobe::bench

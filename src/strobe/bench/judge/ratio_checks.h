#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strobe/bench/results/ratio_grid.h"

// Finds problems that tables of ratios hide.
namespace strobe::bench {

// A table whose ratios become 100 % from some cell on: the contender silently was the baseline.
struct FlatLine {
  std::size_t index = 0;  // of the first cell of the flat part, in run order
  double before_share = 0;
  double after_share = 0;  // of cells within 100 +- 1 %
  double before_mean = 0;  // geometric, percent
  double after_mean = 0;
};
std::optional<FlatLine> find_flat_line(const RatioGrid& grid);

// Identities between tables: devices times providers, and three providers in a ring.
struct IdentityCheck {
  std::string law;  // "G(inductor) = G(eager) P(A100) / P(RTX3090)"
  std::size_t cells = 0;
  double worst = 0;  // relative deviation
  std::string worst_cell;
  std::vector<std::string> violations;  // cells that deviate by more than rounding explains
};
std::vector<IdentityCheck> check_identities(const RatioGrids& grids);

}  // namespace strobe::bench

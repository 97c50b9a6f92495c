#pragma once

#include <optional>
#include <span>

#include "strobe/bench/results/ratio_grid.h"

// A table whose ratios become 100 % from one cell on: the contender silently was the baseline.
namespace strobe::bench {

struct FlatLine {
  std::size_t index = 0;  // of the first cell of the flat part, in run order
  double before_share = 0;
  double after_share = 0;  // of cells within 100 +- 1 %
  double before_mean = 0;  // geometric, percent
  double after_mean = 0;
};
std::optional<FlatLine> find_flat_line(const RatioGrid& grid);

}  // namespace strobe::bench

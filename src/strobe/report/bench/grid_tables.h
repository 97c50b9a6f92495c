#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "strobe/report/bench/bench_table.h"

namespace strobe::report {

// A table of ratios with rows of dim0 and columns of dim1, its mean and what was found in it.
BenchTable grid_table(const bench::RatioGrid& grid, std::string_view missing);
// Rates: a table for every dim1, a column for every provider. All grids are of one case.
std::vector<BenchTable> bandwidth_tables(std::span<const bench::RatioGrid> grids,
                                         std::string_view missing);
// One line for each table of ratios.
BenchTable overview_table(std::span<const bench::RatioGrid> grids);

}  // namespace strobe::report

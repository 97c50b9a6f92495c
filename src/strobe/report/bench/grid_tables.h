#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/judge/ratio_checks.h"
#include "strobe/bench/results/ratio_grid.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

// A table of ratios with rows of dim0 and columns of dim1, its mean and findings about it.
Section grid_table(const bench::RatioGrid& grid, std::string_view missing);
// Rates: a table for every dim1, a column for every provider. All grids belong to one case.
std::vector<Section> bandwidth_tables(std::span<const bench::RatioGrid> grids,
                                      std::string_view missing);
// One line for each table of ratios.
Section overview_table(std::span<const bench::RatioGrid> grids);

// Ratios and rates for CSV: all in one table, with the columns that strobe reads back.
Section ratio_rows();
void add_ratio_rows(Section& rows, const bench::RatioGrid& grid);

// The result of an identity check; a violation is a warning, otherwise a note.
std::string identity_text(const bench::IdentityCheck& check);

}  // namespace strobe::report

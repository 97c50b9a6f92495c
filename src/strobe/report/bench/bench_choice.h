#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strobe/report/bench/bench_page.h"

// What the pages of imported tables and of runs share.
namespace strobe::report {

// An empty list means everybody.
bool is_among(const std::vector<std::string>& chosen, const std::string& name);
Error nothing_to_show(std::string_view what, std::string_view hint);
// The tables of a kind that is made of grids.
void add_grid_tables(BenchPage& page, BenchTableKind kind,
                     const std::vector<bench::RatioGrid>& grids, std::string_view missing);

}  // namespace strobe::report

#pragma once

#include <vector>

#include "strobe/bench/results/cell_record.h"
#include "strobe/report/bench/bench_table.h"

namespace strobe::report {

// One picture for each case and type: the rate of every cell over its size, under the measured
// roof.
std::vector<BenchFigure> roof_figures(const bench::BenchRun& run);

}  // namespace strobe::report

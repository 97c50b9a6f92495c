#pragma once

#include "strobe/bench/results/cell_record.h"
#include "strobe/report/bench/bench_table.h"

namespace strobe::report {

// What a person looks at when a run is over: of each cell its time, its rate, how near it is to a
// copy, and how it stands to the first provider of its shape.
BenchTable short_table(const bench::BenchRun& run);

// How many cells ended how: "38 ok, 1 wrong, 1 OOM*".
std::string outcome_line(const bench::BenchRun& run);

}  // namespace strobe::report

#pragma once

#include <string>
#include <string_view>

#include "strobe/bench/judge/pair_table.h"

namespace strobe::serve {

// The bodies of /api/v1/bench/table and /api/v1/bench/points: one table as it is drawn, from a run
// or from tables of ratios, and every cell of a case under the roofs.
std::string bench_table_answer(std::string_view name, const bench::BenchRun& run,
                               const bench::PairQuestion& question);
std::string bench_table_answer(std::string_view name, const bench::RatioGrid& grid);

std::string bench_points_answer(std::string_view name, const bench::BenchRun& run,
                                const bench::PairQuestion& question);

}  // namespace strobe::serve

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strobe/bench/judge/pair_table.h"

namespace strobe::serve {

// The body of /api/v1/bench/cell: everything known about both sides of one cell. Nothing if the run
// has neither.
std::optional<std::string> bench_cell_answer(std::string_view name, const bench::BenchRun& run,
                                             const bench::PairQuestion& question,
                                             const bench::Shape& shape);

}  // namespace strobe::serve

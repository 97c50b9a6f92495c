#pragma once

#include <string>
#include <vector>

#include "strobe/bench/results/foreign_tables.h"
#include "strobe/bench/results/ratio_grid.h"
#include "strobe/cli/command.h"
#include "strobe/report/bench/bench_page.h"

namespace strobe::cli {

// What `strobe bench show` was asked for. Names stand as they were typed: only the file says which
// there are.
struct BenchShowRequest {
  std::vector<std::string> files;  // one, or two runs
  report::BenchChoice choice;
  Format format = Format::kText;
  bool is_forced = false;  // two runs, however they were measured
  std::string output;
  std::vector<std::string> tables;  // as typed
};
std::vector<Flag> bench_show_flags(BenchShowRequest& request);
Result<void> complete_bench_show(BenchShowRequest& request, const Arguments& arguments);

// The names of a choice made whole by those of the file.
Result<report::BenchChoice> resolve(const report::BenchChoice& choice,
                                    const bench::RatioGrids& grids);
Result<report::BenchChoice> resolve(const report::BenchChoice& choice, const bench::BenchRun& run);
// What a tuner chose has no times, so that a choice of any is an error.
Result<report::BenchChoice> resolve(const report::BenchChoice& choice,
                                    const bench::TunedShapes& tuned);

}  // namespace strobe::cli

#pragma once

#include <string>
#include <vector>

#include "strobe/bench/results/foreign_tables.h"
#include "strobe/bench/results/ratio_grid.h"
#include "strobe/cli/command.h"
#include "strobe/report/bench/bench_page.h"

namespace strobe::cli {

// The request of `strobe bench show`. Names are as typed: only the file knows the valid ones.
struct BenchShowRequest {
  std::vector<std::string> files;  // one, or two runs
  report::BenchChoice choice;
  Format format = Format::kText;
  bool is_forced = false;  // two runs, even if measured differently
  std::string output;
  std::vector<std::string> tables;  // as typed
};
std::vector<Flag> bench_show_flags(BenchShowRequest& request);
Result<void> complete_bench_show(BenchShowRequest& request, const Arguments& arguments);

// Completes the names of a choice with those of the file.
Result<report::BenchChoice> resolve(const report::BenchChoice& choice,
                                    const bench::RatioGrids& grids);
Result<report::BenchChoice> resolve(const report::BenchChoice& choice, const bench::BenchRun& run);
// A tuner's choices have no times, so any choice of one is an error.
Result<report::BenchChoice> resolve(const report::BenchChoice& choice,
                                    const bench::TunedShapes& tuned);

}  // namespace strobe::cli

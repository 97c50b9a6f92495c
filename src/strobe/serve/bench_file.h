#pragma once

#include <optional>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/judge/ratio_checks.h"
#include "strobe/bench/results/cell_record.h"
#include "strobe/bench/results/ratio_grid.h"
#include "strobe/serve/run_folder.h"

namespace strobe::serve {

// A benchmark in memory: a run, or tables of ratios.
struct BenchFile {
  std::optional<bench::BenchRun> run;
  std::optional<bench::RatioGrids> grids;
  std::vector<bench::IdentityCheck> identities;  // of the tables
};

// More than a page can show is refused: a packed file may hide any amount.
Result<BenchFile> read_bench_file(const FoundBench& found);

}  // namespace strobe::serve

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "strobe/bench/results/cell_record.h"
#include "strobe/cli/loading.h"
#include "strobe/query/trace_source.h"
#include "strobe/trace/kernel_table.h"
#include "strobe/trace/run.h"

// The runs that SQL is about: what `query` and `convert` to Parquet load.
namespace strobe::cli {

// Traces; or a list of kernels with counters, or a benchmark, with an empty trace.
struct QueriedRun {
  Run run;
  std::unique_ptr<const KernelTable> counters = {};
  std::unique_ptr<const bench::BenchRun> bench = {};
};

// Each path is a run: a trace, a folder with its ranks, a list of kernels, or a run of `strobe
// bench`. Runs of one name are told apart by what was typed.
Result<std::vector<QueriedRun>> load_runs(const std::vector<std::string>& paths,
                                          const LoadChoice& load, const Terminal& terminal);

// `runs` must outlive what uses them.
std::vector<query::TraceInput> query_inputs(const std::vector<QueriedRun>& runs);

}  // namespace strobe::cli

#pragma once

#include <string>
#include <vector>

#include "strobe/cli/loading.h"
#include "strobe/query/trace_source.h"
#include "strobe/trace/run.h"

// The runs that SQL is about: what `query` and `convert` to Parquet load.
namespace strobe::cli {

// Each path is a run: a trace, or a folder with its ranks. Runs of one name are told apart by what
// was typed.
Result<std::vector<Run>> load_runs(const std::vector<std::string>& paths, const LoadChoice& load,
                                   const Terminal& terminal);

// `runs` must outlive what uses them.
std::vector<query::TraceInput> query_inputs(const std::vector<Run>& runs);

}  // namespace strobe::cli

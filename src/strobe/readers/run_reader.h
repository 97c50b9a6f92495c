#pragma once

#include <filesystem>

#include "strobe/base/result.h"
#include "strobe/readers/trace_cache.h"
#include "strobe/trace/run.h"

namespace strobe::readers {

// Opens a run: a trace file, a folder with one trace and perhaps metrics.csv, a folder of such
// folders (rank0/, rank1/, ...), or a folder of traces, one per rank. metrics.csv of the upper
// folder belongs to every rank that has none of its own.
Result<Run> read_run(const std::filesystem::path& path, const LoadOptions& options,
                     const CacheOptions& cache);

}  // namespace strobe::readers

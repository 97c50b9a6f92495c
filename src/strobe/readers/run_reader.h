#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/readers/metric_samples.h"
#include "strobe/readers/trace_cache.h"
#include "strobe/trace/run.h"

// From the files of a run, some of them loaded by whoever holds traces, to its ranks.
namespace strobe::readers {

// A trace and where the samples for it lie.
struct RankFiles {
  std::optional<std::int32_t> rank;  // as the names say
  std::filesystem::path trace;
  std::optional<std::filesystem::path> metrics;
};

// By its place: 3 of rank3/trace.json or of rank3.json; metrics.csv beside it, or beside its
// rank's folder.
RankFiles rank_files_of(const std::filesystem::path& trace);

bool is_rank_folder(const std::filesystem::path& path);

using Samples = std::map<std::filesystem::path, MetricsRead>;  // several ranks may share one file

Result<Samples> read_samples(const std::vector<RankFiles>& files);

struct RankTrace {
  std::string name;  // becomes the capture's path
  std::shared_ptr<const Trace> trace;
  ImportReport import;
};

// Ranks are numbered by their names, else by what the traces say. `traces` goes with `files`; `run`
// is what errors call it.
Result<std::vector<RankCapture>> capture_ranks(const std::vector<RankFiles>& files,
                                               const Samples& samples,
                                               std::vector<RankTrace> traces,
                                               const std::string& run);

// Opens a run: a trace file, a folder with one trace and perhaps metrics.csv, a folder of such
// folders (rank0/, rank1/, ...), or a folder of traces, one per rank. metrics.csv of the upper
// folder belongs to every rank that has none of its own.
Result<Run> read_run(const std::filesystem::path& path, const LoadOptions& options,
                     const CacheOptions& cache);

}  // namespace strobe::readers

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

// From the files of a run, some of them already loaded by the caller, to its ranks.
namespace strobe::readers {

// A trace and the files of its samples.
struct RankFiles {
  std::optional<std::int32_t> rank;  // from the file names
  std::filesystem::path trace;       // a file, or a folder that is one
  std::optional<std::filesystem::path> metrics;
};

// By its path: 3 for rank3/trace.json, rank3.json or a folder that is the trace of rank3;
// metrics.csv in the same folder, or next to its rank's folder.
RankFiles rank_files_of(const std::filesystem::path& trace);

bool is_rank_folder(const std::filesystem::path& path);

// The traces of a run, as read_run finds them: of a file itself, of a folder its traces or those of
// its ranks' folders, of a recorded run its processes, by rank, then start.
Result<std::vector<RankFiles>> find_ranks(const std::filesystem::path& path);

// And the files whose names differ from those of several ranks by numbers only, though they hold no
// trace: reading one tells what is wrong with it.
Result<std::vector<RankFiles>> find_ranks_and_broken_ones(const std::filesystem::path& path);

using Samples = std::map<std::filesystem::path, MetricsRead>;  // several ranks may share one file

Result<Samples> read_samples(const std::vector<RankFiles>& files);

struct RankTrace {
  std::string name;  // becomes the capture's path
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const AllocatorSnapshot> snapshot = {};  // if the file is one
  ImportReport import;
};

// Ranks are numbered by their names, else by the traces' own rank numbers. `traces` is parallel to
// `files`; `run` is the name in errors.
Result<std::vector<RankCapture>> capture_ranks(const std::vector<RankFiles>& files,
                                               const Samples& samples,
                                               std::vector<RankTrace> traces,
                                               const std::string& run);

// Opens a run: a trace file, a folder with one trace and optionally metrics.csv, a folder of such
// folders (rank0/, rank1/, ...), a folder of traces, one per rank, or the folder of a run that
// strobe recorded. metrics.csv of the upper folder is used for every rank without its own.
Result<Run> read_run(const std::filesystem::path& path, const LoadOptions& options,
                     const CacheOptions& cache);

// The runs that `strobe record --runs` has put into one folder, in their order; none if it holds
// something else.
std::vector<std::filesystem::path> runs_in(const std::filesystem::path& folder);

}  // namespace strobe::readers

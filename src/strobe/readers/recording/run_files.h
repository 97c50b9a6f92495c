#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

// The files of a recorded run in its folder: those of its processes, and those of strobe's own
// samples.
namespace strobe::readers {

// By content.
bool is_run_file(const std::filesystem::path& path);

// By name. Both are empty if the folder is not that of a run.
struct RunFiles {
  std::vector<std::filesystem::path> processes;
  std::vector<std::filesystem::path> samples;

  bool empty() const { return processes.empty() && samples.empty(); }
};
RunFiles find_run_files(const std::filesystem::path& folder);

// The ids of processes with files. A file that cannot be read has none.
std::set<std::int64_t> process_ids(const std::vector<std::filesystem::path>& files);

// A file of the run that is a trace.
struct RunTraceFile {
  std::filesystem::path path;
  std::optional<std::int32_t> rank;
  std::int64_t start_ns = 0;  // of the first thing in it; 0 if there is nothing yet
};
// Those of the processes, or if none used a device, those of samples; by rank, then start. One in
// which nothing happened counts only if there is no other.
std::vector<RunTraceFile> traces_of_run(const RunFiles& files);

// Whether strobe wrote a manifest there, even if no file followed.
bool is_run_folder(const std::filesystem::path& folder);

// The folders of several runs of one program, RUN/1 to RUN/N, in this order.
std::vector<std::filesystem::path> numbered_runs(const std::filesystem::path& folder);
Error several_runs(const std::filesystem::path& folder,
                   const std::vector<std::filesystem::path>& runs);
Error no_files_yet(const std::filesystem::path& folder);

// A source that the recorder could not use, with its reason.
struct MissingSource {
  std::string name;
  std::string why;
};
// From the manifest of a run; none if it cannot be read. `recorder` is the id of strobe's process.
std::vector<MissingSource> missing_sources(const std::filesystem::path& folder,
                                           std::optional<std::int64_t> recorder);
std::vector<MissingSource> missing_sources_in(std::string_view manifest,
                                              std::optional<std::int64_t> recorder);

}  // namespace strobe::readers

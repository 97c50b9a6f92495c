#include "strobe/readers/run_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/file.h"
#include "strobe/readers/rank_captures.h"
#include "strobe/readers/sniff.h"
#include "strobe/readers/trace_reader.h"

namespace strobe::readers {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kRunHint =
    "a run is a trace file, or a folder with one trace and perhaps metrics.csv, or a folder with "
    "rank0/, rank1/, ...";
constexpr std::string_view kTraceEndings[] = {".json", ".json.gz", ".json.zst"};

struct Folder {
  fs::path path;
  std::vector<fs::path> traces;  // by name
  std::optional<fs::path> metrics;
  std::vector<fs::path> folders;  // by name
};

bool is_trace(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!std::ranges::any_of(kTraceEndings, [&](auto end) { return name.ends_with(end); })) {
    return false;
  }
  const Result<File> file = File::open(path);
  if (!file || !file->is_seekable()) return false;
  std::string first(kSniffBytes, '\0');
  const Result<std::size_t> bytes = file->read_at(0, first);
  return bytes && looks_like_trace(std::string_view(first).substr(0, *bytes));
}

Result<Folder> look_into(const fs::path& path) {
  Folder folder;
  folder.path = path;
  std::error_code error;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) {
      folder.folders.push_back(at->path());
    } else if (is_trace(at->path())) {
      folder.traces.push_back(at->path());
    }
  }
  if (error) {
    return Error{ErrorCode::kNotFound, "the folder cannot be read: " + error.message(),
                 path.string(), ""};
  }
  std::ranges::sort(folder.traces);
  std::ranges::sort(folder.folders);
  folder.metrics = metrics_in(path);
  return folder;
}

std::string without_ending(std::string name) {
  for (const std::string_view ending : {".gz", ".zst", ".json", ".pt.trace", ".trace"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
    }
  }
  return name;
}

Error no_trace(const Folder& folder) {
  std::string hint(kRunHint);
  for (const fs::path& below : folder.folders) {
    const Result<Folder> inner = look_into(below);
    if (!inner || inner->traces.empty()) continue;
    hint = fmt::format("there is a trace one folder further down: give '{}'", below.string());
    break;
  }
  return {ErrorCode::kNotFound, "the folder holds no trace", folder.path.string(), hint};
}

Result<std::vector<RankFiles>> ranks_in_folders(const Folder& folder,
                                                const std::vector<fs::path>& rank_folders) {
  if (!folder.traces.empty()) {
    return Error{
        ErrorCode::kMalformed,
        fmt::format("the folder holds ranks ('{}') and a trace beside them ('{}')",
                    rank_folders[0].filename().string(), folder.traces[0].filename().string()),
        folder.path.string(), "give the trace itself, or move one of the two away"};
  }
  std::vector<RankFiles> found;
  for (const fs::path& path : rank_folders) {
    STROBE_TRY(const Folder inner, look_into(path));
    if (inner.traces.empty()) return no_trace(inner);
    if (inner.traces.size() > 1) {
      return Error{
          ErrorCode::kMalformed,
          fmt::format("the rank has {} traces, not one: '{}', '{}'", inner.traces.size(),
                      inner.traces[0].filename().string(), inner.traces[1].filename().string()),
          path.string(), "leave one trace in each rank's folder"};
    }
    found.push_back({rank_in(path.filename().string()), inner.traces[0],
                     inner.metrics ? inner.metrics : folder.metrics});
  }
  return found;
}

Result<std::vector<RankFiles>> ranks_in(const Folder& folder) {
  std::vector<fs::path> rank_folders;
  std::ranges::copy_if(folder.folders, std::back_inserter(rank_folders), is_rank_folder);
  if (!rank_folders.empty()) return ranks_in_folders(folder, rank_folders);
  if (folder.traces.empty()) return no_trace(folder);
  std::vector<RankFiles> found;
  for (const fs::path& trace : folder.traces) {
    found.push_back({rank_in(trace.filename().string()), trace, folder.metrics});
  }
  return found;
}

Result<std::vector<RankFiles>> find_ranks(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return Error{ErrorCode::kNotFound, "there is no such file or folder", path.string(),
                 std::string(kRunHint)};
  }
  if (!fs::is_directory(status)) return std::vector<RankFiles>{{std::nullopt, path, std::nullopt}};
  STROBE_TRY(const Folder folder, look_into(path));
  return ranks_in(folder);
}

Result<std::vector<RankCapture>> load(const std::vector<RankFiles>& found, const fs::path& path,
                                      const LoadOptions& options, const CacheOptions& cache) {
  STROBE_TRY(const Samples samples, read_samples(found));
  std::vector<fs::path> files;
  for (const RankFiles& one : found) files.push_back(one.trace);
  STROBE_TRY(std::vector<LoadedTrace> loaded,
             read_traces(files, options, [&](const fs::path& trace, const LoadOptions& own) {
               return read_trace_cached(trace, own, cache);
             }));
  std::vector<RankTrace> traces;
  for (LoadedTrace& one : loaded) {
    traces.push_back({.name = one.path,
                      .trace = std::make_shared<const Trace>(std::move(one.trace)),
                      .import = std::move(one.report)});
  }
  return capture_ranks(found, samples, std::move(traces), path.string());
}

}  // namespace

Result<Run> read_run(const fs::path& path, const LoadOptions& options, const CacheOptions& cache) {
  STROBE_TRY(const std::vector<RankFiles> found, find_ranks(path));
  Run run;
  STROBE_TRY(run.ranks, load(found, path, options, cache));
  fs::path named = fs::absolute(path).lexically_normal();
  if (!named.has_filename()) named = named.parent_path();
  run.label = without_ending(named.filename().string());
  // Every other run's file is called "trace" too; its folder tells them apart.
  if (run.label == "trace" && named.has_parent_path()) {
    named = named.parent_path();
    run.label = named.filename().string();
  }
  run.folder = named.parent_path().filename().string();
  return run;
}

}  // namespace strobe::readers

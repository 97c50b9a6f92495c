#include "strobe/readers/run_reader.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/file.h"
#include "strobe/base/text.h"
#include "strobe/readers/formats.h"
#include "strobe/readers/metric_samples.h"
#include "strobe/readers/recording/recording_facts.h"
#include "strobe/readers/recording/run_files.h"
#include "strobe/readers/sniff.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/readers/xplane/log_folder.h"

namespace strobe::readers {

namespace fs = std::filesystem;
namespace {

bool are_distinct(const std::vector<std::optional<std::int32_t>>& ranks) {
  const std::set<std::optional<std::int32_t>> seen(ranks.begin(), ranks.end());
  return seen.size() == ranks.size() && !seen.contains(std::nullopt);
}

// Names come first, because the user sees them. A single trace needs no rank; processes of a
// recorded run that are no ranks are numbered in their order.
Result<std::vector<std::int32_t>> number_ranks(const std::vector<RankFiles>& found,
                                               const std::vector<RankTrace>& loaded,
                                               const std::string& run) {
  std::vector<std::optional<std::int32_t>> named;
  std::vector<std::optional<std::int32_t>> recorded;
  for (const RankFiles& one : found) named.push_back(one.rank);
  for (const RankTrace& one : loaded) recorded.push_back(one.trace->metadata().distributed.rank);
  if (found.size() == 1) return std::vector{named[0] ? *named[0] : recorded[0].value_or(0)};
  const auto& ranks = are_distinct(named) ? named : recorded;
  const auto was_recorded = [](const RankTrace& one) { return is_recorded(*one.trace); };
  if (!are_distinct(ranks) && std::ranges::all_of(loaded, was_recorded)) {
    std::vector<std::int32_t> numbers(loaded.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  if (!are_distinct(ranks)) {
    return Error{ErrorCode::kMalformed,
                 fmt::format("the folder holds {} traces that are not the ranks of one run ('{}', "
                             "'{}')",
                             found.size(), found[0].trace.filename().string(),
                             found[1].trace.filename().string()),
                 run,
                 "give one of the traces, or put each rank into its own folder: rank0/, rank1/, "
                 "..."};
  }
  std::vector<std::int32_t> numbers;
  for (const auto& rank : ranks) numbers.push_back(*rank);
  return numbers;
}

// If both have a series, the file's is used: the user put it there.
void add_counters(RankCapture& rank) {
  for (MetricSeries& counter : counter_series(*rank.trace)) {
    const bool is_known = std::ranges::any_of(rank.metrics, [&](const MetricSeries& series) {
      return series.device == counter.device && series.metric == counter.metric;
    });
    if (is_known) {
      rank.metric_remarks.push_back(
          fmt::format("'{}' of {} is in the trace and in the metrics file; the file's is used",
                      counter.metric, counter.device));
    } else {
      rank.metrics.push_back(std::move(counter));
    }
  }
  std::ranges::sort(rank.metrics, {},
                    [](const MetricSeries& one) { return std::tie(one.device, one.metric); });
}

void add_samples(RankCapture& rank, const fs::path& file, const MetricsRead& read) {
  rank.metrics = read.series;
  for (const std::string& remark : read.remarks) {
    rank.metric_remarks.push_back(file.filename().string() + ": " + remark);
  }
}

// 3 for "rank3", "rank_3", "rank-3", anywhere in the name.
std::optional<std::int32_t> rank_in(std::string_view name) {
  const std::size_t word = name.rfind("rank");
  if (word == std::string_view::npos) return std::nullopt;
  name.remove_prefix(word + 4);
  if (name.starts_with('_') || name.starts_with('-')) name.remove_prefix(1);
  const auto number = parse_whole_number(name.substr(0, name.find_first_not_of("0123456789")));
  if (!number || *number < 0 || *number > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

}  // namespace

bool is_rank_folder(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("rank") && rank_in(name) &&
         name.find_last_not_of("0123456789") <= std::string_view("rank_").size() - 1;
}

RankFiles rank_files_of(const fs::path& trace) {
  std::error_code ignored;
  if (fs::is_directory(trace, ignored)) {
    return {rank_in(trace.filename().string()), trace, metrics_in(trace)};
  }
  const fs::path folder = trace.parent_path();
  RankFiles files{.rank = {}, .trace = trace, .metrics = metrics_in(folder)};
  if (is_rank_folder(folder)) {
    files.rank = rank_in(folder.filename().string());
    if (!files.metrics) files.metrics = metrics_in(folder.parent_path());
  } else {
    files.rank = rank_in(trace.filename().string());
  }
  return files;
}

Result<Samples> read_samples(const std::vector<RankFiles>& files) {
  Samples samples;
  for (const RankFiles& one : files) {
    if (!one.metrics || samples.contains(*one.metrics)) continue;
    STROBE_TRY(MetricsRead read, read_metrics_csv(*one.metrics));
    samples.emplace(*one.metrics, std::move(read));
  }
  return samples;
}

Result<std::vector<RankCapture>> capture_ranks(const std::vector<RankFiles>& files,
                                               const Samples& samples,
                                               std::vector<RankTrace> traces,
                                               const std::string& run) {
  STROBE_TRY(const std::vector<std::int32_t> numbers, number_ranks(files, traces, run));
  std::vector<RankCapture> ranks(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    RankCapture& rank = ranks[i];
    rank.rank = numbers[i];
    rank.path = std::move(traces[i].name);
    rank.trace = std::move(traces[i].trace);
    rank.snapshot = std::move(traces[i].snapshot);
    rank.import = std::move(traces[i].import);
    if (const auto& file = files[i].metrics) add_samples(rank, *file, samples.at(*file));
    add_counters(rank);
  }
  std::ranges::sort(ranks, {}, &RankCapture::rank);
  return ranks;
}

namespace {

constexpr std::string_view kRunHint =
    "a run is a trace file, or a folder with one trace and perhaps metrics.csv, or a folder with "
    "rank0/, rank1/, ...";

struct Folder {
  fs::path path;
  std::vector<fs::path> traces;  // by name; a trace may be a folder itself
  std::optional<fs::path> metrics;
  std::vector<fs::path> folders;  // by name
};

Result<Folder> look_into(const fs::path& path) {
  Folder folder;
  folder.path = path;
  std::error_code error;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const bool is_folder = at->is_directory(ignored);
    if (!(is_folder && is_rank_folder(at->path())) && is_trace(at->path())) {
      folder.traces.push_back(at->path());
    } else if (is_folder) {
      folder.folders.push_back(at->path());
    }
  }
  if (error) {
    return Error{ErrorCode::kNotFound, "the folder cannot be read: " + error.message(),
                 path.string(), ""};
  }
  std::ranges::sort(folder.traces);
  xplane::drop_copies(folder.traces);
  std::ranges::sort(folder.folders);
  folder.metrics = metrics_in(path);
  return folder;
}

std::string without_ending(std::string name) {
  for (const std::string_view ending : {".gz", ".zst", ".json", ".pt.trace", ".trace", ".strobe"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
    }
  }
  return name;
}

// A folder of logs stands for the only recording in it.
Result<Folder> look_into_recording(const fs::path& path) {
  STROBE_TRY(Folder folder, look_into(path));
  if (!folder.traces.empty()) return folder;
  const std::vector<fs::path> recordings = xplane::recordings_in(path);
  if (recordings.empty()) return folder;
  if (recordings.size() > 1) return several_runs(path, recordings);
  return look_into(recordings.front());
}

Error no_trace(const Folder& folder) {
  std::error_code ignored;
  if (fs::exists(folder.path / "slices.parquet", ignored)) {
    return {ErrorCode::kNotFound,
            "the folder holds the tables of a trace as Parquet, which only strobe query reads",
            folder.path.string(),
            fmt::format("give the trace itself, or `strobe query {} top-kernels`",
                        folder.path.string())};
  }
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
    if (is_trace(path)) {
      found.push_back(rank_files_of(path));
      if (!found.back().metrics) found.back().metrics = folder.metrics;
      continue;
    }
    STROBE_TRY(const Folder inner, look_into_recording(path));
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

// The hosts of one recording have names only.
void number_hosts(std::vector<RankFiles>& hosts) {
  std::vector<std::optional<std::int32_t>> ranks;
  for (const RankFiles& host : hosts) ranks.push_back(host.rank);
  if (hosts.size() < 2 || are_distinct(ranks)) return;
  for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i].rank = static_cast<std::int32_t>(i);
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
  if (xplane::is_recording(folder.path)) number_hosts(found);
  return found;
}

// Processes that are no ranks, or of which several have one, are numbered in their order.
std::vector<RankFiles> ranks_of_recording(const std::vector<RunTraceFile>& traces,
                                          const fs::path& folder) {
  std::vector<std::optional<std::int32_t>> ranks;
  for (const RunTraceFile& trace : traces) ranks.push_back(trace.rank);
  const bool are_ranks = are_distinct(ranks);
  std::vector<RankFiles> found;
  for (const RunTraceFile& trace : traces) {
    const auto place = static_cast<std::int32_t>(found.size());
    found.push_back({are_ranks ? *trace.rank : place, trace.path, metrics_in(folder)});
  }
  return found;
}

Result<std::vector<RankFiles>> ranks_in(const fs::path& path) {
  if (find_folder_format(path) != nullptr) return std::vector<RankFiles>{rank_files_of(path)};
  const std::vector<RunTraceFile> recorded = traces_of_run(find_run_files(path));
  if (!recorded.empty()) return ranks_of_recording(recorded, path);
  if (is_run_folder(path)) return no_files_yet(path);
  const std::vector<fs::path> runs = numbered_runs(path);
  if (!runs.empty()) return several_runs(path, runs);
  STROBE_TRY(const Folder folder, look_into_recording(path));
  return ranks_in(folder);
}

}  // namespace

Result<std::vector<RankFiles>> find_ranks(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return Error{ErrorCode::kNotFound, "there is no such file or folder", path.string(),
                 std::string(kRunHint)};
  }
  if (!fs::is_directory(status)) return std::vector<RankFiles>{{std::nullopt, path, std::nullopt}};
  return ranks_in(path.has_filename() ? path : path.parent_path());
}

namespace {

// rank12.json.gz and rank3.json.gz have one: rank#.json.gz.
std::string without_numbers(const fs::path& path) {
  std::string pattern;
  for (const char letter : path.filename().string()) {
    const bool is_digit = letter >= '0' && letter <= '9';
    if (!is_digit) {
      pattern.push_back(letter);
    } else if (!pattern.ends_with('#')) {
      pattern.push_back('#');
    }
  }
  return pattern;
}

}  // namespace

Result<std::vector<RankFiles>> find_ranks_and_broken_ones(const fs::path& path) {
  STROBE_TRY(std::vector<RankFiles> found, find_ranks(path));
  std::error_code error;
  if (found.size() < 2 || !fs::is_directory(path, error)) return found;
  std::set<fs::path> known;
  std::set<std::string> patterns;
  for (const RankFiles& rank : found) {
    known.insert(rank.trace);
    patterns.insert(without_numbers(rank.trace));
  }
  std::vector<fs::path> broken;
  for (fs::directory_iterator at(found.front().trace.parent_path(), error), end;
       !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const bool is_like_a_rank = patterns.contains(without_numbers(at->path()));
    if (is_like_a_rank && !known.contains(at->path()) && at->is_regular_file(ignored)) {
      broken.push_back(at->path());
    }
  }
  std::ranges::sort(broken);
  for (const fs::path& trace : broken) found.push_back(rank_files_of(trace));
  return found;
}

namespace {

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
                      .snapshot = std::move(one.snapshot),
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
  // The files of other runs may also be called "trace"; the folder distinguishes them.
  if (run.label == "trace" && named.has_parent_path()) {
    named = named.parent_path();
    run.label = named.filename().string();
  }
  run.folder = named.parent_path().filename().string();
  return run;
}

std::vector<fs::path> runs_in(const fs::path& folder) {
  return is_run_folder(folder) ? std::vector<fs::path>() : numbered_runs(folder);
}

}  // namespace strobe::readers

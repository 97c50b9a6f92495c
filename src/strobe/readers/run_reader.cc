#include "strobe/readers/run_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/file.h"
#include "strobe/base/whole_number.h"
#include "strobe/readers/counter_series.h"
#include "strobe/readers/metrics_csv.h"
#include "strobe/readers/sniff.h"
#include "strobe/readers/trace_reader.h"

namespace strobe::readers {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kRunHint =
    "a run is a trace file, or a folder with one trace and perhaps metrics.csv, or a folder with "
    "rank0/, rank1/, ...";
constexpr std::string_view kTraceEndings[] = {".json", ".json.gz", ".json.zst"};
constexpr std::string_view kMetricsNames[] = {"metrics.csv", "metrics.csv.gz", "metrics.csv.zst"};

struct Folder {
  fs::path path;
  std::vector<fs::path> traces;  // by name
  std::optional<fs::path> metrics;
  std::vector<fs::path> folders;  // by name
};

struct FoundRank {
  std::optional<std::int32_t> rank;  // as the names say
  fs::path trace;
  std::optional<fs::path> metrics;
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
  for (const std::string_view name : kMetricsNames) {
    if (!folder.metrics && fs::is_regular_file(path / name, error)) folder.metrics = path / name;
  }
  return folder;
}

// 3 of "rank3", "rank_3", "rank-3", anywhere in the name.
std::optional<std::int32_t> rank_in(std::string_view name) {
  const std::size_t word = name.rfind("rank");
  if (word == std::string_view::npos) return std::nullopt;
  name.remove_prefix(word + 4);
  if (name.starts_with('_') || name.starts_with('-')) name.remove_prefix(1);
  const auto number = parse_whole_number(name.substr(0, name.find_first_not_of("0123456789")));
  if (!number || *number < 0 || *number > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

bool is_rank_folder(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("rank") && rank_in(name) &&
         name.find_last_not_of("0123456789") <= std::string_view("rank_").size() - 1;
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

Result<std::vector<FoundRank>> ranks_in_folders(const Folder& folder,
                                                const std::vector<fs::path>& rank_folders) {
  if (!folder.traces.empty()) {
    return Error{
        ErrorCode::kMalformed,
        fmt::format("the folder holds ranks ('{}') and a trace beside them ('{}')",
                    rank_folders[0].filename().string(), folder.traces[0].filename().string()),
        folder.path.string(), "give the trace itself, or move one of the two away"};
  }
  std::vector<FoundRank> found;
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

Result<std::vector<FoundRank>> ranks_in(const Folder& folder) {
  std::vector<fs::path> rank_folders;
  std::ranges::copy_if(folder.folders, std::back_inserter(rank_folders), is_rank_folder);
  if (!rank_folders.empty()) return ranks_in_folders(folder, rank_folders);
  if (folder.traces.empty()) return no_trace(folder);
  std::vector<FoundRank> found;
  for (const fs::path& trace : folder.traces) {
    found.push_back({rank_in(trace.filename().string()), trace, folder.metrics});
  }
  return found;
}

bool are_distinct(const std::vector<std::optional<std::int32_t>>& ranks) {
  const std::set<std::optional<std::int32_t>> seen(ranks.begin(), ranks.end());
  return seen.size() == ranks.size() && !seen.contains(std::nullopt);
}

// Names go first: they are what the user sees. A single trace needs no rank to be told apart.
Result<std::vector<std::int32_t>> number_ranks(const std::vector<FoundRank>& found,
                                               const std::vector<LoadedTrace>& loaded,
                                               const fs::path& path) {
  std::vector<std::optional<std::int32_t>> named;
  std::vector<std::optional<std::int32_t>> told;
  for (const FoundRank& one : found) named.push_back(one.rank);
  for (const LoadedTrace& one : loaded) told.push_back(one.trace.metadata().distributed.rank);
  if (found.size() == 1) return std::vector{named[0] ? *named[0] : told[0].value_or(0)};
  const auto& ranks = are_distinct(named) ? named : told;
  if (!are_distinct(ranks)) {
    return Error{ErrorCode::kMalformed,
                 fmt::format("the folder holds {} traces that are not the ranks of one run ('{}', "
                             "'{}')",
                             found.size(), found[0].trace.filename().string(),
                             found[1].trace.filename().string()),
                 path.string(),
                 "give one of the traces, or put each rank into its own folder: rank0/, rank1/, "
                 "..."};
  }
  std::vector<std::int32_t> numbers;
  for (const auto& rank : ranks) numbers.push_back(*rank);
  return numbers;
}

// Of a series that both have, the file's counts: the user put it there.
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

Result<std::vector<RankCapture>> load(const std::vector<FoundRank>& found, const fs::path& path,
                                      const LoadOptions& options, const CacheOptions& cache) {
  std::map<fs::path, MetricsRead> metrics;  // several ranks may share one file
  std::vector<fs::path> traces;
  for (const FoundRank& one : found) {
    traces.push_back(one.trace);
    if (!one.metrics || metrics.contains(*one.metrics)) continue;
    STROBE_TRY(MetricsRead read, read_metrics_csv(*one.metrics));
    metrics.emplace(*one.metrics, std::move(read));
  }
  STROBE_TRY(std::vector<LoadedTrace> loaded,
             read_traces(traces, options, [&](const fs::path& trace, const LoadOptions& own) {
               return read_trace_cached(trace, own, cache);
             }));
  STROBE_TRY(const std::vector<std::int32_t> numbers, number_ranks(found, loaded, path));
  std::vector<RankCapture> ranks(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    RankCapture& rank = ranks[i];
    rank.rank = numbers[i];
    rank.path = loaded[i].path;
    rank.import = std::move(loaded[i].report);
    rank.trace = std::make_shared<const Trace>(std::move(loaded[i].trace));
    if (found[i].metrics) {
      const MetricsRead& read = metrics.at(*found[i].metrics);
      rank.metrics = read.series;
      for (const std::string& remark : read.remarks) {
        rank.metric_remarks.push_back(found[i].metrics->filename().string() + ": " + remark);
      }
    }
    add_counters(rank);
  }
  std::ranges::sort(ranks, {}, &RankCapture::rank);
  return ranks;
}

Result<std::vector<FoundRank>> find_ranks(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return Error{ErrorCode::kNotFound, "there is no such file or folder", path.string(),
                 std::string(kRunHint)};
  }
  if (!fs::is_directory(status)) return std::vector<FoundRank>{{std::nullopt, path, std::nullopt}};
  STROBE_TRY(const Folder folder, look_into(path));
  return ranks_in(folder);
}

}  // namespace

Result<Run> read_run(const fs::path& path, const LoadOptions& options, const CacheOptions& cache) {
  STROBE_TRY(const std::vector<FoundRank> found, find_ranks(path));
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

#include "strobe/readers/rank_captures.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/readers/counter_series.h"

namespace strobe::readers {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMetricsNames[] = {"metrics.csv", "metrics.csv.gz", "metrics.csv.zst"};

bool are_distinct(const std::vector<std::optional<std::int32_t>>& ranks) {
  const std::set<std::optional<std::int32_t>> seen(ranks.begin(), ranks.end());
  return seen.size() == ranks.size() && !seen.contains(std::nullopt);
}

// Names go first: they are what the user sees. A single trace needs no rank to be told apart.
Result<std::vector<std::int32_t>> number_ranks(const std::vector<RankFiles>& found,
                                               const std::vector<RankTrace>& loaded,
                                               const std::string& run) {
  std::vector<std::optional<std::int32_t>> named;
  std::vector<std::optional<std::int32_t>> told;
  for (const RankFiles& one : found) named.push_back(one.rank);
  for (const RankTrace& one : loaded) told.push_back(one.trace->metadata().distributed.rank);
  if (found.size() == 1) return std::vector{named[0] ? *named[0] : told[0].value_or(0)};
  const auto& ranks = are_distinct(named) ? named : told;
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

void add_samples(RankCapture& rank, const fs::path& file, const MetricsRead& read) {
  rank.metrics = read.series;
  for (const std::string& remark : read.remarks) {
    rank.metric_remarks.push_back(file.filename().string() + ": " + remark);
  }
}

}  // namespace

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

std::optional<fs::path> metrics_in(const fs::path& folder) {
  std::error_code ignored;
  for (const std::string_view name : kMetricsNames) {
    if (fs::is_regular_file(folder / name, ignored)) return folder / name;
  }
  return std::nullopt;
}

RankFiles rank_files_of(const fs::path& trace) {
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
    rank.import = std::move(traces[i].import);
    if (const auto& file = files[i].metrics) add_samples(rank, *file, samples.at(*file));
    add_counters(rank);
  }
  std::ranges::sort(ranks, {}, &RankCapture::rank);
  return ranks;
}

}  // namespace strobe::readers

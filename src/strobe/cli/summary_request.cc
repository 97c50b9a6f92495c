#include "strobe/cli/summary_request.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "strobe/analysis/tables/name_filter.h"
#include "strobe/cli/cache_flags.h"
#include "strobe/cli/suggestion.h"

namespace strobe::cli {
namespace {

using analysis::SortKey;
using analysis::TimeUnit;
using analysis::View;
using analysis::ViewSet;

template <class Value>
struct Word {
  std::string_view name;
  Value value;
  bool listed = true;  // false: accepted, because Paddle calls it so
};

constexpr Word<View> kViewWords[] = {
    {"perf", View::kPerf},
    {"device", View::kDevice},
    {"overview", View::kOverview},
    {"steps", View::kSteps},
    {"model", View::kModel},
    {"distributed", View::kDistributed},
    {"operator", View::kOperator},
    {"kernel", View::kKernel},
    {"memory-manipulation", View::kMemoryManipulation},
    {"user", View::kUserRanges},
    {"memory", View::kMemory},
    {"udf", View::kUserRanges, false},
    {"operators", View::kOperator, false},
    {"kernels", View::kKernel, false},
};

constexpr Word<SortKey> kSortWords[] = {
    {"cpu-total", SortKey::kHostTotal},   {"cpu-avg", SortKey::kHostAverage},
    {"cpu-max", SortKey::kHostMax},       {"cpu-min", SortKey::kHostMin},
    {"gpu-total", SortKey::kDeviceTotal}, {"gpu-avg", SortKey::kDeviceAverage},
    {"gpu-max", SortKey::kDeviceMax},     {"gpu-min", SortKey::kDeviceMin},
};

// "MemoryManipulation", "memory-manipulation" and "memory_manipulation" are one word.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '-' && c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

template <class Words>
auto find_word(const Words& words, std::string_view typed) {
  return std::ranges::find_if(words,
                              [&](const auto& word) { return folded(word.name) == folded(typed); });
}

template <class Words>
std::vector<std::string_view> listed_names(const Words& words) {
  std::vector<std::string_view> names;
  for (const auto& word : words) {
    if (word.listed) names.push_back(word.name);
  }
  return names;
}

TimeUnit time_unit(std::string_view name) {
  if (name == "s") return TimeUnit::kSeconds;
  if (name == "us") return TimeUnit::kMicroseconds;
  if (name == "ns") return TimeUnit::kNanoseconds;
  return TimeUnit::kMilliseconds;
}

SummaryFormat format_of(std::string_view name) {
  if (name == "json") return SummaryFormat::kJson;
  if (name == "csv") return SummaryFormat::kCsv;
  if (name == "markdown") return SummaryFormat::kMarkdown;
  if (name == "html") return SummaryFormat::kHtml;
  return SummaryFormat::kText;
}

// A page shows the top of each table; tools, and those who know Paddle's tables, get everything.
std::size_t default_top(const SummaryRequest& request) {
  return request.format == SummaryFormat::kText && !request.paddle_style ? kRowsOnAPage : 0;
}

Result<analysis::TableOptions> table_options(const Arguments& arguments,
                                             const SummaryRequest& request) {
  analysis::TableOptions tables;
  // The page of an HTML report unfolds what it is given.
  const bool has_everything = request.format == SummaryFormat::kJson ||
                              request.format == SummaryFormat::kCsv ||
                              request.format == SummaryFormat::kHtml;
  if (arguments.has("views")) {
    STROBE_TRY(tables.views, view_set(arguments.list("views")));
  } else if (request.paddle_style) {
    tables.views = ViewSet::all().without(View::kPerf);
  }
  if (arguments.has("sort")) {
    STROBE_TRY(tables.sort, sort_key(arguments.get("sort")));
  }
  tables.unit = time_unit(arguments.get("time-unit"));
  tables.one_unit = arguments.has("time-unit");
  tables.operator_detail = arguments.is_on("op-detail", request.paddle_style || has_everything);
  tables.top = default_top(request);
  if (arguments.has("top") && arguments.get("top") == "all") {
    tables.top = 0;
  } else if (arguments.has("top")) {
    STROBE_TRY(const std::int64_t top, whole_number("--top", arguments.get("top"), 0));
    tables.top = static_cast<std::size_t>(top);
  }
  if (arguments.has("filter")) {
    STROBE_TRY(tables.keeps_name, analysis::name_filter("--filter", arguments.get("filter")));
    tables.filter = arguments.get("filter");
  }
  return tables;
}

Error bad_request(std::string what, std::string where, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::move(where),
          .hint = std::move(hint)};
}

}  // namespace

Result<ViewSet> view_set(const std::vector<std::string>& names) {
  ViewSet views;
  for (const std::string& name : names) {
    if (folded(name) == "all") {
      views = ViewSet::all();
      continue;
    }
    const auto word = find_word(kViewWords, name);
    if (word == std::end(kViewWords)) return not_one_of("--views", name, listed_names(kViewWords));
    views = views.with(word->value);
  }
  if (views.empty()) return not_one_of("--views", "", listed_names(kViewWords));
  return views;
}

Result<SortKey> sort_key(std::string_view name) {
  const auto word = find_word(kSortWords, name);
  if (word == std::end(kSortWords)) return not_one_of("--sort", name, listed_names(kSortWords));
  return word->value;
}

Result<SummaryRequest> read_summary_request(const Arguments& arguments) {
  SummaryRequest request;
  if (arguments.positionals.empty()) {
    return bad_request("no trace was given", "", "`strobe summary trace.json`");
  }
  for (const std::string& name : arguments.positionals) {
    request.traces.emplace_back(name == "-" ? "/dev/stdin" : name);
  }
  request.format = format_of(arguments.get("format"));
  request.paddle_style = arguments.get("style") == "paddle";
  if (request.paddle_style && request.format != SummaryFormat::kText) {
    return bad_request(fmt::format("there is no {} in Paddle's style", arguments.get("format")),
                       "--style", "leave --style out: the numbers are the same");
  }
  STROBE_TRY(request.tables, table_options(arguments, request));
  request.separate_threads = arguments.is_on("thread-sep");
  if (arguments.has("steps")) {
    STROBE_TRY(request.steps, analysis::number_range("--steps", arguments.get("steps")));
  }
  if (arguments.has("rank")) {
    STROBE_TRY(request.rank, whole_number("--rank", arguments.get("rank"), 0));
  }
  if (arguments.has("threads")) {
    constexpr std::int64_t kMostThreads = 1024;
    STROBE_TRY(const std::int64_t threads,
               whole_number("--threads", arguments.get("threads"), 1, kMostThreads));
    request.threads = static_cast<unsigned>(threads);
  }
  request.output = arguments.get("output");
  request.cache = cache_options(arguments);
  return request;
}

}  // namespace strobe::cli

#include "strobe/cli/compare_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/analysis/cycles/cycle_words.h"
#include "strobe/base/text.h"
#include "strobe/cli/cache_flags.h"
#include "strobe/cli/suggestion.h"
#include "strobe/cli/summary_request.h"
#include "strobe/cli/values.h"

namespace strobe::cli {
namespace {

using compare::RankKey;

template <class Value>
struct Word {
  std::string_view name;
  Value value;
};

constexpr Word<RankKey> kKeys[] = {{"suspicion", RankKey::kSuspicion},
                                   {"robust", RankKey::kRobust},
                                   {"impact", RankKey::kImpact},
                                   {"q", RankKey::kQ}};
constexpr Word<CompareFormat> kFormats[] = {{"text", CompareFormat::kText},
                                            {"markdown", CompareFormat::kMarkdown},
                                            {"json", CompareFormat::kJson},
                                            {"csv", CompareFormat::kCsv},
                                            {"html", CompareFormat::kHtml}};

template <class Words>
auto find_word(const Words& words, std::string_view typed) {
  return std::ranges::find_if(
      words, [&](const auto& word) { return equal_ignoring_case(word.name, typed); });
}

Error bad_request(std::string what, std::string where, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::move(where),
          .hint = std::move(hint)};
}

Result<RankKey> order_of(std::string_view flag, std::string_view typed) {
  const auto key = find_word(kKeys, typed);
  if (key != std::end(kKeys)) return key->value;
  std::vector<std::string_view> names;
  for (const auto& word : kKeys) names.push_back(word.name);
  return not_one_of(flag, typed, names);
}

// A number chooses a rank, as in every verb; a word is the order, as others call it.
Result<void> read_rank(const Arguments& arguments, compare::CompareOptions& options) {
  if (arguments.has("rank")) {
    const std::string typed = arguments.get("rank");
    if (parse_whole_number(typed)) {
      constexpr std::int64_t kMostRanks = 1 << 20;
      STROBE_TRY(const std::int64_t rank, whole_number("--rank", typed, 0, kMostRanks));
      options.only_rank = static_cast<std::int32_t>(rank);
    } else {
      STROBE_TRY(options.order, order_of("--rank", typed));
    }
  }
  if (arguments.has("sort")) {
    STROBE_TRY(options.order, order_of("--sort", arguments.get("sort")));
  }
  return {};
}

CompareMode mode_of(const Arguments& arguments) {
  if (arguments.is_on("halves")) return CompareMode::kHalves;
  return arguments.positionals.size() == 1 ? CompareMode::kStragglers : CompareMode::kTwoRuns;
}

// With one run its ranks are compared with each other, or its halves; nothing else makes sense
// then.
Result<void> check_single(const Arguments& arguments, const CompareRequest& request) {
  if (request.mode == CompareMode::kTwoRuns) return {};
  const bool halves = request.mode == CompareMode::kHalves;
  if (arguments.positionals.size() != 1) {
    return bad_request("takes one run", "--halves", "`strobe compare --halves run/`");
  }
  for (const std::string_view flag : {"compat", "baseline"}) {
    if (arguments.has(flag)) {
      return bad_request("needs two runs", fmt::format("--{}", flag),
                         "`strobe compare normal/ abnormal/`");
    }
  }
  for (const std::string_view flag : {"rank", "fail-on"}) {
    if (!halves && arguments.has(flag)) {
      return bad_request("needs two runs, or --halves", fmt::format("--{}", flag),
                         "one run alone has its ranks compared with each other");
    }
  }
  return {};
}

Result<analysis::CycleOptions> cycle_options(const std::string& typed) {
  auto options = analysis::parse_cycle_options("--cycle", typed);
  if (options || typed.starts_with("marker=")) return options;
  return not_one_of("--cycle", typed, analysis::cycle_words());  // with what was probably meant
}

Result<void> read_runs(const Arguments& arguments, CompareRequest& request) {
  const auto& given = arguments.positionals;
  constexpr std::string_view kCall = "`strobe compare normal/ abnormal/`";
  if (given.empty()) return bad_request("no run was given", "", std::string(kCall));
  if (given.size() > 2) {
    return bad_request(fmt::format("two runs are compared, not {}", given.size()), "",
                       "further normal runs go to --baseline");
  }
  request.mode = mode_of(arguments);
  STROBE_TRY_VOID(check_single(arguments, request));
  request.normal = given[0];
  if (given.size() == 2) request.abnormal = given[1];
  for (const std::string& path : arguments.list("baseline")) request.baselines.emplace_back(path);
  return {};
}

Result<void> check_compat(const Arguments& arguments, const CompareRequest& request) {
  if (!request.compat) return {};
  if (!request.baselines.empty()) {
    return bad_request("compares one normal with one abnormal run", "--compat",
                       "`strobe compare --compat normal/ abnormal/`");
  }
  if (arguments.get("format") == "html") {
    return bad_request("has no html: its report is Markdown", "--compat",
                       "--format markdown, json or csv");
  }
  for (const std::string_view flag : {"sort", "rank", "top", "fail-on", "keep-partial", "align"}) {
    if (arguments.has(flag)) {
      return bad_request(fmt::format("has no --{}: its report is a given one", flag), "--compat",
                         "leave --compat out for strobe's own report");
    }
  }
  return {};
}

}  // namespace

Result<CompareRequest> read_compare_request(const Arguments& arguments) {
  CompareRequest request;
  STROBE_TRY_VOID(read_runs(arguments, request));
  request.compat = arguments.is_on("compat");
  STROBE_TRY_VOID(check_compat(arguments, request));
  STROBE_TRY(request.options.measure.cycles, cycle_options(arguments.get("cycle")));
  request.options.measure.keep_partial = arguments.is_on("keep-partial");
  request.options.align_devices = arguments.is_on("align");
  STROBE_TRY_VOID(read_rank(arguments, request.options));
  STROBE_TRY(request.gates, compare::parse_gates(arguments.list("fail-on")));
  const auto format = find_word(kFormats, arguments.get("format", "text"));
  request.format = format->value;
  request.top = request.format == CompareFormat::kText ? kRowsOnAPage : 0;
  if (arguments.has("top")) {
    if (arguments.get("top") == "all") {
      request.top = 0;
    } else {
      STROBE_TRY(const std::int64_t top, whole_number("--top", arguments.get("top"), 0));
      request.top = static_cast<std::size_t>(top);
    }
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

#include "strobe/cli/compare_request.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/base/text.h"

namespace strobe::cli {
namespace {

using compare::RankKey;

constexpr std::string_view kTwoRunsCall = "`strobe compare normal/ abnormal/`";
constexpr Word<RankKey> kOrders[] = {{"suspicion", RankKey::kSuspicion},
                                     {"robust", RankKey::kRobust},
                                     {"impact", RankKey::kImpact},
                                     {"q", RankKey::kQ}};

// A number selects a rank, as in every verb; a word is the sort order, as in other tools.
Target to_rank(compare::CompareOptions& options) {
  return {.take = [&options](std::string_view flag, const std::string& typed) -> Result<void> {
    if (parse_whole_number(typed)) {
      constexpr std::int64_t kMostRanks = 1 << 20;
      STROBE_TRY(const std::int64_t rank, whole_number(flag, typed, 0, kMostRanks));
      options.only_rank = static_cast<std::int32_t>(rank);
    } else {
      STROBE_TRY(options.order, chosen(flag, typed, kOrders));
    }
    return {};
  }};
}

Result<analysis::CycleOptions> cycle_options(std::string_view flag, const std::string& typed) {
  auto options = analysis::parse_cycle_options(flag, typed);
  if (options || typed.starts_with("marker=")) return options;
  return not_one_of(flag, typed, analysis::cycle_words());  // with the most likely intended one
}

Result<compare::Gate> read_gate(std::string_view, const std::string& typed) {
  STROBE_TRY(const std::vector<compare::Gate> gates, compare::parse_gates({typed}));
  return gates.front();
}

// A digest is written, and no report.
Result<void> check_digest_alone(const Arguments& arguments) {
  constexpr std::string_view kCall = "`strobe compare run/ --digest run.strobe-digest`";
  if (arguments.positionals.size() != 1) {
    return bad_request("takes one run", "--digest", std::string(kCall));
  }
  const auto flag = arguments.first_of({"compat", "halves", "baseline", "repeat", "fail-on", "sort",
                                        "top", "format", "output", "align"});
  if (flag.empty()) return {};
  return bad_request(fmt::format("cannot be combined with --{}: nothing is compared", flag),
                     "--digest", std::string(kCall));
}

// With one run, either its ranks or its halves are compared with each other; other options make no
// sense then.
Result<void> check_single(const Arguments& arguments, const CompareRequest& request) {
  if (request.mode == CompareMode::kTwoRuns) return {};
  if (request.mode == CompareMode::kDigest) return check_digest_alone(arguments);
  if (arguments.positionals.size() != 1) {
    return bad_request("takes one run", "--halves", "`strobe compare --halves run/`");
  }
  if (const auto flag = arguments.first_of({"compat", "baseline", "repeat"}); !flag.empty()) {
    return bad_request("needs two runs", fmt::format("--{}", flag), std::string(kTwoRunsCall));
  }
  if (!request.options.only_rank || request.halves) return {};
  return bad_request("needs two runs, or --halves: one rank has no others to compare it with",
                     "--rank", "leave --rank out to compare all ranks of the run");
}

Result<void> read_runs(const Arguments& arguments, CompareRequest& request) {
  const auto& given = arguments.positionals;
  if (given.empty()) return bad_request("no run was given", "", std::string(kTwoRunsCall));
  if (given.size() > 2) {
    return bad_request(fmt::format("`strobe compare` takes two runs, not {}", given.size()), "",
                       "more runs of a side go to --baseline and --repeat");
  }
  request.mode = !request.digest.empty() ? CompareMode::kDigest
                 : request.halves        ? CompareMode::kHalves
                 : given.size() == 1     ? CompareMode::kStragglers
                                         : CompareMode::kTwoRuns;
  STROBE_TRY_VOID(check_single(arguments, request));
  request.normal = given[0];
  if (given.size() == 2) request.abnormal = given[1];
  return {};
}

Result<void> check_compat(const Arguments& arguments, const CompareRequest& request) {
  if (!request.compat) return {};
  if (!request.baselines.empty() || !request.repeats.empty()) {
    return bad_request("compares one normal with one abnormal run", "--compat",
                       "`strobe compare --compat normal/ abnormal/`");
  }
  if (request.format == Format::kHtml) {
    return bad_request("has no html: its report is Markdown", "--compat",
                       "--format markdown, json or csv");
  }
  const auto flag = arguments.first_of({"sort", "rank", "top", "fail-on", "keep-partial", "align"});
  if (flag.empty()) return {};
  return bad_request(fmt::format("cannot be combined with --{}: its report is fixed", flag),
                     "--compat", "leave --compat out to get strobe's own report");
}

}  // namespace

std::vector<Flag> compare_flags(CompareRequest& request) {
  compare::CompareOptions& options = request.options;
  std::vector<Flag> flags = {
      flag("--compat",
           "print the Markdown report 'Strict Performance Comparison' of the analysis script that "
           "strobe replaces, byte for byte; only readers of that report need it",
           to(request.compat)),
      flag("--cycle HOW",
           "how to cut a run into cycles: auto (the first that works of steps, frame, kernels, "
           "busy), steps (step annotations), marker=REGEX (host ranges with such a name), frame (a "
           "host range that recurs), kernels (the order of kernels repeats), busy (the device is "
           "busy and idle in turn) or none (one cycle, no tests) (default: auto)",
           to(options.measure.cycles, cycle_options)),
      flag("--sort KEY",
           "order of functions: suspicion (how far and how unusually the share moved), robust (the "
           "same, less sensitive to steady functions), impact (ms per cycle, significant changes "
           "first) or q (strongest evidence of a changed time first) (default: suspicion)",
           to_choice(request.order, kOrders)),
      flag("--rank N", "compare only this rank, if the runs have several", to_rank(options)),
      flag("--top N",
           "rows per table, or all (default: 10 in text, all in Markdown and HTML); JSON and CSV "
           "always have all rows",
           to_rows(request.typed_top)),
      flag("--baseline BASE",
           "more normal runs, separated by commas, to measure how much equal runs differ",
           to(request.baselines)),
      flag("--repeat RUNS", "more abnormal runs, separated by commas", to(request.repeats)),
      flag("--halves", "compare the first half of one run's cycles with the second half",
           to(request.halves)),
      flag("--digest FILE",
           "measure one run and write to FILE what a comparison needs of it, usually less than 50 "
           "kB; FILE can then stand for the run when two runs are compared",
           to(request.digest)),
      flag("--fail-on GATES",
           "exit with 1 if one of these conditions (gates, see below) holds: cycle>3%, beta>1, "
           "cause=clock, any",
           to_each(request.gates, read_gate)),
      flag("--strict", "a gate on the cycle time also fails if the answer is unclear",
           to(request.strict)),
      flag("--keep-partial",
           "also use cycles that are left out: warm-up, and those in which a device has less than "
           "80 % of its usual work",
           to(options.measure.keep_partial)),
      flag("--align", "if devices of the two runs have different names, pair them by position",
           to(options.align_devices)),
      format_flag(request.format),
      output_flag(request.output)};
  std::ranges::copy(load_flags(request.load), std::back_inserter(flags));
  return flags;
}

namespace {

Result<void> make_gates_strict(CompareRequest& request) {
  if (!request.strict) return {};
  if (request.gates.empty()) {
    return bad_request("is about gates, and there are none", "--strict",
                       "`strobe compare main/ branch/ --fail-on 'cycle>3%' --strict`");
  }
  for (compare::Gate& gate : request.gates) gate.is_strict = true;
  return {};
}

}  // namespace

Result<void> complete_compare(CompareRequest& request, const Arguments& arguments) {
  STROBE_TRY_VOID(make_gates_strict(request));
  STROBE_TRY_VOID(read_runs(arguments, request));
  STROBE_TRY_VOID(check_compat(arguments, request));
  if (request.order) request.options.order = *request.order;
  request.top = request.typed_top.value_or(request.format == Format::kText ? kRowsOnAPage : 0);
  return {};
}

}  // namespace strobe::cli

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/base/text.h"
#include "strobe/cli/command.h"
#include "strobe/cli/compare_request.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/compat/compat.h"
#include "strobe/compare/gates.h"
#include "strobe/compare/one_run.h"
#include "strobe/readers/run_reader.h"
#include "strobe/report/compare/compare_formats.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/compare/compat_report.h"
#include "strobe/report/compare/straggler_report.h"
#include "strobe/report/summary/import_warning.h"

namespace strobe::cli {
namespace {

using compare::Comparison;

struct Runs {
  Run normal;
  Run abnormal;
  std::vector<Run> baselines;
};

Result<Run> load_run(const std::string& path, const CompareRequest& request,
                     const Terminal& terminal) {
  Progress progress(terminal, fmt::format("loading {}", path));
  return readers::read_run(path, load_options(progress, request.load.threads),
                           cache_options(request.load));
}

void warn_of_damage(const Run& run, const Terminal& terminal) {
  for (const RankCapture& rank : run.ranks) {
    const std::string warning = report::import_warning(rank.path, rank.import);
    if (!warning.empty()) warn(terminal, warning);
  }
}

// Folders with the same name are shown with their paths.
void tell_apart(Runs& runs, const CompareRequest& request) {
  if (runs.normal.label != runs.abnormal.label) return;
  runs.normal.label = request.normal;
  runs.abnormal.label = request.abnormal;
}

// Of several runs of one program the first is compared. The others of the normal side tell how much
// runs of the program differ.
CompareRequest with_single_runs(CompareRequest request, const Terminal& terminal) {
  const auto take_first = [](std::string& side) {
    std::vector<std::string> others;
    for (const auto& run : readers::runs_in(side)) others.push_back(run.string());
    if (others.empty()) return others;
    side = others.front();
    others.erase(others.begin());
    return others;
  };
  std::vector<std::string> unused = take_first(request.abnormal);
  const std::vector<std::string> more_normal = take_first(request.normal);
  std::ranges::copy(more_normal, std::back_inserter(request.compat ? unused : request.baselines));
  if (!unused.empty()) {
    warn(terminal, fmt::format("{} and {} are compared; not used: {}", request.normal,
                               request.abnormal, fmt::join(unused, ", ")));
  }
  return request;
}

Result<Runs> load_all(const CompareRequest& request, const Terminal& terminal) {
  Runs runs;
  STROBE_TRY(runs.normal, load_run(request.normal, request, terminal));
  STROBE_TRY(runs.abnormal, load_run(request.abnormal, request, terminal));
  for (const std::string& path : request.baselines) {
    STROBE_TRY(Run baseline, load_run(path, request, terminal));
    runs.baselines.push_back(std::move(baseline));
  }
  warn_of_damage(runs.normal, terminal);
  warn_of_damage(runs.abnormal, terminal);
  for (const Run& run : runs.baselines) warn_of_damage(run, terminal);
  tell_apart(runs, request);
  return runs;
}

Result<void> check_rank(const Run& run, const CompareRequest& request) {
  if (!request.options.only_rank) return {};
  std::vector<std::int32_t> ranks;
  for (const RankCapture& capture : run.ranks) ranks.push_back(capture.rank);
  if (std::ranges::find(ranks, *request.options.only_rank) != ranks.end()) return {};
  return bad_request(fmt::format("'{}' has no rank {}", run.label, *request.options.only_rank),
                     "--rank", fmt::format("there are ranks {}", fmt::join(ranks, ", ")));
}

// Sentences and tables of numbers are hard to read if lines are very long.
constexpr int kReadableColumns = 100;

std::string rendered(const Comparison& comparison, const CompareRequest& request,
                     const Terminal& terminal) {
  switch (request.format) {
    case Format::kMarkdown:
      return report::compare_markdown(comparison, request.top);
    case Format::kJson:
      return report::compare_json(comparison);
    case Format::kCsv:
      return report::compare_csv(comparison);
    case Format::kHtml:
      return report::compare_html(comparison, request.top);
    default:
      break;
  }
  return terminal_text(report::compare_document(comparison, request.top), terminal,
                       kReadableColumns);
}

std::string rendered(const compare::Stragglers& stragglers, const CompareRequest& request,
                     const Terminal& terminal) {
  switch (request.format) {
    case Format::kJson:
      return report::straggler_json(stragglers);
    case Format::kCsv:
      return report::straggler_csv(stragglers);
    case Format::kHtml:
      return report::straggler_html(stragglers, request.top);
    default:
      break;
  }
  const report::Document document = report::straggler_document(stragglers, request.top);
  return document_text(document, request.format, terminal, kReadableColumns);
}

Result<std::string> compat_text(const Runs& runs, const CompareRequest& request) {
  const analysis::CycleOptions& options = request.options.measure.cycles;
  STROBE_TRY(const auto normal, analysis::find_cycles(*runs.normal.ranks.front().trace, options));
  STROBE_TRY(const auto abnormal,
             analysis::find_cycles(*runs.abnormal.ranks.front().trace, options));
  const compare::CompatComparison comparison =
      compare::compare_compat(runs.normal, normal, runs.abnormal, abnormal);
  if (request.format == Format::kJson) return report::compat_json(comparison);
  if (request.format == Format::kCsv) return report::compat_csv(comparison);
  return report::compat_markdown(comparison);
}

Outcome outcome_of(const std::vector<compare::GateFailure>& failures) {
  if (failures.empty()) return {};
  std::vector<std::string> clauses;
  for (const auto& [gate, why] : failures) clauses.push_back(fmt::format("{}: {}", gate, why));
  return {.failed_gate = fmt::format("{} failed: {}", failures.size() == 1 ? "gate" : "gates",
                                     fmt::join(clauses, "; ")),
          .hint = {}};
}

// The report is written; the gates decide the exit code.
Result<Outcome> judge_comparison(const Comparison& comparison, const CompareRequest& request) {
  if (comparison.answer == compare::Answer::kCannotTell) {
    const compare::Change& ms = comparison.cycles.front().ms;
    return Error{
        .code = ErrorCode::kTooLittleData,
        .what = fmt::format("{} and {} cycles are too few for a test", ms.normal.n, ms.abnormal.n),
        .where = "",
        .hint = "a test needs at least four cycles per run; twelve are better"};
  }
  return outcome_of(compare::failed_gates(comparison, request.gates));
}

// A late rank is known from its collectives, so a gate may fail even if the cycles are too few.
Result<Outcome> judge_ranks(const compare::Stragglers& stragglers, const CompareRequest& request) {
  const Outcome outcome = outcome_of(compare::failed_gates(stragglers, request.gates));
  if (!outcome.failed_gate.empty() || !stragglers.has_too_few_cycles()) return outcome;
  const std::size_t cycles =
      std::ranges::min_element(stragglers.ranks, {}, &compare::RankRow::cycles)->cycles;
  return Error{
      .code = ErrorCode::kTooLittleData,
      .what = fmt::format("{} {} per rank {} too few to compare the own time of the ranks", cycles,
                          plural(cycles, "cycle", "cycles"), plural(cycles, "is", "are")),
      .where = request.normal,
      .hint = fmt::format("record at least {} cycles, or cut the trace into more with --cycle "
                          "marker=REGEX",
                          compare::kLeastCyclesOfARank)};
}

Result<Outcome> show_comparison(const Comparison& comparison, const CompareRequest& request,
                                Output& output, const Terminal& terminal, Stages& stages) {
  const std::string text = rendered(comparison, request, terminal);
  stages.end("report");
  STROBE_TRY_VOID(give(output, text));
  return judge_comparison(comparison, request);
}

Result<Outcome> compare_two(const CompareRequest& given, Output& output, const Terminal& terminal) {
  Stages stages(terminal);
  const CompareRequest request = with_single_runs(given, terminal);
  STROBE_TRY(const Runs runs, load_all(request, terminal));
  stages.end("load");
  STROBE_TRY_VOID(check_rank(runs.normal, request));
  STROBE_TRY_VOID(check_rank(runs.abnormal, request));
  STROBE_TRY_VOID(check_interrupted());
  if (request.compat) {
    STROBE_TRY(const std::string text, compat_text(runs, request));
    stages.end("compare");
    STROBE_TRY_VOID(give(output, text));
    return Outcome{};
  }
  STROBE_TRY(const Comparison comparison,
             compare::compare_runs(runs.normal, runs.abnormal, runs.baselines, request.options));
  stages.end("compare");
  return show_comparison(comparison, request, output, terminal, stages);
}

Result<Outcome> compare_one(const CompareRequest& request, Output& output,
                            const Terminal& terminal) {
  Stages stages(terminal);
  STROBE_TRY(const Run run, load_run(request.normal, request, terminal));
  stages.end("load");
  warn_of_damage(run, terminal);
  STROBE_TRY_VOID(check_rank(run, request));
  if (request.mode == CompareMode::kHalves) {
    STROBE_TRY(const Comparison comparison, compare::compare_halves(run, request.options));
    stages.end("compare");
    return show_comparison(comparison, request, output, terminal, stages);
  }
  STROBE_TRY(const compare::Stragglers stragglers, compare::find_stragglers(run, request.options));
  stages.end("compare");
  const std::string text = rendered(stragglers, request, terminal);
  stages.end("report");
  STROBE_TRY_VOID(give(output, text));
  return judge_ranks(stragglers, request);
}

Result<Outcome> compare_traces(const CompareRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  return request.mode == CompareMode::kTwoRuns ? compare_two(request, output, terminal)
                                               : compare_one(request, output, terminal);
}

}  // namespace

Command compare_command() {
  Command command = {
      .name = "compare",
      .summary = "what changed between two runs, how sure that is, and the likely cause",
      .positionals = "RUN...",
      .positionals_help =
          "NORMAL (the reference, the older run) and ABNORMAL (the run to judge): two runs of one "
          "workload, each a trace, a folder with one trace "
          "(and metrics.csv), or a folder with one folder or trace per rank; for a single run "
          "strobe compares its ranks with each other",
      .examples = {{"strobe compare normal/ abnormal/", "the verdict, then the evidence"},
                   {"strobe compare normal/ abnormal/ --format html -o report.html",
                    "a page with charts, to send to a colleague"},
                   {"strobe compare main/ branch/ --fail-on 'cycle>3%,beta>1'",
                    "for CI: exit code 1 if it got significantly slower"},
                   {"strobe compare normal/ abnormal/ --baseline normal2/,normal3/",
                    "with more normal runs, to know the noise"},
                   {"strobe compare run/", "compare ranks: which one is slow, and why"},
                   {"strobe compare --halves run/", "did the run change over time?"}},
      .notes = {
          "Gates: cycle>3% or cycle>5ms (cycles got slower by more than this), beta>1 (a "
          "function's share of the cycle grew by more than 1 percentage point), cause=clock (this "
          "cause is listed, unless it made the run faster), any (any change, also for the better). "
          "A change that is not significant never fails a gate. For the ranks of one run, cycle is "
          "about the own time of a slow rank against its peers, any and cause=straggler about any "
          "slow or late rank, the others about the slowest rank. Quote gates: the shell interprets "
          ">.",
          "--rank also accepts the words of --sort, because other tools choose the order of "
          "functions by a flag of that name.",
          "Exit codes: 0 answered and no gate failed, 1 a gate failed, 2 bad command line, 3 a "
          "run cannot be read, or has too few cycles for a test (strobe prints the report first), "
          "70 a bug in strobe, 130 interrupted."}};
  return with_request(std::move(command), compare_flags, complete_compare, compare_traces);
}

}  // namespace strobe::cli

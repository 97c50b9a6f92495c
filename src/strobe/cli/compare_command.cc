#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/cli/cache_flags.h"
#include "strobe/cli/command.h"
#include "strobe/cli/compare_request.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/message.h"
#include "strobe/cli/output.h"
#include "strobe/cli/progress.h"
#include "strobe/cli/verbose.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/compat/compat.h"
#include "strobe/compare/gates.h"
#include "strobe/compare/halves.h"
#include "strobe/compare/stragglers.h"
#include "strobe/readers/run_reader.h"
#include "strobe/report/compare/compare_formats.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/compare/compat_report.h"
#include "strobe/report/render/render.h"
#include "strobe/report/summary/import_warning.h"
#include "strobe/report/summary/straggler_report.h"

namespace strobe::cli {
namespace {

using compare::Comparison;

struct Runs {
  Run normal;
  Run abnormal;
  std::vector<Run> baselines;
};

Result<Run> load(const std::filesystem::path& path, const CompareRequest& request,
                 const Terminal& terminal) {
  Progress progress(terminal, fmt::format("loading {}", path.string()));
  readers::LoadOptions options;
  options.threads = request.threads;
  options.cancelled = &interrupted();
  options.progress = [&](const readers::LoadProgress& now) {
    progress.update(now.bytes_done, now.bytes_total);
  };
  return readers::read_run(path, options, request.cache);
}

void warn_of_losses(const Run& run, const Terminal& terminal) {
  for (const RankCapture& rank : run.ranks) {
    const std::string warning = report::import_warning(rank.path, rank.import);
    if (!warning.empty()) warn(terminal, warning);
  }
}

// Two folders of one name are told apart by their paths.
void tell_apart(Runs& runs, const CompareRequest& request) {
  if (runs.normal.label != runs.abnormal.label) return;
  runs.normal.label = request.normal.string();
  runs.abnormal.label = request.abnormal.string();
}

Result<Runs> load_all(const CompareRequest& request, const Terminal& terminal) {
  Runs runs;
  STROBE_TRY(runs.normal, load(request.normal, request, terminal));
  STROBE_TRY(runs.abnormal, load(request.abnormal, request, terminal));
  for (const std::filesystem::path& path : request.baselines) {
    STROBE_TRY(Run baseline, load(path, request, terminal));
    runs.baselines.push_back(std::move(baseline));
  }
  warn_of_losses(runs.normal, terminal);
  warn_of_losses(runs.abnormal, terminal);
  for (const Run& run : runs.baselines) warn_of_losses(run, terminal);
  tell_apart(runs, request);
  return runs;
}

Result<void> check_rank(const Run& run, const CompareRequest& request) {
  if (!request.options.only_rank) return {};
  std::vector<std::int32_t> ranks;
  for (const RankCapture& capture : run.ranks) ranks.push_back(capture.rank);
  if (std::ranges::find(ranks, *request.options.only_rank) != ranks.end()) return {};
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = fmt::format("'{}' has no rank {}", run.label, *request.options.only_rank),
               .where = "--rank",
               .hint = fmt::format("there are ranks {}", fmt::join(ranks, ", "))};
}

// Sentences and tables of numbers are hard to read across a wide screen.
std::string as_text(const report::Document& document, const Terminal& terminal) {
  constexpr int kMostColumns = 100;
  return report::render_text(document, {.width = std::min(terminal.columns, kMostColumns),
                                        .color = terminal.color,
                                        .unicode = terminal.unicode});
}

std::string rendered(const Comparison& comparison, const CompareRequest& request,
                     const Terminal& terminal) {
  switch (request.format) {
    case CompareFormat::kMarkdown:
      return report::compare_markdown(comparison, request.top);
    case CompareFormat::kJson:
      return report::compare_json(comparison);
    case CompareFormat::kCsv:
      return report::compare_csv(comparison);
    case CompareFormat::kHtml:
      return report::compare_html(comparison, request.top);
    case CompareFormat::kText:
      break;
  }
  return as_text(report::compare_document(comparison, request.top), terminal);
}

std::string rendered(const compare::Stragglers& stragglers, const CompareRequest& request,
                     const Terminal& terminal) {
  if (request.format == CompareFormat::kJson) return report::straggler_json(stragglers);
  const report::Document document = report::straggler_document(stragglers, request.top);
  switch (request.format) {
    case CompareFormat::kMarkdown:
      return report::render_markdown(document);
    case CompareFormat::kCsv:
      return report::render_csv(document);
    case CompareFormat::kHtml:
      return report::render_html(document);
    default:
      return as_text(document, terminal);
  }
}

Result<std::string> compat_text(const Runs& runs, const CompareRequest& request) {
  const analysis::CycleOptions& options = request.options.measure.cycles;
  STROBE_TRY(const auto normal, analysis::find_cycles(*runs.normal.ranks.front().trace, options));
  STROBE_TRY(const auto abnormal,
             analysis::find_cycles(*runs.abnormal.ranks.front().trace, options));
  const compare::CompatComparison comparison =
      compare::compare_compat(runs.normal, normal, runs.abnormal, abnormal);
  if (request.format == CompareFormat::kJson) return report::compat_json(comparison);
  if (request.format == CompareFormat::kCsv) return report::compat_csv(comparison);
  return report::compat_markdown(comparison);
}

// The report is out; what is left to say decides the exit code.
Result<Outcome> judged(const Comparison& comparison, const CompareRequest& request) {
  if (comparison.answer == compare::Answer::kCannotTell) {
    const compare::Change& ms = comparison.cycles.front().ms;
    return Error{
        .code = ErrorCode::kTooLittleData,
        .what = fmt::format("{} and {} cycles are too few for a test", ms.normal.n, ms.abnormal.n),
        .where = "",
        .hint = "four a side are the least that can show a change; twelve are better"};
  }
  const auto failures = compare::failed_gates(comparison, request.gates);
  if (failures.empty()) return Outcome{};
  std::vector<std::string> clauses;
  for (const auto& [gate, why] : failures) clauses.push_back(fmt::format("{}: {}", gate, why));
  return Outcome{
      .failed_gate = fmt::format("{} failed: {}", failures.size() == 1 ? "gate" : "gates",
                                 fmt::join(clauses, "; ")),
      .hint = {}};
}

Result<void> answer(Output& output, std::string_view text) {
  STROBE_TRY_VOID(check_interrupted());
  STROBE_TRY_VOID(output.write(text));
  return output.commit();
}

Result<Outcome> show(const Comparison& comparison, const CompareRequest& request, Output& output,
                     const Terminal& terminal, Stages& stages) {
  const std::string text = rendered(comparison, request, terminal);
  stages.end("report");
  STROBE_TRY_VOID(answer(output, text));
  return judged(comparison, request);
}

Result<Outcome> compare_two(const CompareRequest& request, Output& output,
                            const Terminal& terminal) {
  Stages stages(terminal);
  STROBE_TRY(const Runs runs, load_all(request, terminal));
  stages.end("load");
  STROBE_TRY_VOID(check_rank(runs.normal, request));
  STROBE_TRY_VOID(check_rank(runs.abnormal, request));
  STROBE_TRY_VOID(check_interrupted());
  if (request.compat) {
    STROBE_TRY(const std::string text, compat_text(runs, request));
    stages.end("compare");
    STROBE_TRY_VOID(answer(output, text));
    return Outcome{};
  }
  STROBE_TRY(const Comparison comparison,
             compare::compare_runs(runs.normal, runs.abnormal, runs.baselines, request.options));
  stages.end("compare");
  return show(comparison, request, output, terminal, stages);
}

Result<Outcome> compare_one(const CompareRequest& request, Output& output,
                            const Terminal& terminal) {
  Stages stages(terminal);
  STROBE_TRY(const Run run, load(request.normal, request, terminal));
  stages.end("load");
  warn_of_losses(run, terminal);
  STROBE_TRY_VOID(check_rank(run, request));
  if (request.mode == CompareMode::kHalves) {
    STROBE_TRY(const Comparison comparison, compare::compare_halves(run, request.options));
    stages.end("compare");
    return show(comparison, request, output, terminal, stages);
  }
  STROBE_TRY(const compare::Stragglers stragglers, compare::find_stragglers(run, request.options));
  stages.end("compare");
  const std::string text = rendered(stragglers, request, terminal);
  stages.end("report");
  STROBE_TRY_VOID(answer(output, text));
  return Outcome{};
}

Result<Outcome> compare(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(const CompareRequest request, read_compare_request(arguments));
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
          "NORMAL and ABNORMAL, two runs of one workload: each a trace, a folder with one trace "
          "(and metrics.csv), or one folder or trace per rank; one run alone has its ranks "
          "compared with each other",
      .examples = {{"strobe compare normal/ abnormal/", "the verdict, then what it stands on"},
                   {"strobe compare normal/ abnormal/ --format html -o report.html",
                    "one page with pictures, to send to a colleague"},
                   {"strobe compare main/ branch/ --fail-on 'cycle>3%,beta>1'",
                    "for CI: exit code 1 if it got significantly slower"},
                   {"strobe compare normal/ abnormal/ --baseline normal2/,normal3/",
                    "what differs between normal runs is noise"},
                   {"strobe compare run/", "its ranks with each other: which is slow, and why"},
                   {"strobe compare --halves run/", "did it change while it ran?"}},
      .notes =
          {"--rank with a word is --sort: others call the order a ranking.",
           "Gates: cycle>3% or cycle>5ms (cycles slower by more), beta>1 (a function's share of "
           "the cycle up by more than 1 point), cause=clock (this cause is listed), any (any "
           "change, improvements too). A change that is not significant never fails a gate. Quote "
           "them: the shell reads > too.",
           "Exit codes: 0 answered and no gate failed, 1 a gate failed, 2 bad command line, 3 a "
           "run cannot be read or is too short for a test; what is known is printed all the "
           "same."},
      .flags =
          {{.name = "compat",
            .help = "the older report instead: its numbers, its columns, byte for byte"},
           {.name = "cycle",
            .kind = FlagKind::kValue,
            .value = "HOW",
            .help = "how a run is cut into cycles: auto (default: the first that works), steps, "
                    "marker=REGEX, frame, kernels, busy, none (one cycle, no tests)"},
           {.name = "sort",
            .kind = FlagKind::kValue,
            .value = "KEY",
            .help = "order of functions: suspicion (default), robust, impact (milliseconds), q",
            .choices = {"suspicion", "robust", "impact", "q"}},
           {.name = "rank",
            .kind = FlagKind::kValue,
            .value = "N",
            .help = "only this rank of runs that have several"},
           {.name = "top",
            .kind = FlagKind::kValue,
            .value = "N",
            .help = "rows per table, or all (default: 10 in text, all in other formats)"},
           {.name = "baseline",
            .kind = FlagKind::kList,
            .value = "BASE",
            .help = "further normal runs: what differs among them is noise, measured"},
           {.name = "halves", .help = "one run: the first half of its cycles against the second"},
           {.name = "fail-on",
            .kind = FlagKind::kList,
            .value = "GATES",
            .help = "exit with 1 if one of these happened: cycle>3%, beta>1, cause=clock, any"},
           {.name = "keep-partial",
            .help = "use cycles in which a device has less than 80 % of its usual work too"},
           {.name = "align",
            .help = "pair the devices of both runs by position where their names differ"},
           {.name = "format",
            .kind = FlagKind::kValue,
            .value = "FORMAT",
            .help = "text (default), markdown, json, csv (function, metric, device triplets) or "
                    "html",
            .choices = {"text", "markdown", "json", "csv", "html"}},
           output_flag(),
           {.name = "threads",
            .kind = FlagKind::kValue,
            .value = "N",
            .help = "threads to use (default: one per core); never changes the answer"}},
      .run = compare};
  std::ranges::copy(cache_flags(), std::back_inserter(command.flags));
  return command;
}

}  // namespace strobe::cli

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/base/text.h"
#include "strobe/cli/command.h"
#include "strobe/cli/compare_request.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"
#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/compat/compat.h"
#include "strobe/compare/digest/digest.h"
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
using compare::SideFacts;

// A run, or the digest that stands for it.
struct Input {
  std::string path;
  Run run = {};
  std::optional<SideFacts> digest = {};

  std::string& label() { return digest ? digest->label : run.label; }
  std::vector<std::int32_t> ranks() const {
    std::vector<std::int32_t> ranks;
    for (const RankCapture& capture : run.ranks) ranks.push_back(capture.rank);
    if (!digest) return ranks;
    for (const compare::RankMeasure& measure : digest->ranks) ranks.push_back(measure.rank);
    return ranks;
  }
};

struct Inputs {
  Input normal;
  Input abnormal;
  compare::More<Input> more;
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

// What is asked of a digest must not depend on the trace, which it does not have.
Result<void> check_digest_use(const std::string& path, const CompareRequest& request) {
  const auto refuse = [&](std::string flag) -> Result<void> {
    return bad_request(fmt::format("'{}' is a digest, and this needs the run itself", path),
                       std::move(flag), "name the run that the digest was made of");
  };
  if (request.compat) return refuse("--compat");
  if (request.options.measure.cycles.method) return refuse("--cycle");
  if (request.options.measure.keep_partial) return refuse("--keep-partial");
  return {};
}

Result<Input> load_input(const std::string& path, const CompareRequest& request,
                         const Terminal& terminal) {
  Input input = {.path = path};
  if (compare::is_digest_file(path)) {
    STROBE_TRY_VOID(check_digest_use(path, request));
    STROBE_TRY(input.digest, compare::read_digest(path));
  } else {
    STROBE_TRY(input.run, load_run(path, request, terminal));
  }
  return input;
}

// Folders with the same name are shown with their paths.
void tell_apart(Inputs& inputs) {
  if (inputs.normal.label() != inputs.abnormal.label()) return;
  inputs.normal.label() = inputs.normal.path;
  inputs.abnormal.label() = inputs.abnormal.path;
}

// A folder may hold several runs of one program: all of them are that side.
CompareRequest with_all_runs(CompareRequest request, const Terminal& terminal) {
  const auto runs_of = [](const std::string& path) {
    std::vector<std::string> runs;
    for (const auto& run : readers::runs_in(path)) runs.push_back(run.string());
    return runs.empty() ? std::vector{path} : runs;
  };
  std::vector<std::string> unused;
  const auto divide = [&](std::string& side, std::vector<std::string>& more) {
    std::vector<std::string> all = runs_of(side);
    for (const std::string& path : more) std::ranges::copy(runs_of(path), std::back_inserter(all));
    side = all.front();
    more.assign(all.begin() + 1, all.end());
    if (request.compat) std::ranges::move(std::exchange(more, {}), std::back_inserter(unused));
  };
  divide(request.normal, request.baselines);
  divide(request.abnormal, request.repeats);
  if (!unused.empty()) {
    warn(terminal, fmt::format("{} and {} are compared; not used: {}", request.normal,
                               request.abnormal, fmt::join(unused, ", ")));
  }
  return request;
}

Result<std::vector<Input>> load_more(const std::vector<std::string>& paths,
                                     const CompareRequest& request, const Terminal& terminal) {
  std::vector<Input> inputs;
  for (const std::string& path : paths) {
    STROBE_TRY(Input input, load_input(path, request, terminal));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Result<Inputs> load_all(const CompareRequest& request, const Terminal& terminal) {
  Inputs inputs;
  STROBE_TRY(inputs.normal, load_input(request.normal, request, terminal));
  STROBE_TRY(inputs.abnormal, load_input(request.abnormal, request, terminal));
  STROBE_TRY(inputs.more.normal, load_more(request.baselines, request, terminal));
  STROBE_TRY(inputs.more.abnormal, load_more(request.repeats, request, terminal));
  warn_of_damage(inputs.normal.run, terminal);
  warn_of_damage(inputs.abnormal.run, terminal);
  for (const Input& input : inputs.more.normal) warn_of_damage(input.run, terminal);
  for (const Input& input : inputs.more.abnormal) warn_of_damage(input.run, terminal);
  tell_apart(inputs);
  return inputs;
}

Result<void> check_rank(const std::string& label, const std::vector<std::int32_t>& ranks,
                        const CompareRequest& request) {
  if (!request.options.only_rank) return {};
  if (std::ranges::find(ranks, *request.options.only_rank) != ranks.end()) return {};
  return bad_request(fmt::format("'{}' has no rank {}", label, *request.options.only_rank),
                     "--rank", fmt::format("there are ranks {}", fmt::join(ranks, ", ")));
}

Result<SideFacts> measured(Input& input, const compare::CompareOptions& options) {
  if (!input.digest) return compare::measure_side(input.run, options);
  SideFacts side = *std::move(input.digest);
  std::erase_if(side.ranks, [&](const compare::RankMeasure& measure) {
    return options.only_rank && measure.rank != *options.only_rank;
  });
  return side;
}

Result<std::vector<SideFacts>> measured(std::vector<Input>& inputs,
                                        const compare::CompareOptions& options) {
  std::vector<SideFacts> sides;
  for (Input& input : inputs) {
    STROBE_TRY(SideFacts side, measured(input, options));
    sides.push_back(std::move(side));
  }
  return sides;
}

Result<Comparison> compared(Inputs& inputs, const compare::CompareOptions& options) {
  STROBE_TRY(SideFacts normal, measured(inputs.normal, options));
  STROBE_TRY(SideFacts abnormal, measured(inputs.abnormal, options));
  compare::More<SideFacts> more;
  STROBE_TRY(more.normal, measured(inputs.more.normal, options));
  STROBE_TRY(more.abnormal, measured(inputs.more.abnormal, options));
  STROBE_TRY(
      Comparison comparison,
      compare::compare_measures(std::move(normal), std::move(abnormal), std::move(more), options));
  compare::judge(comparison);
  return comparison;
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

Result<std::string> compat_text(const Run& normal_run, const Run& abnormal_run,
                                const CompareRequest& request) {
  const analysis::CycleOptions& options = request.options.measure.cycles;
  STROBE_TRY(const auto normal, analysis::find_cycles(*normal_run.ranks.front().trace, options));
  STROBE_TRY(const auto abnormal,
             analysis::find_cycles(*abnormal_run.ranks.front().trace, options));
  const compare::CompatComparison comparison =
      compare::compare_compat(normal_run, normal, abnormal_run, abnormal);
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
  const CompareRequest request = with_all_runs(given, terminal);
  STROBE_TRY(Inputs inputs, load_all(request, terminal));
  stages.end("load");
  for (Input* input : {&inputs.normal, &inputs.abnormal}) {
    STROBE_TRY_VOID(check_rank(input->label(), input->ranks(), request));
  }
  for (std::vector<Input>* more : {&inputs.more.normal, &inputs.more.abnormal}) {
    for (Input& input : *more) {
      STROBE_TRY_VOID(check_rank(input.path, input.ranks(), request));
    }
  }
  STROBE_TRY_VOID(check_interrupted());
  if (request.compat) {
    STROBE_TRY(const std::string text,
               compat_text(inputs.normal.run, inputs.abnormal.run, request));
    stages.end("compare");
    STROBE_TRY_VOID(give(output, text));
    return Outcome{};
  }
  STROBE_TRY(const Comparison comparison, compared(inputs, request.options));
  stages.end("compare");
  return show_comparison(comparison, request, output, terminal, stages);
}

Result<Input> load_only(const CompareRequest& request, const Terminal& terminal) {
  if (compare::is_digest_file(request.normal)) {
    return bad_request("a digest can only be compared with a second run", request.normal,
                       "`strobe compare run.strobe-digest abnormal/`");
  }
  STROBE_TRY(Input input, load_input(request.normal, request, terminal));
  warn_of_damage(input.run, terminal);
  STROBE_TRY_VOID(check_rank(input.label(), input.ranks(), request));
  return input;
}

Result<Outcome> compare_one(const CompareRequest& request, Output& output,
                            const Terminal& terminal) {
  Stages stages(terminal);
  STROBE_TRY(const Input input, load_only(request, terminal));
  const Run& run = input.run;
  stages.end("load");
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

Result<void> refuse_own_trace(const Run& run, const std::string& path) {
  for (const RankCapture& rank : run.ranks) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(rank.path, path, ignored)) continue;
    return bad_request(fmt::format("'{}' is the run's trace", path), "--digest",
                       "name another file");
  }
  return {};
}

void tell_written(const std::string& path, std::size_t bytes, const Terminal& terminal) {
  if (terminal.quiet || !is_replaced(path)) return;
  say(fmt::format("strobe: wrote {} ({})\n  next: strobe compare {} abnormal/\n", path,
                  decimal_bytes_text(static_cast<double>(bytes)), path));
}

Result<Outcome> write_digest(const CompareRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.digest));
  Stages stages(terminal);
  STROBE_TRY(const Input input, load_only(request, terminal));
  STROBE_TRY_VOID(refuse_own_trace(input.run, request.digest));
  stages.end("load");
  STROBE_TRY(const SideFacts side, compare::measure_side(input.run, request.options));
  STROBE_TRY(const std::string bytes, compare::pack_digest(side));
  stages.end("measure");
  STROBE_TRY_VOID(give(output, bytes));
  tell_written(request.digest, bytes.size(), terminal);
  return Outcome{};
}

Result<Outcome> compare_traces(const CompareRequest& request, const Terminal& terminal) {
  if (request.mode == CompareMode::kDigest) return write_digest(request, terminal);
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
          "(and metrics.csv), a folder with one folder or trace per rank, or a folder with several "
          "runs of `strobe record --runs`; for a single run "
          "strobe compares its ranks with each other. A digest can replace a run",
      .examples = {{"strobe compare normal/ abnormal/", "the verdict, then the evidence"},
                   {"strobe compare normal/ abnormal/ --format html -o report.html",
                    "a page with charts, to send to a colleague"},
                   {"strobe compare main/ branch/ --fail-on 'cycle>3%,beta>1'",
                    "for CI: exit code 1 if it got significantly slower"},
                   {"strobe compare normal/ abnormal/ --baseline normal2/,normal3/ --repeat "
                    "abnormal2/",
                    "with more runs of each, to know the noise"},
                   {"strobe compare run/", "compare ranks: which one is slow, and why"},
                   {"strobe compare --halves run/", "did the run change over time?"},
                   {"strobe compare run/ --digest run.strobe-digest",
                    "write a small file that can replace the run in later comparisons"}},
      .notes = {
          "Gates: cycle>3% or cycle>5ms (cycles got slower by more than this), beta>1 (a "
          "function's share of the cycle grew by more than 1 percentage point), cause=clock (this "
          "cause is listed, unless it made the run faster), any (any change, also for the better). "
          "A change that is not significant never fails a gate; one that is unclear fails cycle "
          "with --strict. When the ranks of one run are compared, cycle tests the own time of a "
          "slow "
          "rank against its peers, any and cause=straggler fail if a rank is slow or late, and the "
          "others test the slowest rank. Quote gates: the shell interprets >.",
          "--rank also accepts the words of --sort, because other tools choose the order of "
          "functions by a flag of that name.",
          "Exit codes: 0 answered and no gate failed, 1 a gate failed, 2 bad command line, 3 a "
          "run cannot be read, or has too few cycles for a test (strobe prints the report first), "
          "70 a bug in strobe, 130 interrupted."}};
  return with_request(std::move(command), compare_flags, complete_compare, compare_traces);
}

}  // namespace strobe::cli

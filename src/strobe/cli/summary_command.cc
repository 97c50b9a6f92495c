#include <algorithm>
#include <functional>
#include <future>
#include <iterator>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/cli/cache_flags.h"
#include "strobe/cli/command.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/message.h"
#include "strobe/cli/output.h"
#include "strobe/cli/progress.h"
#include "strobe/cli/summary_request.h"
#include "strobe/cli/verbose.h"
#include "strobe/paddle/summary_text.h"
#include "strobe/readers/trace_cache.h"
#include "strobe/report/render/render.h"
#include "strobe/report/summary/import_warning.h"
#include "strobe/report/summary/run_report.h"

namespace strobe::cli {
namespace {

using analysis::Summary;
using analysis::View;
using readers::LoadedTrace;
using report::RunTrace;

Result<std::vector<LoadedTrace>> load(const SummaryRequest& request, const Terminal& terminal) {
  const std::string what = request.traces.size() == 1
                               ? fmt::format("loading {}", request.traces[0].string())
                               : fmt::format("loading {} traces", request.traces.size());
  Progress progress(terminal, what);
  readers::LoadOptions options;
  options.threads = request.threads;
  options.keep_args = request.tables.views.has(View::kOperator);  // for FLOPs, from shapes
  options.cancelled = &interrupted();
  options.progress = [&](const readers::LoadProgress& now) {
    progress.update(now.bytes_done, now.bytes_total);
  };
  return readers::read_traces(
      request.traces, options,
      [&](const std::filesystem::path& path, const readers::LoadOptions& own) {
        return readers::read_trace_cached(path, own, request.cache);
      });
}

// The answer is out: whatever happens here is worth a note at most.
void store(const std::vector<LoadedTrace>& traces, const SummaryRequest& request,
           const Terminal& terminal, Stages& stages) {
  for (const LoadedTrace& loaded : traces) {
    if (!loaded.ticket) continue;
    stages.begin();
    const Result<void> stored = readers::store_trace(loaded, request.cache);
    if (stored) {
      stages.end("store in cache");
    } else if (terminal.verbose) {
      say(fmt::format("strobe: not cached: {} ({})\n", stored.error().what, stored.error().where));
    }
  }
}

std::optional<std::int32_t> rank_of(const LoadedTrace& loaded) {
  return loaded.trace.metadata().distributed.rank;
}

// By what the traces say of themselves; only where all are silent does the order of the files
// count.
Result<std::vector<LoadedTrace>> choose_rank(std::vector<LoadedTrace> traces, std::int64_t rank) {
  std::set<std::int32_t> ranks;
  for (const LoadedTrace& loaded : traces) {
    if (rank_of(loaded)) ranks.insert(*rank_of(loaded));
  }
  std::vector<LoadedTrace> chosen;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::int64_t own =
        ranks.empty() ? static_cast<std::int64_t>(i) : rank_of(traces[i]).value_or(-1);
    if (own == rank) chosen.push_back(std::move(traces[i]));
  }
  if (!chosen.empty()) return chosen;
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = fmt::format("no trace has rank {}", rank),
               .where = "--rank",
               .hint = ranks.empty()
                           ? fmt::format("the traces do not say their rank, so --rank counts the "
                                         "files from 0 to {}",
                                         traces.size() - 1)
                           : fmt::format("there are ranks {}", fmt::join(ranks, ", "))};
}

std::vector<RunTrace> run_of(const std::vector<LoadedTrace>& traces) {
  std::vector<RunTrace> run;
  for (const LoadedTrace& loaded : traces) {
    run.push_back({.path = loaded.path, .trace = &loaded.trace, .import = &loaded.report});
  }
  report::sort_by_rank(run);
  return run;
}

Result<Summary> summarize_one(const RunTrace& one, const SummaryRequest& request) {
  analysis::SummaryOptions options;
  options.separate_threads = request.separate_threads;
  options.with_flops = request.tables.views.has(View::kOperator);
  if (request.steps) {
    STROBE_TRY(options.steps, analysis::find_steps(*one.trace, *request.steps));
  }
  return analysis::summarize(*one.trace, options);
}

Result<std::vector<Summary>> summarize_all(const std::vector<RunTrace>& run,
                                           const SummaryRequest& request) {
  const unsigned cores =
      request.threads != 0 ? request.threads : std::thread::hardware_concurrency();
  const auto policy = cores > 1 ? std::launch::async : std::launch::deferred;
  std::vector<Summary> summaries;
  for (std::size_t start = 0; start < run.size(); start += std::max(1u, cores)) {
    STROBE_TRY_VOID(check_interrupted());
    std::vector<std::future<Result<Summary>>> answers;
    for (std::size_t i = start; i < std::min(run.size(), start + std::max(1u, cores)); ++i) {
      answers.push_back(std::async(policy, summarize_one, std::cref(run[i]), std::cref(request)));
    }
    for (auto& answer : answers) {
      STROBE_TRY(Summary summary, answer.get());
      summaries.push_back(std::move(summary));
    }
  }
  return summaries;
}

std::string paddle_text(const std::vector<RunTrace>& run, const std::vector<Summary>& summaries,
                        const SummaryRequest& request) {
  std::string text;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (run.size() > 1) text += fmt::format("{}==> {} <==\n", i == 0 ? "" : "\n\n", run[i].path);
    text += paddle::summary_text(*run[i].trace, summaries[i], request.tables);
  }
  return text;
}

std::string rendered(const report::Document& document, SummaryFormat format,
                     const Terminal& terminal) {
  switch (format) {
    case SummaryFormat::kJson:
      return report::render_json(document);
    case SummaryFormat::kCsv:
      return report::render_csv(document);
    case SummaryFormat::kMarkdown:
      return report::render_markdown(document);
    case SummaryFormat::kHtml:
      return report::render_html(document);
    case SummaryFormat::kText:
      break;
  }
  return report::render_text(
      document, {.width = terminal.columns, .color = terminal.color, .unicode = terminal.unicode});
}

Result<void> summarize_traces(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(const SummaryRequest request, read_summary_request(arguments));
  STROBE_TRY(Output output, Output::open(request.output));
  Stages stages(terminal);
  STROBE_TRY(std::vector<LoadedTrace> traces, load(request, terminal));
  for (const LoadedTrace& loaded : traces) {
    stages.loaded(loaded);
    const std::string warning = report::import_warning(loaded.path, loaded.report);
    if (!warning.empty()) warn(terminal, warning);
  }
  if (request.rank) {
    STROBE_TRY(traces, choose_rank(std::move(traces), *request.rank));
  }
  const std::vector<RunTrace> run = run_of(traces);
  STROBE_TRY_VOID(report::expect_slices(run));
  stages.begin();
  STROBE_TRY(const std::vector<Summary> summaries, summarize_all(run, request));
  stages.end("summarize");
  const std::string text =
      request.paddle_style
          ? paddle_text(run, summaries, request)
          : rendered(report::run_document(run, summaries, request.tables, terminal.verbose),
                     request.format, terminal);
  stages.end("report");
  STROBE_TRY_VOID(check_interrupted());
  STROBE_TRY_VOID(output.write(text));
  STROBE_TRY_VOID(output.commit());
  store(traces, request, terminal, stages);
  return {};
}

}  // namespace

Command summary_command() {
  Command command = {
      .name = "summary",
      .summary = "where the time went: steps, devices, operators, kernels, memory, ranks",
      .positionals = "TRACE...",
      .positionals_help =
          "traces of one run, one per rank: Kineto/PyTorch, Paddle or any Chrome JSON; plain, .gz "
          "or .zst, told by content; - is stdin",
      .examples = {{"strobe summary trace.json.gz", "where the time went, ten rows a table"},
                   {"strobe summary rank*.json --views kernel --top all",
                    "every kernel, all ranks added up"},
                   {"strobe summary trace.json --format json -o summary.json",
                    "the same numbers for a script"},
                   {"strobe summary trace.json --format html -o report.html",
                    "a page to send to a colleague"}},
      .notes =
          {"--sort orders the operator and user tables; the kernel table goes by GPU time. "
           "Paddle's "
           "names (CPUTotal, MemoryManipulation, UDF...) are understood too.",
           "What a damaged trace lost is said on stderr and at the end of the report; whatever can "
           "be read is used. When a reader of stdout goes away (`| head`), strobe stops quietly "
           "with exit code 0."},
      .flags =
          {{.name = "views",
            .kind = FlagKind::kList,
            .value = "LIST",
            .help = "which tables: perf, device, overview, steps, model, distributed, operator, "
                    "kernel, memory-manipulation, user, memory; all (default)"},
           {.name = "top",
            .kind = FlagKind::kValue,
            .value = "N",
            .help = "rows per table, or all (default: 10 in text, all in other formats and in "
                    "Paddle's style)"},
           {.name = "sort",
            .kind = FlagKind::kValue,
            .value = "KEY",
            .help = "cpu-total (default), cpu-avg, cpu-max, cpu-min, gpu-total, gpu-avg, gpu-max, "
                    "gpu-min; the two minima ascend, the others descend"},
           {.name = "filter",
            .kind = FlagKind::kValue,
            .value = "REGEX",
            .help = "only rows whose name matches (RE2 syntax)"},
           {.name = "steps",
            .kind = FlagKind::kValue,
            .value = "A:B",
            .help = "only what these steps launched; both ends count, A:, :B and A work too"},
           {.name = "rank",
            .kind = FlagKind::kValue,
            .value = "N",
            .help = "only the trace of this rank; of the Nth file, from 0, if traces do not say"},
           {.name = "time-unit",
            .kind = FlagKind::kValue,
            .value = "UNIT",
            .help = "every duration in s, ms, us or ns (default: the one that fits; ms in Paddle's "
                    "style); JSON and CSV are in ns",
            .choices = {"s", "ms", "us", "ns"}},
           {.name = "op-detail",
            .kind = FlagKind::kNegatable,
            .help = "phases and kernels below each operator (default: off on strobe's own page, on "
                    "in Paddle's style, JSON, CSV and HTML)"},
           {.name = "thread-sep",
            .kind = FlagKind::kSwitch,
            .help = "operators and user ranges thread by thread"},
           {.name = "style",
            .kind = FlagKind::kValue,
            .value = "STYLE",
            .help = "strobe (default), or paddle: the tables of Paddle's profiler, character by "
                    "character",
            .choices = {"strobe", "paddle"}},
           {.name = "format",
            .kind = FlagKind::kValue,
            .value = "FORMAT",
            .help = "text (default), json, csv, markdown or html",
            .choices = {"text", "json", "csv", "markdown", "html"}},
           output_flag(),
           {.name = "threads",
            .kind = FlagKind::kValue,
            .value = "N",
            .help = "threads to use (default: one per core); never changes the answer"}},
      .run = answered<summarize_traces>};
  std::ranges::copy(cache_flags(), std::back_inserter(command.flags));
  return command;
}

}  // namespace strobe::cli

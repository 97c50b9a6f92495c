#include <algorithm>
#include <filesystem>
#include <functional>
#include <future>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/analysis/memory/allocator_study.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/base/memory.h"
#include "strobe/cli/command.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/summary_inputs.h"
#include "strobe/cli/summary_request.h"
#include "strobe/cli/talk.h"
#include "strobe/paddle/summary_text.h"
#include "strobe/readers/trace_cache.h"
#include "strobe/report/memory/allocator_report.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/render.h"
#include "strobe/report/summary/import_warning.h"
#include "strobe/report/summary/run_doubt.h"
#include "strobe/report/summary/run_report.h"

namespace strobe::cli {
namespace {

using analysis::Summary;
using analysis::View;
using readers::LoadedTrace;
using report::RunTrace;

Result<std::vector<LoadedTrace>> load_traces(const SummaryInputs& inputs,
                                             const SummaryRequest& request,
                                             const readers::CacheOptions& cache,
                                             const Terminal& terminal) {
  const std::string what = inputs.traces.size() == 1
                               ? fmt::format("loading {}", inputs.traces[0].string())
                               : fmt::format("loading {} traces", inputs.traces.size());
  Progress progress(terminal, what);
  readers::LoadOptions options = load_options(progress, request.load.threads);
  options.keep_args = request.tables.views.has(View::kOperator);  // for FLOPs, from shapes
  STROBE_TRY(
      std::vector<LoadedTrace> loaded,
      readers::read_traces(inputs.traces, options,
                           [&](const std::filesystem::path& path, const readers::LoadOptions& own) {
                             return readers::read_trace_cached(path, own, cache);
                           }));
  for (const TraceFolder& folder : inputs.folders) {
    STROBE_TRY_VOID(expect_one_run(folder, loaded));
  }
  std::size_t bytes = 0;
  for (const LoadedTrace& one : loaded) {
    bytes = std::max(bytes, analysis::bytes_to_summarize(one.trace));
  }
  keep_freed_memory(bytes);
  return loaded;
}

// The answer is already written, so a failure here is only a note.
void store(const std::vector<LoadedTrace>& traces, const readers::CacheOptions& cache,
           const Terminal& terminal, Stages& stages) {
  for (const LoadedTrace& loaded : traces) {
    if (!loaded.ticket) continue;
    stages.begin();
    const Result<void> stored = readers::store_trace(loaded, cache);
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

// From the traces' own rank numbers; if no trace has one, the order of the files counts.
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
  return bad_request(
      fmt::format("no trace has rank {}", rank), "--rank",
      ranks.empty() ? fmt::format("the traces do not name their rank, so --rank counts the files "
                                  "from 0 to {}",
                                  traces.size() - 1)
                    : fmt::format("there are ranks {}", fmt::join(ranks, ", ")));
}

void warn_of_several_runs(const std::vector<LoadedTrace>& traces, const Terminal& terminal) {
  std::vector<const Trace*> all;
  for (const LoadedTrace& loaded : traces) all.push_back(&loaded.trace);
  const std::string doubt = report::run_doubt(all);
  if (doubt.empty()) return;
  warn(terminal,
       fmt::format("these {} traces do not look like the ranks of one run: {}; their times "
                   "are added up all the same",
                   traces.size(), doubt));
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
  options.rules =
      request.paddle_style ? analysis::TreeRules::kCompatible : analysis::TreeRules::kStrobe;
  options.with_flops = request.tables.views.has(View::kOperator);
  if (request.steps) {
    STROBE_TRY(options.steps, analysis::find_steps(*one.trace, *request.steps));
  }
  return analysis::summarize(*one.trace, options);
}

Result<std::vector<Summary>> summarize_all(const std::vector<RunTrace>& run,
                                           const SummaryRequest& request) {
  const unsigned cores =
      request.load.threads != 0 ? request.load.threads : std::thread::hardware_concurrency();
  // One trace stays on this thread, whose memory is prepared.
  const auto policy = cores > 1 && run.size() > 1 ? std::launch::async : std::launch::deferred;
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

// The page of a summary is the web page.
std::string summary_text(const report::Document& document, Format format,
                         const Terminal& terminal) {
  if (format == Format::kHtml) return report::render_html(document);
  return document_text(document, format, terminal);
}

bool is_snapshot(const LoadedTrace& loaded) { return loaded.snapshot != nullptr; }

// Snapshots have no time to add up, and no ranks that belong together.
Result<void> expect_one_snapshot(const std::vector<LoadedTrace>& traces) {
  if (traces.size() == 1) return {};
  const auto one = std::ranges::find_if(traces, is_snapshot);
  return bad_request("a snapshot of an allocator is summarised by itself", one->path,
                     "give one snapshot at a time");
}

std::string snapshot_text(const LoadedTrace& loaded, const SummaryRequest& request,
                          const Terminal& terminal) {
  const analysis::AllocatorStudy study = analysis::study_allocator(*loaded.snapshot);
  const report::Document document = report::allocator_document(
      *loaded.snapshot, study, loaded.report,
      {.path = loaded.path, .top = request.tables.top, .verbose = terminal.verbose});
  if (request.format == Format::kHtml) return report::document_html(document);
  return document_text(document, request.format, terminal);
}

Result<void> summarize_traces(const SummaryRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  const readers::CacheOptions cache = cache_options(request.load);
  Stages stages(terminal);
  STROBE_TRY(const SummaryInputs inputs, find_inputs(request.traces));
  STROBE_TRY(std::vector<LoadedTrace> traces, load_traces(inputs, request, cache, terminal));
  for (const LoadedTrace& loaded : traces) {
    stages.loaded(loaded);
    const std::string warning = report::import_warning(loaded.path, loaded.report);
    if (!warning.empty()) warn(terminal, warning);
  }
  if (request.rank) {
    STROBE_TRY(traces, choose_rank(std::move(traces), *request.rank));
  }
  const bool has_snapshot = std::ranges::any_of(traces, is_snapshot);
  if (!request.paddle_style && !has_snapshot) warn_of_several_runs(traces, terminal);
  if (has_snapshot) {
    STROBE_TRY_VOID(expect_one_snapshot(traces));
    stages.begin();
    const std::string text = snapshot_text(traces[0], request, terminal);
    stages.end("summarize");
    return give(output, text);
  }
  const std::vector<RunTrace> run = run_of(traces);
  STROBE_TRY_VOID(report::expect_slices(run));
  stages.begin();
  STROBE_TRY(const std::vector<Summary> summaries, summarize_all(run, request));
  stages.end("summarize");
  const std::string text =
      request.paddle_style
          ? paddle_text(run, summaries, request)
          : summary_text(report::run_document(run, summaries, request.tables, terminal.verbose),
                         request.format, terminal);
  stages.end("report");
  STROBE_TRY_VOID(give(output, text));
  store(traces, cache, terminal, stages);
  return {};
}

}  // namespace

Command summary_command() {
  Command command = {
      .name = "summary",
      .summary = "where the time went: steps, devices, operators, kernels, memory, ranks",
      .positionals = "TRACE|DIR...",
      .positionals_help =
          "traces of one run, one per rank: of PyTorch, Paddle, Nsight Systems, XLA (JAX), ROCm, "
          "Ascend, Perfetto, or any Chrome JSON; plain, .gz or .zst, recognised by content; - is "
          "stdin; or a folder with one trace, one per rank, or rank0/, rank1/, ...; or a folder "
          "that is one trace (..._ascend_pt, rocprofv3's tables); or a snapshot of PyTorch's "
          "allocator",
      .examples = {{"strobe summary trace.json.gz", "where the time went, ten rows per table"},
                   {"strobe summary run/ --views kernel --top all",
                    "every kernel, summed over all ranks in a folder"},
                   {"strobe summary report.sqlite", "the export of an Nsight Systems report"},
                   {"strobe summary host_1_ascend_pt/", "the folder of an NPU's profiler"},
                   {"strobe summary trace.json -o summary.json", "the same numbers for a script"},
                   {"strobe summary trace.json -o summary.html", "a page to send to a colleague"}},
      .notes = {"Findings: !! matters, ! is worth a look, a dot is a note, an arrow says what to "
                "try; 'against' is evidence that speaks against the finding.",
                "The kernel table is always ordered by GPU time. --views and --sort also accept "
                "Paddle's names, such as UDF and CPUTotal.",
                "If a trace is damaged, strobe uses what it can read; stderr and the end of the "
                "report say what was lost.",
                "Exit codes: 0 answered, 2 bad command line, 3 a trace cannot be read or FILE "
                "cannot be written, 70 a bug in strobe, 130 interrupted. If `| head` closes the "
                "pipe early, strobe stops quietly with 0."},
      .verbose_adds = "show all findings"};
  return with_request(std::move(command), summary_flags, complete_summary, summarize_traces);
}

}  // namespace strobe::cli

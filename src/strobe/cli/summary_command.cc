#include <algorithm>
#include <functional>
#include <future>
#include <iterator>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "strobe/analysis/finding.h"
#include "strobe/analysis/steps.h"
#include "strobe/analysis/summary.h"
#include "strobe/cli/command.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/message.h"
#include "strobe/cli/output.h"
#include "strobe/cli/progress.h"
#include "strobe/cli/run_findings.h"
#include "strobe/cli/summary_request.h"
#include "strobe/cli/verbose.h"
#include "strobe/paddle/summary_text.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/report/import_warning.h"
#include "strobe/report/render_csv.h"
#include "strobe/report/render_html.h"
#include "strobe/report/render_json.h"
#include "strobe/report/render_markdown.h"
#include "strobe/report/render_text.h"
#include "strobe/report/summary_report.h"

namespace strobe::cli {
namespace {

using analysis::Summary;
using analysis::View;
using readers::LoadedTrace;

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
  return readers::read_traces(request.traces, options);
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
  return Error{.code = ErrorCode::kBadCommandLine,
               .what = fmt::format("no trace has rank {}", rank),
               .where = "--rank",
               .hint = ranks.empty()
                           ? fmt::format("the traces do not say their rank, so --rank counts the "
                                         "files from 0 to {}",
                                         traces.size() - 1)
                           : fmt::format("there are ranks {}", fmt::join(ranks, ", "))};
}

// Shells sort rank10 before rank2.
void sort_by_rank(std::vector<LoadedTrace>& traces) {
  const auto has_rank = [](const LoadedTrace& loaded) { return rank_of(loaded).has_value(); };
  if (!std::ranges::all_of(traces, has_rank)) return;
  std::ranges::stable_sort(traces, {}, [](const auto& loaded) { return *rank_of(loaded); });
}

std::string file_name(const LoadedTrace& loaded) {
  return std::filesystem::path(loaded.path).filename().string();
}

// The paths without the folders they share.
std::vector<std::string> short_paths(const std::vector<LoadedTrace>& traces) {
  std::string_view shared = traces[0].path;
  for (const LoadedTrace& loaded : traces) {
    const auto [end, other] = std::ranges::mismatch(shared, loaded.path);
    shared = shared.substr(0, static_cast<std::size_t>(end - shared.begin()));
  }
  const std::size_t folders = shared.rfind('/') + 1;  // 0 without any
  std::vector<std::string> names;
  for (const LoadedTrace& loaded : traces) names.push_back(loaded.path.substr(folders));
  return names;
}

// As short as tells them apart: the rank a trace says it has, its file's name, or its path.
std::vector<std::string> names_of(const std::vector<LoadedTrace>& traces) {
  if (traces.size() == 1) return {traces[0].path == "/dev/stdin" ? "stdin" : traces[0].path};
  const auto rank_name = [](const LoadedTrace& loaded) {
    const auto rank = rank_of(loaded);
    return rank ? fmt::format("rank {}", *rank) : file_name(loaded);
  };
  for (const auto& name_of : {std::function(rank_name), std::function(file_name)}) {
    std::vector<std::string> names;
    std::ranges::transform(traces, std::back_inserter(names), name_of);
    if (std::set(names.begin(), names.end()).size() == names.size()) return names;
  }
  return short_paths(traces);
}

// A summary is about time; without a slice there is none.
Result<void> expect_slices(const std::vector<LoadedTrace>& traces) {
  for (const LoadedTrace& loaded : traces) {
    if (loaded.trace.slice_count() > 0) return {};
  }
  const LoadedTrace& first = traces[0];
  Error error{.code = ErrorCode::kTooLittleData, .what = "", .where = first.path, .hint = ""};
  if (first.report.lost_something()) {
    error.what = "no event of it can be read";
  } else if (first.report.event_count == 0) {
    error.what = "it holds no events";
    error.hint = "was the profiler stopped before the first step ended?";
  } else {
    error.what = "none of its events has a duration";
    error.hint = "a summary accounts for time; record slices besides counters and instants";
  }
  return error;
}

Result<Summary> summarize_one(const LoadedTrace& loaded, const SummaryRequest& request) {
  analysis::SummaryOptions options;
  options.separate_threads = request.separate_threads;
  options.with_flops = request.tables.views.has(View::kOperator);
  if (request.steps) {
    STROBE_TRY(options.steps,
               analysis::find_steps(loaded.trace, request.steps->first, request.steps->last));
  }
  return analysis::summarize(loaded.trace, options);
}

Result<std::vector<Summary>> summarize_all(const std::vector<LoadedTrace>& traces,
                                           const SummaryRequest& request) {
  const unsigned cores =
      request.threads != 0 ? request.threads : std::thread::hardware_concurrency();
  const auto policy = cores > 1 ? std::launch::async : std::launch::deferred;
  std::vector<Summary> summaries;
  for (std::size_t start = 0; start < traces.size(); start += std::max(1u, cores)) {
    STROBE_TRY_VOID(check_interrupted());
    std::vector<std::future<Result<Summary>>> answers;
    for (std::size_t i = start; i < std::min(traces.size(), start + std::max(1u, cores)); ++i) {
      answers.push_back(
          std::async(policy, summarize_one, std::cref(traces[i]), std::cref(request)));
    }
    for (auto& answer : answers) {
      STROBE_TRY(Summary summary, answer.get());
      summaries.push_back(std::move(summary));
    }
  }
  return summaries;
}

std::string paddle_text(const std::vector<LoadedTrace>& traces,
                        const std::vector<Summary>& summaries, const SummaryRequest& request) {
  std::string text;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (traces.size() > 1)
      text += fmt::format("{}==> {} <==\n", i == 0 ? "" : "\n\n", traces[i].path);
    text += paddle::summary_text(traces[i].trace, summaries[i], request.tables);
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

std::string report_text(const std::vector<LoadedTrace>& traces,
                        const std::vector<Summary>& summaries, const SummaryRequest& request,
                        const Terminal& terminal) {
  std::vector<report::RankInput> ranks;
  const std::vector<std::string> names = names_of(traces);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    ranks.push_back({.name = names[i],
                     .trace = &traces[i].trace,
                     .summary = &summaries[i],
                     .import = &traces[i].report,
                     .findings = analysis::find_in(traces[i].trace, summaries[i])});
  }
  const Summary merged = traces.size() == 1 ? summaries[0] : analysis::merge_ranks(summaries);
  const std::vector<analysis::Finding> findings =
      ranks.size() == 1 ? ranks[0].findings : findings_of_run(ranks);
  const report::Document document =
      report::summary_document(ranks, merged, findings, request.tables, terminal.verbose);
  return rendered(document, request.format, terminal);
}

Result<void> run(const Arguments& arguments, const Terminal& terminal) {
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
  sort_by_rank(traces);
  STROBE_TRY_VOID(expect_slices(traces));
  stages.begin();
  STROBE_TRY(const std::vector<Summary> summaries, summarize_all(traces, request));
  stages.end("summarize");
  const std::string text = request.paddle_style ? paddle_text(traces, summaries, request)
                                                : report_text(traces, summaries, request, terminal);
  stages.end("report");
  STROBE_TRY_VOID(check_interrupted());
  STROBE_TRY_VOID(output.write(text));
  return output.commit();
}

}  // namespace

Command summary_command() {
  return {
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
      .run = run};
}

}  // namespace strobe::cli

#include <optional>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/bench/judge/run_diff.h"
#include "strobe/bench/results/run_file.h"
#include "strobe/cli/bench_actions.h"
#include "strobe/cli/bench_show_request.h"
#include "strobe/cli/kernels_load.h"
#include "strobe/cli/output.h"
#include "strobe/cli/verbose.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

using report::Document;

std::string rendered(const Document& page, BenchFormat format, const Terminal& terminal) {
  switch (format) {
    case BenchFormat::kMarkdown:
      return report::render_markdown(page);
    case BenchFormat::kCsv:
      return report::render_csv(page);
    case BenchFormat::kTsv:
      return report::render_tsv(page);
    case BenchFormat::kJson:
      return report::render_json(page);
    case BenchFormat::kHtml:
      return report::document_html(page);
    case BenchFormat::kText:
      break;
  }
  return report::render_text(
      page, {.width = terminal.columns, .color = terminal.color, .unicode = terminal.unicode});
}

// What a file turned out to be.
struct Loaded {
  std::optional<bench::BenchRun> run;
  std::optional<bench::RatioGrids> grids;
  std::optional<bench::TunedShapes> tuned;
};

Result<Loaded> load(const std::filesystem::path& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
  STROBE_TRY(const std::string text, read_text(path, kMostBytes));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    STROBE_TRY(bench::BenchRun run, bench::parse_run(text, path.string()));
    return Loaded{.run = std::move(run), .grids = {}, .tuned = {}};
  }
  if (bench::looks_like_ratio_grids(text)) {
    STROBE_TRY(bench::RatioGrids grids, bench::parse_ratio_grids(text, path.string()));
    return Loaded{.run = {}, .grids = std::move(grids), .tuned = {}};
  }
  if (bench::looks_like_tuned_shapes(text)) {
    STROBE_TRY(bench::TunedShapes tuned, bench::parse_tuned_shapes(text, path.string()));
    return Loaded{.run = {}, .grids = {}, .tuned = std::move(tuned)};
  }
  return Error{.code = ErrorCode::kMalformed,
               .what = text.empty() ? "the file is empty"
                                    : "this is neither a benchmark run nor a table of ratios",
               .where = path.string(),
               .hint =
                   "`strobe bench run -o run.json` writes a run; `strobe bench --help` says "
                   "which columns a table has"};
}

Error not_two_runs(const std::filesystem::path& path) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = "two files are shown against each other if both are runs of strobe",
          .where = path.string(),
          .hint = "show tables of ratios one file at a time"};
}

Result<Document> page_of(const BenchShowRequest& request) {
  STROBE_TRY(const Loaded first, load(request.files[0]));
  if (request.files.size() == 2) {
    STROBE_TRY(const Loaded second, load(request.files[1]));
    if (!first.run) return not_two_runs(request.files[0]);
    if (!second.run) return not_two_runs(request.files[1]);
    STROBE_TRY(const auto choice, resolve(request.choice, *first.run));
    if (!request.is_forced) {
      STROBE_TRY_VOID(bench::check_methods(first.run->header.method, second.run->header.method));
    }
    return report::devices_page(*first.run, *second.run, choice);
  }
  if (first.run) {
    STROBE_TRY(const auto choice, resolve(request.choice, *first.run));
    return report::run_page(*first.run, choice);
  }
  if (first.tuned) {
    STROBE_TRY(const auto choice, resolve(request.choice, *first.tuned));
    return report::tuning_page(*first.tuned, choice);
  }
  STROBE_TRY(const auto choice, resolve(request.choice, *first.grids));
  return report::grids_page(*first.grids, choice);
}

Result<void> show(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(const BenchShowRequest request, read_bench_show_request(arguments));
  STROBE_TRY(Output output, Output::open(request.output));
  Stages stages(terminal);
  Result<Document> page = page_of(request);
  if (!page) {
    Error error = std::move(page).error();
    if (error.where.empty() && request.files.size() == 1) error.where = request.files[0].string();
    return error;
  }
  stages.end("load and judge");
  const std::string text = rendered(*page, request.format, terminal);
  stages.end("report");
  return give(output, text);
}

Flag value_flag(std::string_view name, std::string_view value, std::string_view help) {
  return {.name = name, .kind = FlagKind::kValue, .value = value, .help = help};
}

Flag list_flag(std::string_view name, std::string_view value, std::string_view help) {
  return {.name = name, .kind = FlagKind::kList, .value = value, .help = help};
}

}  // namespace

Command bench_show_action() {
  return {
      .name = "bench show",
      .summary = "tables of a run, or of another harness, with what they hide",
      .positionals = "FILE [FILE]",
      .positionals_help =
          "a run (JSON), tables of ratios or blocks that a tuner chose (CSV), plain, .gz or "
          ".zst; - is stdin; the runs of two devices are shown against each other",
      .examples =
          {{"strobe bench show run.json", "an overview, then table by table"},
           {"strobe bench show run.json --table relative --baseline cuda-unfused --contender "
            "cuda-fused",
            "one against another, shape by shape"},
           {"strobe bench show run.json --table roofline --case softmax",
            "how near the memory roof each cell is"},
           {"strobe bench show grids.csv --version v3 --device A100 --case softmax --table "
            "relative",
            "one table of another harness"},
           {"strobe bench show grids.csv --table overhead --format tsv --missing '#VALUE!'",
            "as a spreadsheet had it"},
           {"strobe bench show h200.json a100.json", "one device against another"},
           {"strobe bench show run.json --format html -o run.html", "heat maps to send around"}},
      .notes = {"OOM ran out of memory, OOM* was predicted to and did not run, ERR failed, n/a has "
                "no number. = marks a ratio of two sides that ran the same kernels and ~...~ one "
                "whose values were wrong; neither enters a mean. Means are geometric.",
                "Names may be cut short as long as they stay unambiguous: --version v3."},
      .flags = {list_flag("table", "NAME",
                          "overview, relative, overhead, device, attention, bandwidth, times, "
                          "accuracy, roofline, memory, traffic, kernels, api, flags or all "
                          "(default: what the file is good for)"),
                list_flag("case", "CASE", "only these cases (default: every case)"),
                value_flag("baseline", "BASE",
                           "the provider of 100 % (default: an eager or unfused one)"),
                list_flag("contender", "NAME", "only these against it (default: all others)"),
                list_flag("dtype", "TYPE", "only f32, f16 or bf16"),
                list_flag("shape", "SHAPE", "only these shapes of a run: 4096x4096"),
                {.name = "mode",
                 .kind = FlagKind::kValue,
                 .value = "MODE",
                 .help = "which time of a run: device, graph, call, activity, cpu (default: the "
                         "device's, or the host's where there is none)",
                 .choices = {"device", "graph", "call", "activity", "cpu"}},
                list_flag("version", "NAME", "only these versions of a harness, in a CSV"),
                list_flag("device", "NAME", "only these devices, in a CSV"),
                value_flag("missing", "TEXT", "instead of OOM, OOM*, ERR and n/a: '#VALUE!'"),
                {.name = "net",
                 .help =
                     "the table of times, with that of an empty event pair taken off the device's"},
                {.name = "force",
                 .help = "two runs also if they were measured with different caches (--l2) or "
                         "queues (--profile)"},
                {.name = "format",
                 .kind = FlagKind::kValue,
                 .value = "FORMAT",
                 .help = "text (default), markdown, csv (strobe reads it back), tsv (bare tables), "
                         "json or html",
                 .choices = {"text", "markdown", "csv", "tsv", "json", "html"}},
                output_flag()},
      .run = answered<show>};
}

}  // namespace strobe::cli

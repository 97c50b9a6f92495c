#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/bench/judge/run_diff.h"
#include "strobe/bench/results/foreign_tables.h"
#include "strobe/bench/results/run_file.h"
#include "strobe/cli/bench_actions.h"
#include "strobe/cli/bench_show_request.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"
#include "strobe/report/bench/fit_tables.h"

namespace strobe::cli {
namespace {

using report::Document;

// The kind of a file, by its content.
struct BenchFile {
  std::optional<bench::BenchRun> run;
  std::optional<bench::RatioGrids> grids;
  std::optional<bench::TunedShapes> tuned;
};

Result<BenchFile> load_bench_file(const std::string& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
  STROBE_TRY(const std::string text, read_text(path, kMostBytes));
  if (bench::looks_like_json(text)) {
    STROBE_TRY(bench::BenchRun run, bench::parse_run(text, path));
    return BenchFile{.run = std::move(run), .grids = {}, .tuned = {}};
  }
  if (bench::looks_like_ratio_grids(text)) {
    STROBE_TRY(bench::RatioGrids grids, bench::parse_ratio_grids(text, path));
    return BenchFile{.run = {}, .grids = std::move(grids), .tuned = {}};
  }
  if (bench::looks_like_tuned_shapes(text)) {
    STROBE_TRY(bench::TunedShapes tuned, bench::parse_tuned_shapes(text, path));
    return BenchFile{.run = {}, .grids = {}, .tuned = std::move(tuned)};
  }
  return Error{.code = ErrorCode::kMalformed,
               .what = text.empty() ? "the file is empty"
                                    : "this is neither a benchmark run nor a table of ratios",
               .where = path,
               .hint =
                   "`strobe bench run -o run.json` writes a run; `strobe bench --help` says "
                   "which columns a table has"};
}

Error not_two_runs(const std::string& path) {
  return bad_request("only two runs of strobe can be shown against each other", path,
                     "show tables of ratios one file at a time");
}

Result<Document> page_of(const BenchShowRequest& request) {
  STROBE_TRY(const BenchFile first, load_bench_file(request.files[0]));
  if (request.files.size() == 2) {
    STROBE_TRY(const BenchFile second, load_bench_file(request.files[1]));
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

Result<void> show_bench(const BenchShowRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  Stages stages(terminal);
  Result<Document> page = page_of(request);
  if (!page) {
    Error error = std::move(page).error();
    if (error.where.empty() && request.files.size() == 1) error.where = request.files[0];
    return error;
  }
  stages.end("load and judge");
  if (request.format == Format::kText) {
    report::fit_tables(*page, static_cast<std::size_t>(terminal.columns), terminal.unicode);
  }
  const std::string text = document_text(*page, request.format, terminal);
  stages.end("report");
  return give(output, text);
}

}  // namespace

Command bench_show_action() {
  Command command = {
      .name = "bench show",
      .summary = "show the tables of a run, or of another program's CSV, with warnings",
      .positionals = "FILE [FILE]",
      .positionals_help =
          "a run (JSON), ratios or the blocks that a tuner chose (CSV); plain, .gz or .zst; - is "
          "stdin; given two runs, strobe compares their devices",
      .examples = {{"strobe bench show run.json", "the overview and the tables"},
                   {"strobe bench show run.json --table relative --contender cuda-fused",
                    "one provider against another"},
                   {"strobe bench show run.json --table roofline --case softmax",
                    "how near the memory roof"},
                   {"strobe bench show grids.csv --table relative --case softmax",
                    "tables of ratios from a CSV"},
                   {"strobe bench show grids.csv --format tsv --missing '#VALUE!'",
                    "for a spreadsheet"},
                   {"strobe bench show h200.json a100.json", "one device against another"},
                   {"strobe bench show run.json -o run.html", "heat maps, to send around"}},
      .notes = {
          "OOM: out of memory. OOM*: predicted, so the cell did not run. ERR: failed. n/a: no "
          "number. = marks a ratio of two providers that ran the same kernels, so that any "
          "difference "
          "is noise, ~...~ a ratio whose values were wrong; means (geometric) leave both out. ? "
          "marks a number from a noisy measurement.",
          "Names can be shortened as long as they are unambiguous: --version v3."}};
  return with_request(std::move(command), bench_show_flags, complete_bench_show, show_bench);
}

}  // namespace strobe::cli

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/bench/results/run_file.h"
#include "strobe/cli/bench_actions.h"
#include "strobe/cli/bench_compare_request.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"
#include "strobe/report/bench/run_diff_report.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

using bench::BenchRun;
using bench::CellDiff;
using bench::CellVerdict;
using bench::RunDiff;

std::string run_diff_text(const RunDiff& diff, const BenchCompareRequest& request,
                          const report::RunDiffPage& page, const Terminal& terminal) {
  switch (request.format) {
    case Format::kJson:
      return report::run_diff_json(diff, page);
    case Format::kCsv:
      return report::run_diff_csv(diff);
    case Format::kMarkdown:
      return report::render_markdown(report::run_diff_document(diff, page));
    case Format::kHtml:
      return report::run_diff_html(diff, page);
    default:
      return terminal_text(report::run_diff_document(diff, page), terminal);
  }
}

Result<BenchRun> load_bench_run(const std::string& path, const Terminal& terminal) {
  STROBE_TRY(BenchRun run, bench::read_run(path));
  for (const std::string& remark : run.remarks) {
    warn(terminal, fmt::format("'{}': {}", path, remark));
  }
  return run;
}

std::string failure_text(const std::vector<const CellDiff*>& cells, CellVerdict verdict) {
  const CellDiff& first = *cells.front();
  std::string text = cell_text(first.cell);
  if (verdict == CellVerdict::kNotComparable) {
    text += fmt::format(" has no time any more ({})", first.reason);
  } else {
    text += fmt::format(" is {:.1f} % {} ({:+.1f} to {:+.1f} %)", 100 * std::abs(first.ratio - 1),
                        verdict_name(verdict), 100 * (first.ratio_ci95[0] - 1),
                        100 * (first.ratio_ci95[1] - 1));
  }
  if (cells.size() > 1) text += fmt::format(", and {}", counted(cells.size() - 1, "more cell"));
  return text;
}

Outcome judge_run_diff(const RunDiff& diff, const BenchCompareRequest& request) {
  std::string why;
  for (const bench::SpeedGate& gate : request.gates) {
    std::vector<const CellDiff*> cells = caught(diff, gate);
    if (cells.empty()) continue;
    std::ranges::stable_sort(cells, [](const CellDiff* a, const CellDiff* b) {
      return std::abs(std::log(a->ratio)) > std::abs(std::log(b->ratio));
    });
    why += (why.empty() ? "" : "; ") + failure_text(cells, gate.verdict);
  }
  if (why.empty()) return {};
  return {.failed_gate = fmt::format("gate failed: {}", why), .hint = {}};
}

Result<Outcome> compare_bench_runs(const BenchCompareRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  STROBE_TRY(const BenchRun before, load_bench_run(request.before, terminal));
  STROBE_TRY(const BenchRun after, load_bench_run(request.after, terminal));
  STROBE_TRY(const RunDiff diff, diff_runs(before, after, request.options));
  const report::RunDiffPage page = {.before = request.before,
                                    .after = request.after,
                                    .before_about = report::run_about(before.header),
                                    .after_about = report::run_about(after.header),
                                    .top = request.top};
  STROBE_TRY_VOID(give(output, run_diff_text(diff, request, page, terminal)));
  return judge_run_diff(diff, request);
}

}  // namespace

Command bench_compare_action() {
  Command command = {
      .name = "bench compare",
      .summary = "what got faster and what got slower between two runs, and how sure that is",
      .positionals = "OLD NEW",
      .positionals_help =
          "two runs of `strobe bench run`; cells are matched by case, shape, type and provider",
      .examples = {{"strobe bench compare old.json new.json", "the verdict, then every cell"},
                   {"strobe bench compare old.json new.json --fail-on slower:3%",
                    "for CI: exit code 1 if a cell surely got slower by more"},
                   {"strobe bench compare old.json new.json --format markdown",
                    "for a pull request"}},
      .notes = {"Verdicts: same (the 95 % interval of the ratio of medians is inside the band), "
                "slower or faster (the interval is outside, and the test, corrected for the number "
                "of cells, confirms it), unclear (anything else, with the reason). Intervals are "
                "bootstrapped from the samples of `strobe bench run --samples`; without samples "
                "they come from the intervals of the medians.",
                "Exit codes: 0 answered and no gate failed, 1 a gate failed, 2 bad command line, "
                "3 a run cannot be read or compared."}};
  return with_request(std::move(command), bench_compare_flags, complete_bench_compare,
                      compare_bench_runs);
}

}  // namespace strobe::cli

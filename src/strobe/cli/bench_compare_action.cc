#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/bench/results/run_file.h"
#include "strobe/cli/bench_actions.h"
#include "strobe/cli/bench_compare_request.h"
#include "strobe/cli/kernels_load.h"
#include "strobe/cli/message.h"
#include "strobe/cli/output.h"
#include "strobe/report/bench/run_diff_report.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

using bench::BenchRun;
using bench::CellDiff;
using bench::CellVerdict;
using bench::RunDiff;

std::string rendered(const RunDiff& diff, const BenchCompareRequest& request,
                     const report::RunDiffPage& page, const Terminal& terminal) {
  switch (request.format) {
    case KernelFormat::kJson:
      return report::run_diff_json(diff, page);
    case KernelFormat::kCsv:
      return report::run_diff_csv(diff);
    case KernelFormat::kMarkdown:
      return report::render_markdown(report::run_diff_document(diff, page));
    case KernelFormat::kHtml:
      return report::run_diff_html(diff, page);
    default:
      return kernel_text(report::run_diff_document(diff, page), terminal);
  }
}

Result<BenchRun> load(const std::filesystem::path& path, const Terminal& terminal) {
  STROBE_TRY(BenchRun run, bench::read_run(path));
  for (const std::string& remark : run.remarks) {
    warn(terminal, fmt::format("'{}': {}", path.string(), remark));
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

Outcome judged(const RunDiff& diff, const BenchCompareRequest& request) {
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

Result<Outcome> compare(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(const BenchCompareRequest request, read_bench_compare_request(arguments));
  STROBE_TRY(Output output, Output::open(request.output));
  STROBE_TRY(const BenchRun before, load(request.before, terminal));
  STROBE_TRY(const BenchRun after, load(request.after, terminal));
  STROBE_TRY(const RunDiff diff, diff_runs(before, after, request.options));
  const report::RunDiffPage page = {.before = request.before.string(),
                                    .after = request.after.string(),
                                    .before_about = report::run_about(before.header),
                                    .after_about = report::run_about(after.header),
                                    .top = request.top};
  STROBE_TRY_VOID(give(output, rendered(diff, request, page, terminal)));
  return judged(diff, request);
}

}  // namespace

Command bench_compare_action() {
  return {
      .name = "bench compare",
      .summary = "what got faster and what got slower between two runs, and how sure that is",
      .positionals = "OLD NEW",
      .positionals_help =
          "two runs of `strobe bench run`; cells are matched by case, shape, type "
          "and provider",
      .examples = {{"strobe bench compare old.json new.json", "the verdict, then every cell"},
                   {"strobe bench compare old.json new.json --fail-on slower:3%",
                    "for CI: exit code 1 if a cell surely got slower by more"},
                   {"strobe bench compare old.json new.json --format markdown",
                    "for a pull request"}},
      .notes = {"same: the 95 % interval of the ratio of medians lies inside the band; slower, "
                "faster: outside it, and not by chance among so many cells; unclear: anything "
                "else, with the reason and what to do. Intervals are bootstrapped from the samples "
                "of `strobe bench run --samples`; without them they come from the intervals of the "
                "medians.",
                "Exit codes: 0 answered and no gate failed, 1 a gate failed, 2 bad command line, "
                "3 a run cannot be read or compared."},
      .flags = {{.name = "fail-on",
                 .kind = FlagKind::kList,
                 .value = "GATES",
                 .help = "exit with 1 if the interval of a cell lies beyond it: slower:3%, slower "
                         "(than the band), faster:3%; broken: a cell lost its time"},
                {.name = "band",
                 .kind = FlagKind::kValue,
                 .value = "SHARE",
                 .help = "changes within it are none (default: 1%)"},
                {.name = "mode",
                 .kind = FlagKind::kValue,
                 .value = "MODE",
                 .help = "which time (default: of each cell the first that both runs have)",
                 .choices = {"device", "graph", "call", "activity", "cpu"}},
                {.name = "force",
                 .kind = FlagKind::kSwitch,
                 .help = "compare runs that were measured with different caches (--l2)"},
                kernel_top_flag("rows, or all (default: 20 in text, all elsewhere)"),
                kernel_format_flag({"text", "json", "csv", "markdown", "html"}),
                output_flag()},
      .run = compare};
}

}  // namespace strobe::cli

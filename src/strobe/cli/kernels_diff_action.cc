#include <fmt/format.h>

#include "strobe/cli/kernels_actions.h"
#include "strobe/cli/kernels_load.h"
#include "strobe/cli/kernels_request.h"
#include "strobe/cli/output.h"
#include "strobe/compare/kernel_diff.h"
#include "strobe/report/kernels/kernel_diff_report.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

using compare::KernelDiff;

std::string rendered(const KernelDiff& diff, const KernelsRequest& request,
                     const Terminal& terminal) {
  const report::KernelDiffPage page = {
      .before = request.files[0].string(), .after = request.files[1].string(), .top = request.top};
  switch (request.format) {
    case KernelFormat::kJson:
      return report::kernel_diff_json(diff, page);
    case KernelFormat::kCsv:
      return report::kernel_diff_csv(diff, page);
    case KernelFormat::kMarkdown:
      return report::render_markdown(report::kernel_diff_document(diff, page));
    case KernelFormat::kHtml:
      return report::kernel_diff_html(diff, page);
    default:
      return kernel_text(report::kernel_diff_document(diff, page), terminal);
  }
}

Outcome judged(const KernelDiff& diff, const KernelsRequest& request) {
  if (!request.slower_fails_at) return {};
  std::string why;
  for (const compare::KernelDiffRow& row : diff.rows) {
    const bool is_slower = row.change == compare::KernelChange::kSlower && row.ratio;
    if (!why.empty() || !is_slower || *row.ratio - 1 <= *request.slower_fails_at) continue;
    why = fmt::format("{} is {:.1f} % slower", row.name, 100 * (*row.ratio - 1));
  }
  if (why.empty()) return {};
  return {.failed_gate = fmt::format("gate failed: {}", why), .hint = {}};
}

Result<Outcome> diff(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(const KernelsRequest request, read_kernels_request(arguments, "diff", 2));
  STROBE_TRY(Output output, Output::open(request.output));
  STROBE_TRY(const LoadedKernels before, load_kernels(request.files[0], request.study, terminal));
  STROBE_TRY(const LoadedKernels after, load_kernels(request.files[1], request.study, terminal));
  const KernelDiff diff = compare::diff_kernels(before.study, after.study);
  STROBE_TRY_VOID(give(output, rendered(diff, request, terminal)));
  return judged(diff, request);
}

}  // namespace

Command kernels_diff_action() {
  return {
      .name = "kernels diff",
      .summary = "what got faster and what got slower between two lists of kernels",
      .positionals = "BEFORE AFTER",
      .positionals_help = "two lists of kernels of one workload",
      .examples = {{"strobe kernels diff before.csv after.csv", "the verdict, then every kernel"},
                   {"strobe kernels diff main.ncu-rep branch.ncu-rep --fail-on slower:5%",
                    "for CI: exit code 1 if a kernel got slower by more"},
                   {"strobe kernels diff before.csv after.csv --format markdown",
                    "for a pull request"}},
      .notes = {"Exit codes: 0 answered and no gate failed, 1 a gate failed, 2 bad command line, "
                "3 a list cannot be read. A kernel whose change is not significant never fails "
                "a gate."},
      .flags = {kernel_top_flag("rows, or all (default: 10 in text, all elsewhere)"),
                {.name = "fail-on",
                 .kind = FlagKind::kList,
                 .value = "GATES",
                 .help = "exit with 1 if a kernel got significantly slower: slower, or by more "
                         "than so much: slower:5%"},
                kernel_format_flag({"text", "json", "csv", "markdown", "html"}),
                output_flag()},
      .run = diff};
}

}  // namespace strobe::cli

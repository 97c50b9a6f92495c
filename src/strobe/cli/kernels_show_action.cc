#include <algorithm>
#include <iterator>

#include "strobe/cli/kernels_actions.h"
#include "strobe/cli/kernels_load.h"
#include "strobe/cli/kernels_request.h"
#include "strobe/cli/output.h"
#include "strobe/cli/verbose.h"
#include "strobe/report/kernels/kernel_json.h"
#include "strobe/report/kernels/kernel_launches.h"
#include "strobe/report/kernels/kernel_report.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

using analysis::KernelNameForm;

std::string rendered(const analysis::KernelStudy& study, const KernelsRequest& request,
                     const Terminal& terminal) {
  const report::KernelPage page = {
      .grouping = request.grouping.value_or(analysis::KernelGrouping::kName),
      .names = request.name_form(),
      .order = request.order,
      .top = request.top};
  switch (request.format) {
    case KernelFormat::kJson:
      return report::kernel_json(study, page);
    case KernelFormat::kCsv:
      return request.grouping ? report::kernel_group_csv(study, page)
                              : report::kernel_launch_csv(study, page);
    case KernelFormat::kMarkdown:
      return report::render_markdown(report::kernel_document(study, page));
    case KernelFormat::kHtml:
      return report::kernel_html(study, page);
    case KernelFormat::kSeed:
      return report::kernel_seed_table(study, request.names.value_or(KernelNameForm::kSeed));
    case KernelFormat::kText:
      break;
  }
  return kernel_text(report::kernel_document(study, page), terminal);
}

Result<void> show(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(const KernelsRequest request, read_kernels_request(arguments, "show"));
  STROBE_TRY(Output output, Output::open(request.output));
  Stages stages(terminal);
  STROBE_TRY(const LoadedKernels kernels, load_kernels(request.files[0], request.study, terminal));
  stages.end("load and study");
  const std::string text = rendered(kernels.study, request, terminal);
  stages.end("report");
  return give(output, text);
}

}  // namespace

Command kernels_show_action() {
  Command command = {
      .name = "kernels show",
      .summary = "what limits the kernels, what could be won, table by table",
      .positionals = "FILE",
      .positionals_help =
          "a list of kernels: a profiler's report or CSV, the table Kernel Latency Tensor DRAM, "
          "strobe's JSON, or a trace; - is stdin",
      .examples = {{"strobe kernels show report.ncu-rep", "the verdict, then what it stands on"},
                   {"strobe kernels show kernels.csv --group family --sort headroom",
                    "where most could be won"},
                   {"strobe kernels show kernels.csv --group layer", "layer by layer"},
                   {"strobe kernels show kernels.csv --format json -o kernels.json",
                    "every number for a script; strobe reads it back"},
                   {"strobe kernels show kernels.csv --format html -o kernels.html",
                    "a page to send to a colleague"}},
      .notes = {"Headroom is the time that would vanish if a kernel ran at the peak of its busier "
                "resource: an upper bound. What --tensor-roof and --dram-roof leave of it is "
                "achievable.",
                "--format csv is one line per launch; with --group, --sort or --top one line per "
                "group. A trace has "
                "times but no counters: what was not measured is left out, never zero."},
      .flags = {{.name = "group",
                 .kind = FlagKind::kValue,
                 .value = "BY",
                 .help = "what a row of the first table is: name (default), family, class (what "
                         "limits it), shape (name and launch shape), layer, position (in a layer)",
                 .choices = {"family", "name", "shape", "layer", "position", "class"}},
                {.name = "sort",
                 .kind = FlagKind::kValue,
                 .value = "KEY",
                 .help = "time (default), headroom, count or name; layers and positions stand as "
                         "they ran",
                 .choices = {"time", "headroom", "count", "name"}},
                kernel_top_flag("rows per table, or all (default: 10 in text, all elsewhere)"),
                kernel_name_flag()},
      .run = answered<show>};
  std::ranges::copy(chip_flags(), std::back_inserter(command.flags));
  std::ranges::copy(share_flags(), std::back_inserter(command.flags));
  command.flags.push_back(kernel_format_flag({"text", "json", "csv", "markdown", "html", "seed"}));
  command.flags.push_back(output_flag());
  return command;
}

}  // namespace strobe::cli

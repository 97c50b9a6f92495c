#include <algorithm>
#include <iterator>

#include "strobe/cli/kernels_actions.h"
#include "strobe/cli/kernels_load.h"
#include "strobe/cli/kernels_request.h"
#include "strobe/cli/output.h"
#include "strobe/report/kernels/roofline_report.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

std::string rendered(const analysis::KernelStudy& study, const KernelsRequest& request,
                     const Terminal& terminal) {
  constexpr int kPageColumns = 100;
  const bool is_text = request.format == KernelFormat::kText;
  const report::RooflinePage page = {
      .names = request.name_form(),
      .top = request.top,
      .columns = static_cast<std::size_t>(is_text ? std::max(terminal.columns, 40) : kPageColumns)};
  switch (request.format) {
    case KernelFormat::kJson:
      return report::roofline_json(study, page);
    case KernelFormat::kCsv:
      return report::roofline_csv(study, page);
    case KernelFormat::kMarkdown:
      return report::render_markdown(report::roofline_document(study, page));
    case KernelFormat::kHtml:
      return report::roofline_html(study, page);
    default:
      return kernel_text(report::roofline_document(study, page), terminal);
  }
}

Result<void> roofline(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(const KernelsRequest request, read_kernels_request(arguments, "roofline"));
  STROBE_TRY(Output output, Output::open(request.output));
  STROBE_TRY(const LoadedKernels kernels, load_kernels(request.files[0], request.study, terminal));
  return give(output, rendered(kernels.study, request, terminal));
}

}  // namespace

Command kernels_roofline_action() {
  Command command = {
      .name = "kernels roofline",
      .summary = "where the kernels stand under the roofs of the chip, as a picture",
      .positionals = "FILE",
      .positionals_help = "a list of kernels; - is stdin",
      .examples = {{"strobe kernels roofline kernels.csv", "a picture of letters, and its points"},
                   {"strobe kernels roofline kernels.csv --chip h200 --dram-rate 4.3TB/s",
                    "under a roof that was measured"},
                   {"strobe kernels roofline report.ncu-rep --format html -o roofline.html",
                    "the picture as SVG, with a name at each point"}},
      .notes =
          {"A point needs operations and bytes. Where they were not counted they are estimated "
           "from the shares of the peaks; where the chip is not known either, the picture shows "
           "these shares: Tensor over DRAM."},
      .flags = chip_flags(),
      .run = answered<roofline>};
  command.flags.push_back(kernel_top_flag(
      "points with a letter and a row, or all (default: 10 in text, all elsewhere)"));
  command.flags.push_back(kernel_name_flag());
  command.flags.push_back(kernel_format_flag({"text", "json", "csv", "markdown", "html"}));
  command.flags.push_back(output_flag());
  return command;
}

}  // namespace strobe::cli

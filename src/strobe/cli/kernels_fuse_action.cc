#include "strobe/cli/kernels_actions.h"
#include "strobe/cli/kernels_load.h"
#include "strobe/cli/kernels_request.h"
#include "strobe/cli/output.h"
#include "strobe/report/kernels/fusion_report.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

std::string rendered(const analysis::KernelStudy& study, const KernelsRequest& request,
                     const Terminal& terminal) {
  const report::FusionPage page = {.names = request.name_form(), .top = request.top};
  switch (request.format) {
    case KernelFormat::kJson:
      return report::fusion_json(study, page);
    case KernelFormat::kCsv:
      return report::fusion_csv(study, page);
    case KernelFormat::kMarkdown:
      return report::render_markdown(report::fusion_document(study, page));
    case KernelFormat::kHtml:
      return report::fusion_html(study, page);
    default:
      return kernel_text(report::fusion_document(study, page), terminal);
  }
}

Result<void> fuse(const Arguments& arguments, const Terminal& terminal) {
  constexpr std::size_t kChainsOnAPage = 5;
  STROBE_TRY(KernelsRequest request, read_kernels_request(arguments, "fuse"));
  if (request.format == KernelFormat::kText && !arguments.has("top")) request.top = kChainsOnAPage;
  STROBE_TRY(Output output, Output::open(request.output));
  STROBE_TRY(const LoadedKernels kernels, load_kernels(request.files[0], request.study, terminal));
  return give(output, rendered(kernels.study, request, terminal));
}

}  // namespace

Command kernels_fuse_action() {
  return {.name = "kernels fuse",
          .summary = "which neighbours should be one kernel, by what that would save",
          .positionals = "FILE",
          .positionals_help = "a list of kernels; - is stdin",
          .examples = {{"strobe kernels fuse kernels.csv", "the chains that would save most"},
                       {"strobe kernels fuse kernels.csv --top all --format csv",
                        "all chains, for a script"}},
          .notes = {"A chain is a run of neighbours on one stream without a matrix product between "
                    "them. The saving is their time less that of the slowest: one pass over the "
                    "largest of them. It is an estimate; bandwidth and launches saved can make it "
                    "more, registers less."},
          .flags = {kernel_top_flag("chains, or all (default: 5 in text, all elsewhere)"),
                    kernel_name_flag(),
                    kernel_format_flag({"text", "json", "csv", "markdown", "html"}), output_flag()},
          .run = answered<fuse>};
}

}  // namespace strobe::cli

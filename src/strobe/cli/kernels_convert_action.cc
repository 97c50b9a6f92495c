#include "strobe/cli/kernels_actions.h"
#include "strobe/cli/kernels_load.h"
#include "strobe/cli/kernels_request.h"
#include "strobe/cli/output.h"
#include "strobe/report/kernels/kernel_json.h"
#include "strobe/report/kernels/kernel_launches.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

using analysis::KernelNameForm;

std::string rendered(const analysis::KernelStudy& study, const KernelsRequest& request) {
  const report::KernelPage page = {.names = request.name_form()};
  switch (request.format) {
    case KernelFormat::kSeed:
      return report::kernel_seed_table(study, request.names.value_or(KernelNameForm::kSeed));
    case KernelFormat::kCsv:
      return report::kernel_launch_csv(study,
                                       {.names = request.names.value_or(KernelNameForm::kFull)});
    case KernelFormat::kMarkdown:
      return report::render_markdown(report::kernel_launch_document(study, page));
    default:
      return report::kernel_json(study, page);
  }
}

Result<void> convert(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(const KernelsRequest request, read_kernels_request(arguments, "convert"));
  if (!arguments.has("to")) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = "needs a format: seed, csv, json or markdown",
                 .where = "--to",
                 .hint = "`strobe kernels convert report.ncu-rep --to csv -o kernels.csv`"};
  }
  STROBE_TRY(Output output, Output::open(request.output));
  STROBE_TRY(const LoadedKernels kernels, load_kernels(request.files[0], request.study, terminal));
  return give(output, rendered(kernels.study, request));
}

}  // namespace

Command kernels_convert_action() {
  return {
      .name = "kernels convert",
      .summary = "the same list of kernels in another format, launch by launch",
      .positionals = "FILE",
      .positionals_help = "a list of kernels; - is stdin",
      .examples = {{"strobe kernels convert report.ncu-rep --to csv -o kernels.csv",
                    "one line per launch, every counter a column"},
                   {"strobe kernels convert kernels.csv --to seed",
                    "the table Kernel Latency Tensor DRAM"},
                   {"strobe kernels convert raw.csv.gz --to json -o kernels.json",
                    "all that is known, to be read again by strobe"}},
      .notes = {"JSON keeps everything strobe reads. The classic table keeps 50 characters of a "
                "name and two decimals of a fraction; what was not counted is a dash in it."},
      .flags = {{.name = "to",
                 .kind = FlagKind::kValue,
                 .value = "FORMAT",
                 .help = "seed (the table Kernel Latency Tensor DRAM), csv, json or markdown",
                 .choices = {"seed", "csv", "json", "markdown"}},
                kernel_name_flag(),
                output_flag()},
      .run = answered<convert>};
}

}  // namespace strobe::cli

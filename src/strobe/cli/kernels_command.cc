#include <algorithm>

#include <fmt/format.h>

#include "strobe/cli/command.h"
#include "strobe/cli/kernels_request.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"
#include "strobe/compare/kernel_diff.h"
#include "strobe/report/kernels/fusion_report.h"
#include "strobe/report/kernels/kernel_diff_report.h"
#include "strobe/report/kernels/kernel_json.h"
#include "strobe/report/kernels/kernel_launches.h"
#include "strobe/report/kernels/kernel_report.h"
#include "strobe/report/kernels/roofline_picture.h"
#include "strobe/report/kernels/roofline_report.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

using analysis::KernelNameForm;
using compare::KernelDiff;

std::string show_text(const analysis::KernelStudy& study, const KernelsRequest& request,
                      const Terminal& terminal) {
  const report::KernelPage page = {
      .grouping = request.grouping.value_or(analysis::KernelGrouping::kName),
      .names = request.name_form(),
      .order = request.order,
      .top = request.top};
  switch (request.format) {
    case Format::kJson:
      return report::kernel_json(study, page);
    case Format::kCsv:
      return request.grouping ? report::kernel_group_csv(study, page)
                              : report::kernel_launch_csv(study, page);
    case Format::kMarkdown:
      return report::render_markdown(report::kernel_document(study, page));
    case Format::kHtml:
      return report::kernel_html(study, page);
    case Format::kClassic:
      return report::kernel_classic_table(study, request.names.value_or(KernelNameForm::kClassic));
    default:
      break;
  }
  return terminal_text(report::kernel_document(study, page), terminal);
}

Result<void> show_kernels(const KernelsRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  Stages stages(terminal);
  STROBE_TRY(const LoadedKernels kernels, load_kernels(request.files[0], request.study, terminal));
  stages.end("load and study");
  const std::string text = show_text(kernels.study, request, terminal);
  stages.end("report");
  return give(output, text);
}

std::string roofline_text(const analysis::KernelStudy& study, const KernelsRequest& request,
                          const Terminal& terminal) {
  constexpr int kPageColumns = 100;
  const bool is_text = request.format == Format::kText;
  const report::RooflinePage page = {
      .names = request.name_form(),
      .top = request.top,
      .columns = static_cast<std::size_t>(is_text ? std::max(terminal.columns, 40) : kPageColumns)};
  switch (request.format) {
    case Format::kJson:
      return report::roofline_json(study, page);
    case Format::kCsv:
      return report::roofline_csv(study, page);
    case Format::kMarkdown:
      return report::render_markdown(report::roofline_document(study, page));
    case Format::kHtml:
      return report::roofline_html(study, page);
    default:
      return terminal_text(report::roofline_document(study, page), terminal);
  }
}

Result<void> show_roofline(const KernelsRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  STROBE_TRY(const LoadedKernels kernels, load_kernels(request.files[0], request.study, terminal));
  return give(output, roofline_text(kernels.study, request, terminal));
}

std::string fusion_text(const analysis::KernelStudy& study, const KernelsRequest& request,
                        const Terminal& terminal) {
  const report::FusionPage page = {.names = request.name_form(), .top = request.top};
  switch (request.format) {
    case Format::kJson:
      return report::fusion_json(study, page);
    case Format::kCsv:
      return report::fusion_csv(study, page);
    case Format::kMarkdown:
      return report::render_markdown(report::fusion_document(study, page));
    case Format::kHtml:
      return report::fusion_html(study, page);
    default:
      return terminal_text(report::fusion_document(study, page), terminal);
  }
}

Result<void> show_fusion(const KernelsRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  STROBE_TRY(const LoadedKernels kernels, load_kernels(request.files[0], request.study, terminal));
  return give(output, fusion_text(kernels.study, request, terminal));
}

std::string diff_text(const KernelDiff& diff, const KernelsRequest& request,
                      const Terminal& terminal) {
  const report::KernelDiffPage page = {
      .before = request.files[0], .after = request.files[1], .top = request.top};
  switch (request.format) {
    case Format::kJson:
      return report::kernel_diff_json(diff, page);
    case Format::kCsv:
      return report::kernel_diff_csv(diff, page);
    case Format::kMarkdown:
      return report::render_markdown(report::kernel_diff_document(diff, page));
    case Format::kHtml:
      return report::kernel_diff_html(diff, page);
    default:
      return terminal_text(report::kernel_diff_document(diff, page), terminal);
  }
}

Outcome judge_diff(const KernelDiff& diff, const KernelsRequest& request) {
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

Result<Outcome> diff_lists(const KernelsRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  STROBE_TRY(const LoadedKernels before, load_kernels(request.files[0], request.study, terminal));
  STROBE_TRY(const LoadedKernels after, load_kernels(request.files[1], request.study, terminal));
  const KernelDiff diff = compare::diff_kernels(before.study, after.study);
  STROBE_TRY_VOID(give(output, diff_text(diff, request, terminal)));
  return judge_diff(diff, request);
}

std::string converted_text(const analysis::KernelStudy& study, const KernelsRequest& request) {
  const report::KernelPage page = {.names = request.name_form()};
  switch (request.format) {
    case Format::kClassic:
      return report::kernel_classic_table(study, request.names.value_or(KernelNameForm::kClassic));
    case Format::kCsv:
      return report::kernel_launch_csv(study,
                                       {.names = request.names.value_or(KernelNameForm::kFull)});
    case Format::kMarkdown:
      return report::render_markdown(report::kernel_launch_document(study, page));
    default:
      return report::kernel_json(study, page);
  }
}

Result<void> convert_list(const KernelsRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  STROBE_TRY(const LoadedKernels kernels, load_kernels(request.files[0], request.study, terminal));
  return give(output, converted_text(kernels.study, request));
}

Command show_action() {
  Command command = {
      .name = "kernels show",
      .summary = "what limits the kernels and how much could be saved, table by table",
      .positionals = "FILE",
      .positionals_help =
          "a list of kernels: Nsight Compute's report or CSV, ROCm's counters, the classic table, "
          "strobe's JSON or recording, or a trace; - is stdin",
      .examples = {{"strobe kernels show report.ncu-rep", "the verdict, then the evidence"},
                   {"strobe kernels show kernels.csv --group family --sort headroom",
                    "where most time could be saved"},
                   {"strobe kernels show kernels.csv --group layer", "layer by layer"},
                   {"strobe kernels show kernels.csv -o kernels.json",
                    "all numbers; strobe can read it"},
                   {"strobe kernels show kernels.csv -o kernels.html",
                    "a page to send to a colleague"}},
      .notes = {"Headroom is the time that a kernel would save if it ran at the peak of its busier "
                "resource: an upper bound. The achievable headroom is the time saved at "
                "--tensor-roof and --dram-roof of the peaks.",
                "--format csv writes one line per launch, or one line per group with --group, "
                "--sort or --top. A trace has times but no counters: what was not measured is left "
                "out, never shown as zero."}};
  return with_request(std::move(command), kernels_show_flags, complete_kernels_show, show_kernels);
}

Command roofline_action() {
  Command command = {
      .name = "kernels roofline",
      .summary = "a roofline plot of the kernels under the limits of the chip",
      .positionals = "FILE",
      .positionals_help = "a list of kernels; - is stdin",
      .examples = {{"strobe kernels roofline kernels.csv", "a plot in text, and its points"},
                   {"strobe kernels roofline kernels.csv --dram-rate 4.3TB/s",
                    "with a measured DRAM rate"},
                   {"strobe kernels roofline report.ncu-rep -o roofline.html",
                    "the plot as SVG, with every name"}},
      .notes = {"A point needs operations and bytes. If they were not counted, strobe estimates "
                "them from the shares of the peaks; if the chip is unknown too, the plot shows "
                "these shares: Tensor over DRAM."}};
  return with_request(std::move(command), kernels_roofline_flags, complete_kernels_roofline,
                      show_roofline);
}

Command fuse_action() {
  Command command = {
      .name = "kernels fuse",
      .summary = "which consecutive kernels could be one kernel, and how much that would save",
      .positionals = "FILE",
      .positionals_help = "a list of kernels; - is stdin",
      .examples = {{"strobe kernels fuse kernels.csv", "the chains that would save most"},
                   {"strobe kernels fuse kernels.csv --top all --format csv",
                    "all chains, for a script"}},
      .notes = {"A chain is two or more consecutive kernels on one stream, without a matrix "
                "product between them. The saving is their total time minus the time of the "
                "slowest, as if one pass over its data were enough. It is an estimate: saved "
                "traffic and launches can increase it, register pressure can reduce it."}};
  return with_request(std::move(command), kernels_fuse_flags, complete_kernels_fuse, show_fusion);
}

Command diff_action() {
  Command command = {
      .name = "kernels diff",
      .summary = "what got faster and what got slower between two lists of kernels",
      .positionals = "BEFORE AFTER",
      .positionals_help = "two lists of kernels of one workload",
      .examples = {{"strobe kernels diff before.csv after.csv", "the verdict, then every kernel"},
                   {"strobe kernels diff old.csv new.csv --fail-on slower:5%",
                    "for CI: exit code 1 if it got slower"},
                   {"strobe kernels diff before.csv after.csv --format markdown",
                    "for a pull request"}},
      .notes = {"Exit codes: 0 answered and no gate failed, 1 a gate failed, 2 bad command line, "
                "3 a list cannot be read. A change that is not significant never fails a gate."}};
  return with_request(std::move(command), kernels_diff_flags, complete_kernels_diff, diff_lists);
}

Command convert_action() {
  Command command = {
      .name = "kernels convert",
      .summary = "write a list of kernels in another format, launch by launch",
      .positionals = "FILE",
      .positionals_help = "a list of kernels; - is stdin",
      .examples = {{"strobe kernels convert report.ncu-rep --to csv -o kernels.csv",
                    "one line per launch"},
                   {"strobe kernels convert kernels.csv --to classic", "the classic table"},
                   {"strobe kernels convert raw.csv.gz --to json -o kernels.json",
                    "everything; strobe can read it"}},
      .notes = {"JSON keeps everything that strobe reads. The classic table has the columns Kernel "
                "(50 characters), Latency (duration in ns), Tensor and DRAM (0 to 1); - means not "
                "counted."}};
  return with_request(std::move(command), kernels_convert_flags, complete_kernels_convert,
                      convert_list);
}

}  // namespace

Command kernels_command() {
  return {
      .name = "kernels",
      .summary = "how near each kernel is to the limits of the chip, and what to fuse",
      .positionals = "[FILE...]",
      .examples = {{"strobe kernels report.ncu-rep", "what limits the kernels"},
                   {"strobe kernels show kernels.csv --group family", "the same by family"},
                   {"strobe kernels roofline kernels.csv --chip h200", "a roofline plot"},
                   {"strobe kernels fuse kernels.csv", "which kernels could be one"},
                   {"strobe kernels diff before.csv after.csv", "what got faster, what got slower"},
                   {"strobe kernels convert report.ncu-rep --to csv -o kernels.csv",
                    "one line per launch"},
                   {"strobe kernels report.sqlite", "the kernels of a trace: only times"},
                   {"strobe kernels record -- python3 model.py",
                    "measure a program on an NVIDIA GPU"}},
      .notes = {"FILE is a list of kernels: Nsight Compute's report (.ncu-rep) or CSV (a row per "
                "metric, or `--page raw`), the counters of rocprofv3, rocprof and rocprof-compute, "
                "a text table with the columns Kernel, Latency, Tensor, DRAM, strobe's own JSON or "
                "recording, or a trace that `strobe summary` reads (mostly times only); plain, .gz "
                "or .zst, recognised by content; - is stdin.",
                "Exit codes: 0 answered, 1 a gate of diff failed, 2 bad command line, 3 a file "
                "cannot be read or has no kernels, 4 this machine cannot record, 70 a bug in "
                "strobe, 130 interrupted."},
      .actions = {show_action(), roofline_action(), fuse_action(), diff_action(), convert_action(),
                  kernels_record_action(), kernels_metrics_action()},
      .usual_action = "show"};
}

}  // namespace strobe::cli

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/cli/command.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/progress.h"
#include "strobe/cli/suggestion.h"
#include "strobe/cli/verbose.h"
#include "strobe/cli/view_request.h"
#include "strobe/cli/view_rows.h"
#include "strobe/tensorboard/file_name.h"

namespace strobe::cli {
namespace {

using tensorboard::Answer;
using tensorboard::FileName;
using tensorboard::Parameters;
using tensorboard::Run;
using tensorboard::WorkerProfile;

// "trace.json.gz" is "trace".
std::string without_endings(std::string name) {
  for (const std::string_view ending : {".gz", ".zst", ".json", ".trace", ".pt"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
    }
  }
  return name;
}

FileName name_of(const std::filesystem::path& path) {
  const std::string file = path.filename().string();
  const std::optional<FileName> name = tensorboard::parse_file_name(file);
  return name ? *name : FileName{without_endings(file), std::nullopt};
}

// Who made which trace; files of one name are told apart by their paths.
std::vector<WorkerProfile> workers_of(const std::vector<std::filesystem::path>& traces) {
  std::vector<FileName> names;
  for (const std::filesystem::path& path : traces) names.push_back(name_of(path));
  const std::vector<std::string> spans = tensorboard::number_spans(names);
  std::vector<WorkerProfile> workers;
  std::set<std::pair<std::string, std::string>> taken;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const bool is_new = taken.emplace(names[i].worker, spans[i]).second;
    workers.push_back({.worker = is_new ? names[i].worker : traces[i].string(),
                       .span = spans[i],
                       .profile = nullptr,
                       .read_text = [path = traces[i]] { return read_text(path); }});
  }
  return workers;
}

Result<std::vector<WorkerProfile>> load(const ViewRequest& request, const Terminal& terminal) {
  std::vector<WorkerProfile> workers = workers_of(request.traces);
  Progress progress(
      terminal, fmt::format("loading {} trace{}", workers.size(), workers.size() == 1 ? "" : "s"));
  for (std::size_t i = 0; i < workers.size(); ++i) {
    STROBE_TRY_VOID(check_interrupted());
    progress.update(i, workers.size());
    STROBE_TRY(const std::string text, workers[i].read_text());
    auto profile = tensorboard::read_profile(text, request.options);
    if (!profile) {
      Error error = profile.error();
      error.where = request.traces[i].string();
      if (error.hint.empty()) {
        error.hint = "views are of whole traces of PyTorch's profiler; `strobe summary` reads more";
      }
      return error;
    }
    workers[i].profile = std::move(*profile);
  }
  return workers;
}

// Which of the traces the view is about.
Result<const WorkerProfile*> choose(const std::vector<WorkerProfile>& workers,
                                    const ViewRequest& request) {
  std::set<std::string_view> known;
  std::vector<std::string_view> names;
  std::vector<std::string_view> spans;
  for (const WorkerProfile& worker : workers) {
    const bool is_worker = request.worker.empty() || worker.worker == request.worker;
    if (is_worker && (request.span.empty() || worker.span == request.span)) return &worker;
    if (known.insert(worker.worker).second) names.push_back(worker.worker);
    if (is_worker) spans.push_back(worker.span);
  }
  return spans.empty() ? not_one_of("--worker", request.worker, names)
                       : not_one_of("--span", request.span, spans);
}

Result<std::string> body_of(const Answer& answer, const std::string& view) {
  if (answer.status == 200) return answer.body;
  return Error{
      .code = answer.status == 400 ? ErrorCode::kInvalidArgument : ErrorCode::kTooLittleData,
      .what = answer.reason,
      .where = view,
      .hint = ""};
}

Result<std::string> ask(const ViewRequest& request, std::vector<WorkerProfile> workers) {
  Parameters parameters = request.parameters;
  STROBE_TRY(const WorkerProfile* const chosen, choose(workers, request));
  parameters["run"] = "run";
  parameters["worker"] = chosen->worker;
  parameters["span"] = chosen->span;
  parameters["exp_run"] = "run";
  parameters["exp_worker"] = workers.back().worker;
  parameters["exp_span"] = workers.back().span;
  const auto run = std::make_shared<const Run>(Run{.name = "run", .profiles = std::move(workers)});
  const Answer answer =
      tensorboard::answer(request.view, parameters, [&](std::string_view) { return run; });
  STROBE_TRY(std::string body, body_of(answer, request.view));
  if (request.device) return rows_of_device(body, *request.device);
  return body;
}

Result<void> run(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(const ViewRequest request, read_view_request(arguments));
  STROBE_TRY(Output output, Output::open(request.output));
  Stages stages(terminal);
  stages.begin();
  STROBE_TRY(std::vector<WorkerProfile> workers, load(request, terminal));
  stages.end("load");
  STROBE_TRY(std::string body, ask(request, std::move(workers)));
  stages.end("answer");
  if (!body.ends_with('\n')) body += '\n';
  STROBE_TRY_VOID(check_interrupted());
  STROBE_TRY_VOID(output.write(body));
  return output.commit();
}

}  // namespace

Command view_command() {
  return {
      .name = "view",
      .summary = "the answers of the removed TensorBoard profiler plugin, as JSON",
      .positionals = "VIEW TRACE...",
      .positionals_help =
          "VIEW: overview, operation, operation/table, operation/stack, kernel, kernel/table, "
          "kernel/tc_pie, trace, memory, memory_curve, memory_events, module, tree, "
          "distributed/gpuinfo (or mluinfo), distributed/overlap, distributed/waittime, "
          "distributed/commops, diff, diffnode, views, workers or spans. TRACE: the workers of one "
          "run, or the two of a diff, traces of PyTorch's profiler; plain, .gz or .zst",
      .examples = {{"strobe view overview worker0.pt.trace.json",
                    "steps, averages, recommendations, the device"},
                   {"strobe view kernel/table --group-by Kernel trace.json.gz",
                    "kernels by name, the longest first"},
                   {"strobe view operation/table --group-by OperationAndInputShape trace.json",
                    "operators by name and shape"},
                   {"strobe view diff before.json after.json", "two traces, module by module"}},
      .notes =
          {"Names, keys and numbers are those of torch_tb_profiler 0.4.3 (or, for Cambricon's "
           "devices, of torch_mlu's plugin), its quirks included; `strobe summary` is the better "
           "account. Explaining texts are strobe's own.",
           "Workers and spans are read from file names, WORKER.STAMP.pt.trace.json; other traces "
           "are workers of their file's name with the span `default`. Without --worker and --span "
           "the first trace is shown.",
           "The three switches change what the plugin saw. As it was: --device-steps. Better than "
           "it was: --link-by-nesting, --driver-launches."},
      .flags =
          {{.name = "group-by",
            .kind = FlagKind::kValue,
            .value = "WHAT",
            .help = "Operation (default) or OperationAndInputShape; for kernel/table Kernel, or "
                    "anything else for kernels by operator"},
           {.name = "op-name",
            .kind = FlagKind::kValue,
            .value = "NAME",
            .help = "the operator of operation/stack"},
           {.name = "input-shape",
            .kind = FlagKind::kValue,
            .value = "SHAPE",
            .help = "its shape, as the table shows it, with --group-by OperationAndInputShape"},
           {.name = "start",
            .kind = FlagKind::kValue,
            .value = "TS",
            .help = "memory views: from here on, in the trace's own microseconds"},
           {.name = "end",
            .kind = FlagKind::kValue,
            .value = "TS",
            .help = "memory views: up to here"},
           {.name = "device",
            .kind = FlagKind::kValue,
            .value = "NAME",
            .help = "memory views: only the rows of this device, such as GPU0"},
           {.name = "time-metric",
            .kind = FlagKind::kValue,
            .value = "UNIT",
            .help = "memory views: us, ms (default) or s",
            .choices = {"us", "ms", "s"}},
           {.name = "memory-metric",
            .kind = FlagKind::kValue,
            .value = "UNIT",
            .help = "memory views: B, KB, MB or GB (default: KB, of the curve MB)",
            .choices = {"B", "KB", "MB", "GB"}},
           {.name = "path",
            .kind = FlagKind::kValue,
            .value = "PATH",
            .help = "diffnode: which node, such as 0-1 (default: 0)"},
           {.name = "worker",
            .kind = FlagKind::kValue,
            .value = "NAME",
            .help = "which worker (default: that of the first trace)"},
           {.name = "span",
            .kind = FlagKind::kValue,
            .value = "N",
            .help = "which of its recordings (default: that of the first trace)"},
           {.name = "with-view",
            .kind = FlagKind::kValue,
            .value = "NAME",
            .help = "workers: those that have this view, such as Kernel (default: Overview)"},
           {.name = "variant",
            .kind = FlagKind::kValue,
            .value = "WHOSE",
            .help = "whose plugin answers: auto (by content, default), gpu, mlu, mlu-b or mlu-c",
            .choices = {"auto", "gpu", "mlu", "mlu-b", "mlu-c"}},
           {.name = "device-steps",
            .help = "count the device's copies of step annotations as steps of their own"},
           {.name = "link-by-nesting",
            .help = "link launches by nesting where PyTorch 2.0 to 2.2 wrote a wrong external id"},
           {.name = "driver-launches",
            .help = "let driver calls launch kernels, as Triton does; else those have no operator"},
           output_flag()},
      .run = answered<run>};
}

}  // namespace strobe::cli

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/cli/command.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"
#include "strobe/cli/view_request.h"
#include "strobe/readers/sniff.h"
#include "strobe/tensorboard/file_name.h"

namespace strobe::cli {
namespace {

using tensorboard::Answer;
using tensorboard::FileName;
using tensorboard::Parameters;
using tensorboard::Run;
using tensorboard::WorkerProfile;

FileName worker_name_of(const std::filesystem::path& path) {
  const std::string file = path.filename().string();
  const std::optional<FileName> name = tensorboard::parse_file_name(file);
  return name ? *name : FileName{tensorboard::without_endings(file), std::nullopt};
}

// The producer of each trace; files with the same name are shown with their paths.
std::vector<WorkerProfile> workers_of(const std::vector<std::string>& traces) {
  std::vector<FileName> names;
  for (const std::string& path : traces) names.push_back(worker_name_of(path));
  const std::vector<std::string> spans = tensorboard::number_spans(names);
  std::vector<WorkerProfile> workers;
  std::set<std::pair<std::string, std::string>> taken;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const bool is_new = taken.emplace(names[i].worker, spans[i]).second;
    workers.push_back({.worker = is_new ? names[i].worker : traces[i],
                       .span = spans[i],
                       .profile = nullptr,
                       .read_text = [path = traces[i]] { return read_text(path); }});
  }
  return workers;
}

// Something that is not JSON is called by its name.
Error unreadable(Error error, std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first == std::string_view::npos || text[first] == '{' || text[first] == '[';
  if (!is_json) return readers::explain_not_a_trace(text.substr(0, readers::kSniffBytes));
  if (error.hint.empty()) {
    error.hint = "views are of whole traces of PyTorch's profiler; `strobe summary` reads more";
  }
  return error;
}

Result<std::vector<WorkerProfile>> load_workers(const ViewRequest& request,
                                                const Terminal& terminal) {
  std::vector<WorkerProfile> workers = workers_of(request.traces);
  Progress progress(terminal, "loading");
  for (std::size_t i = 0; i < workers.size(); ++i) {
    STROBE_TRY_VOID(check_interrupted());
    progress.show(fmt::format("loading trace {} of {}", i + 1, workers.size()));
    STROBE_TRY(const std::string text, workers[i].read_text());
    auto profile = tensorboard::read_profile(text, request.options);
    if (!profile) {
      Error error = unreadable(profile.error(), text);
      error.where = request.traces[i];
      return error;
    }
    workers[i].profile = std::move(*profile);
  }
  return workers;
}

// The trace that the view shows.
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

Result<void> show_view(const ViewRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  Stages stages(terminal);
  stages.begin();
  STROBE_TRY(std::vector<WorkerProfile> workers, load_workers(request, terminal));
  stages.end("load");
  STROBE_TRY(std::string body, ask(request, std::move(workers)));
  stages.end("answer");
  if (!body.ends_with('\n')) body += '\n';
  return give(output, body);
}

}  // namespace

Command view_command() {
  Command command = {
      .name = "view",
      .summary = "print one view of PyTorch's former TensorBoard profiler plugin, as JSON",
      .positionals = "VIEW TRACE...",
      .positionals_help =
          "VIEW: overview, operation, operation/table, operation/stack, kernel, kernel/table, "
          "kernel/tc_pie, trace, memory, memory_curve, memory_events, module, tree, "
          "distributed/gpuinfo (or mluinfo), distributed/overlap, distributed/waittime, "
          "distributed/commops, diff, diffnode, views, workers or spans. TRACE: the traces of one "
          "run's workers, or the two traces of a diff, written by PyTorch's profiler; plain, .gz "
          "or .zst",
      .examples = {{"strobe view overview worker0.pt.trace.json",
                    "steps, averages, recommendations, the device"},
                   {"strobe view kernel/table --group-by Kernel trace.json.gz",
                    "kernels by name, the longest first"},
                   {"strobe view operation/table --group-by OperationAndInputShape trace.json",
                    "operators by name and shape"},
                   {"strobe view diff before.json after.json", "two traces, module by module"}},
      .notes = {
          "Names, keys and numbers are those of torch_tb_profiler 0.4.3 (or, for Cambricon "
          "devices, of torch_mlu's plugin), including their quirks; `strobe summary` is more "
          "accurate. Explanatory texts are strobe's own.",
          "Whether a kernel used Tensor Cores is told by the names that the plugin knew, in "
          "kernel/tc_pie and in every column about it: newer matrix kernels, such as nvjet, count "
          "as not using them. `strobe kernels` shows counted use.",
          "Workers and spans are read from file names, WORKER.STAMP.pt.trace.json; any other "
          "trace is a worker named after its file, with the span `default`. Without --worker and "
          "--span strobe shows the first trace.",
          "Three switches change what is counted: --device-steps counts as the plugin did; "
          "--link-by-nesting and --driver-launches correct what the plugin did."}};
  return with_request(std::move(command), view_flags, complete_view, show_view);
}

}  // namespace strobe::cli

#include <unistd.h>

#include <csignal>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/providers/provider.h"
#include "strobe/bench/workers/runner.h"
#include "strobe/bench/workers/serve_requests.h"
#include "strobe/cli/bench_actions.h"
#include "strobe/cli/bench_run_request.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"

namespace strobe::cli {
namespace {

using bench::CellRecord;
using bench::CellStatus;

std::string tuned_line(const CellRecord& record) {
  const std::string cell = bench::cell_text(record.cell);
  if (record.status != CellStatus::kOk) {
    return fmt::format("{:<56} {}: {}\n", cell, bench::status_name(record.status), record.reason);
  }
  std::vector<std::string> parts;
  for (const auto& [name, value] : record.config)
    parts.push_back(fmt::format("{}={}", name, value));
  const bench::CompileTimes& times = record.compile;
  parts.emplace_back(times.is_cached ? "from the cache" : "new");
  if (times.nvrtc_ms) parts.push_back(fmt::format("compiled in {:.0f} ms", *times.nvrtc_ms));
  if (times.autotune_ms) parts.push_back(fmt::format("tuned in {:.0f} ms", *times.autotune_ms));
  return fmt::format("{:<56} {}\n", cell, fmt::join(parts, ", "));
}

Result<void> tune(BenchRunRequest& request, const Terminal& terminal) {
  if (request.run.prepare.cache_folder.empty()) {
    return bad_request("tuning needs a cache to keep its results in",
                       request.is_cached ? "--cache-dir" : "--no-cache",
                       request.is_cached ? "there is no home folder: --cache-dir tuned" : "");
  }
  if (!request.chose_providers) request.run.providers = {"cuda-fused"};
  std::string text;
  Result<bench::BenchOutcome> outcome = [&] {
    Progress progress(terminal, "tune");
    return bench::tune_cells(request.run, [&](const bench::RunProgress& now) {
      text += tuned_line(*now.last);
      progress.show(
          fmt::format("{} of {} cells: {}", now.done, now.total, bench::cell_text(now.last->cell)));
    });
  }();
  if (!outcome) return std::move(outcome).error();
  if (outcome->is_interrupted) answered_interrupt();
  STROBE_TRY_VOID(check_interrupted());
  return write_to_stdout(text);
}

struct WorkerRequest {
  std::string provider;
};

std::vector<Flag> worker_flags(WorkerRequest& request) {
  return {flag("--provider NAME", "which provider answers", to(request.provider))};
}

Result<void> serve_as_worker(const WorkerRequest& request, const Terminal&) {
  const std::unique_ptr<bench::Provider> provider = bench::make_provider(request.provider);
  if (provider == nullptr) {
    return bad_request(fmt::format("there is no provider '{}'", request.provider), "--provider",
                       fmt::format("one of {}", fmt::join(bench::provider_names(), ", ")));
  }
  // The parent process decides when a worker ends.
  for (const int signal : {SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  std::signal(SIGINT, SIG_IGN);
  // Output of a vendor's library must not get between the replies.
  const int out = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  bench::serve_requests(*provider, STDIN_FILENO, out);
  close(out);
  return {};
}

Command tune_action() {
  Command command = {
      .name = "bench tune",
      .summary = "find the fastest kernels for a grid of shapes and cache them for later runs",
      .examples = {{"strobe bench tune --case all --grid quick", "the usual shapes"},
                   {"strobe bench tune --case softmax --shape 4096x50257 --cache-dir tuned",
                    "one shape, kept in a folder of your own"}}};
  return with_request(std::move(command), bench_tune_flags, complete_bench_run, tune);
}

// The other side of `run`.
Command worker_action() {
  Command command = {
      .name = "bench worker",
      .summary = "answer the requests of `strobe bench run`, one JSON object per line",
      .examples = {{"strobe bench worker --provider cpu", "as `strobe bench run` starts it"},
                   {"echo '{\"op\":\"hello\"}' | strobe bench worker --provider cuda-fused",
                    "what a provider says about itself"}},
      .is_hidden = true};
  return with_request(std::move(command), worker_flags, serve_as_worker);
}

}  // namespace

Command bench_command() {
  return {
      .name = "bench",
      .summary = "measure fused against unfused kernels over grids of shapes, and check them",
      .positionals = "[FILE...]",
      .examples = {{"strobe bench run --quick", "what fusion gains here, in a minute"},
                   {"strobe bench run --case norm_chain -o run.json",
                    "100 shapes, saved to a file"},
                   {"strobe bench show run.json", "the results, table by table"},
                   {"strobe bench show run.json --table relative", "one provider against another"},
                   {"strobe bench compare old.json new.json --fail-on slower:3%",
                    "what changed, cell by cell; for CI"},
                   {"strobe bench show grids.csv --device A100 --case softmax",
                    "ratios of another program, checked"}},
      .notes =
          {"FILE is a run, the JSON file of `strobe bench run`, or a CSV with tables of ratios: it "
           "needs the columns case, metric, dim0, dim1 and value, and may have version, device, "
           "baseline, contender, status, dtype and noisy. Both may be plain, .gz or .zst; strobe "
           "recognises them by content."},
      .actions = {bench_list_action(), bench_run_action(), bench_show_action(),
                  bench_compare_action(), bench_roof_action(), tune_action(), worker_action()},
      .usual_action = "show"};
}

}  // namespace strobe::cli

#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/workers/tune.h"
#include "strobe/cli/bench_actions.h"
#include "strobe/cli/bench_run_request.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/progress.h"

namespace strobe::cli {
namespace {

using bench::CellRecord;
using bench::CellStatus;

std::string line_of(const CellRecord& record) {
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

Result<void> tune(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(BenchRunRequest request, read_bench_run_request(arguments));
  if (request.run.cache_folder.empty()) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = "without a cache nothing of the tuning remains",
                 .where = "--no-cache",
                 .hint = ""};
  }
  if (!request.chose_providers) request.run.providers = {"cuda-fused"};
  std::string text;
  Result<bench::BenchOutcome> outcome = [&] {
    Progress progress(terminal, "tune");
    return bench::tune_cells(request.run, [&](const bench::RunProgress& now) {
      text += line_of(*now.last);
      progress.show(
          fmt::format("{} of {} cells: {}", now.done, now.total, bench::cell_text(now.last->cell)));
    });
  }();
  if (!outcome) return std::move(outcome).error();
  if (outcome->is_interrupted) answered_interrupt();
  STROBE_TRY_VOID(check_interrupted());
  return write_to_stdout(text);
}

}  // namespace

Command bench_tune_action() {
  return {.name = "bench tune",
          .summary = "find and keep the best kernels of a grid, so that later runs start at once",
          .examples = {{"strobe bench tune --case all --grid quick", "the usual shapes"},
                       {"strobe bench tune --case softmax --shape 4096x50257 --cache-dir tuned",
                        "one shape, into a folder to take along"}},
          .flags = bench_cell_flags(),
          .run = answered<tune>};
}

}  // namespace strobe::cli

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/bench/reference/reference.h"
#include "strobe/bench/results/run_file.h"
#include "strobe/bench/workers/counting.h"
#include "strobe/cli/bench_actions.h"
#include "strobe/cli/bench_counters.h"
#include "strobe/cli/bench_run_request.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"
#include "strobe/record/metric_sets.h"
#include "strobe/report/bench/bench_page.h"
#include "strobe/report/bench/fit_tables.h"
#include "strobe/report/bench/run_tables.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

using bench::BenchOutcome;
using bench::CellStatus;
using Clock = std::chrono::steady_clock;

// A run while it is written: FILE.partial is valid after every cell, and becomes FILE when the run
// is complete.
class RunFile {
 public:
  explicit RunFile(std::string path) : path_(std::move(path)) {}  // "": nothing is written

  Result<void> keep(const bench::BenchRun& run);
  Result<void> finish(const bench::BenchRun& run, bool with_samples);
  std::string partial() const { return path_ + ".partial"; }
  bool has_partial() const { return has_partial_; }

 private:
  std::string path_;
  bool has_partial_ = false;
};

Result<void> RunFile::keep(const bench::BenchRun& run) {
  if (!is_replaced(path_)) return {};  // pipes and devices get the run only at its end
  STROBE_TRY_VOID(write_whole(partial(), bench::to_json(run)));
  has_partial_ = true;
  return {};
}

Result<void> RunFile::finish(const bench::BenchRun& run, bool with_samples) {
  if (path_.empty()) return {};
  STROBE_TRY_VOID(write_whole(path_, bench::to_json(run)));
  if (with_samples) STROBE_TRY_VOID(bench::write_samples(run, bench::samples_path(path_)));
  if (has_partial_) unlink(partial().c_str());
  has_partial_ = false;
  return {};
}

std::string progress_line(const bench::RunProgress& progress, Clock::duration spent) {
  const double seconds = std::chrono::duration<double>(spent).count();
  const double left = seconds / static_cast<double>(progress.done) *
                      static_cast<double>(progress.total - progress.done);
  return fmt::format(
      "{} of {} cells, about {} left: {} {}", progress.done, progress.total,
      left < 90 ? fmt::format("{:.0f} s", left) : fmt::format("{:.0f} min", left / 60),
      bench::cell_text(progress.last->cell), bench::status_name(progress.last->status));
}

// The text before the time.
std::string paddle_head(const bench::Cell& cell) {
  if (cell.case_id != "attention") {
    return fmt::format("{} | {} | {} | {}", cell.case_id, cell.provider,
                       bench::dtype_name(cell.dtype), bench::shape_text(cell.shape));
  }
  const bool is_plain =
      bench::is_unfused_provider(cell.provider) || cell.provider.find("math") != std::string::npos;
  return fmt::format("{} | {:2} | {:2} | {:4}", is_plain ? "Attention" : "FlashAttention",
                     cell.shape[0], cell.shape[3], cell.shape[1]);
}

std::string run_text(const BenchRunRequest& request, const BenchOutcome& outcome,
                     const Terminal& terminal) {
  report::Document page;
  page.title = "strobe bench";
  const bench::RunHeader& header = outcome.run.header;
  if (!header.device.empty()) page.facts.push_back(report::bench_fact("device", header.device));
  if (header.roofs.copy_gbps) {
    page.facts.push_back(
        report::bench_fact("copy roof", fmt::format("{:.1f} GB/s", *header.roofs.copy_gbps)));
  }
  page.facts.push_back(report::bench_fact("cells", report::outcome_line(outcome.run)));
  page.sections.push_back(report::short_table(outcome.run));
  report::fit_tables(page, static_cast<std::size_t>(terminal.columns), terminal.unicode);
  std::string text = terminal_text(page, terminal);
  if (request.is_paddle_style) text += bench_paddle_lines(outcome.run);
  return text;
}

// The table goes to stderr if the run itself goes to stdout.
Result<void> show_run(const BenchRunRequest& request, const BenchOutcome& outcome,
                      Terminal terminal) {
  if (request.output != "-") return write_to_stdout(run_text(request, outcome, terminal));
  terminal.color = terminal.color_error;
  if (!terminal.quiet) say(run_text(request, outcome, terminal));
  return {};
}

// Once for all cells: why requested counters are missing.
void warn_of_uncounted(const BenchOutcome& outcome, const Terminal& terminal) {
  if (!outcome.counting_obstacle.empty()) {
    return warn(terminal, "no hardware counters: " + outcome.counting_obstacle);
  }
  std::size_t uncounted = 0;
  std::string why;
  for (const bench::CellRecord& record : outcome.run.cells) {
    if (record.status != CellStatus::kOk || record.counters) continue;
    ++uncounted;
    const auto lack = record.lacks.find(bench::Lack::kCounters);
    if (why.empty() && lack != record.lacks.end()) {
      why = bench::lack_text(lack->first, lack->second);
    }
  }
  if (uncounted == 0) return;
  warn(terminal,
       fmt::format("{} of {} cells have no hardware counters; {}", uncounted,
                   outcome.run.cells.size(),
                   why.empty() ? "the host has none" : fmt::format("the first: {}", why)));
}

// Decides the exit code after everything is written.
Result<Outcome> judge_run(const BenchRunRequest& request, const BenchOutcome& outcome) {
  const auto& cells = outcome.run.cells;
  const auto wrong = std::ranges::count(cells, CellStatus::kWrong, &bench::CellRecord::status);
  if (wrong > 0) {
    return Outcome{
        .failed_gate = fmt::format("{} of {} cells gave wrong values", wrong, cells.size()),
        .hint = "ratios leave their times out; the table shows how far the values are off"};
  }
  if (request.chose_providers && !outcome.obstacles.empty()) {
    const auto& [name, why] = *outcome.obstacles.begin();
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = fmt::format("{} cannot run here: {}", name, why),
                 .where = "",
                 .hint = "the other providers have been measured"};
  }
  const auto unsupported =
      std::ranges::count(cells, CellStatus::kUnsupported, &bench::CellRecord::status);
  if (unsupported == std::ssize(cells)) {
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = "nothing was measured: no provider supports these cases",
                 .where = "",
                 .hint = "the lines below the table say why"};
  }
  return Outcome{};
}

Result<Outcome> run_cells(BenchRunRequest& request, const Terminal& terminal) {
  RecordedCalls counted(record::bench_parts());
  RecordedCalls duration({{std::string(bench::kDurationCounter)}});
  if (request.wants_counters) request.run.counter = &counted;
  request.run.floor_counter = &duration;
  RunFile file(request.output);
  STROBE_TRY_VOID(check_writable(request.output));
  Result<void> kept;
  Result<BenchOutcome> outcome = [&] {
    Progress progress(terminal, "bench");
    const auto since = Clock::now();
    return bench::run_bench(request.run, [&](const bench::RunProgress& now) {
      progress.show(progress_line(now, Clock::now() - since));
      if (kept) kept = file.keep(*now.so_far);
    });
  }();
  if (!outcome) return std::move(outcome).error();
  if (terminal.verbose) {
    for (const std::string& line : outcome->log) say(fmt::format("strobe: {}\n", line));
  }
  if (request.wants_counters) warn_of_uncounted(*outcome, terminal);
  if (outcome->is_interrupted) {
    answered_interrupt();
    if (file.has_partial()) {
      const std::size_t cells = outcome->run.cells.size();
      say(fmt::format("strobe: {} {} kept in {}\n", cells, plural(cells, "cell is", "cells are"),
                      file.partial()));
    }
    STROBE_TRY_VOID(check_interrupted());
  }
  for (const std::string& remark : outcome->remarks) say(fmt::format("strobe: {}\n", remark));
  STROBE_TRY_VOID(file.finish(outcome->run, request.keeps_samples));
  STROBE_TRY_VOID(show_run(request, *outcome, terminal));
  return judge_run(request, *outcome);
}

}  // namespace

std::string bench_paddle_lines(const bench::BenchRun& run) {
  std::string text;
  for (const bench::CellRecord& record : run.cells) {
    const bool has_run = record.status == CellStatus::kOk || record.status == CellStatus::kWrong;
    if (!has_run || record.headline() == nullptr) continue;
    if (record.accuracy) text += bench::equality_line(*record.accuracy) + "\n";
    // Wall time, as in that benchmark, if it was measured.
    const bench::TimeSummary* const call = record.time(bench::TimeMode::kCall);
    const double us = (call != nullptr ? call : record.headline())->p50;
    text += fmt::format("{} |  Time costs: {:.3f} ms / time\n", paddle_head(record.cell), us / 1e3);
  }
  return text;
}

Command bench_run_action() {
  Command command = {
      .name = "bench run",
      .summary = "measure functions (cases) in several implementations (providers), and check them",
      .examples =
          {{"strobe bench run --quick", "a first look, about a minute"},
           {"strobe bench run --case norm_chain -o run.json", "100 shapes, saved to a file"},
           {"strobe bench run --case rows --provider cuda-fused,torch-inductor",
            "compare with PyTorch"},
           {"strobe bench run --case softmax --worker mine=./worker", "measure your own program"},
           {"strobe bench run --case softmax --api -o run.json", "also list CUDA API calls"}},
      .notes =
          {"A cell is one case, at one shape and data type, run by one provider. Each provider "
           "runs "
           "in its own process: if a provider crashes, hangs or runs out of memory, only that cell "
           "is lost. The table then shows ERR or OOM, or OOM* if strobe predicted that the cell "
           "does not fit and did not run it. The providers of one shape take turns on the same "
           "inputs, and every output is compared with a computation in f64.",
           "Exit codes: 0 measured, 1 a provider gave wrong values, 2 bad command line, 3 no "
           "provider supports these cases, or FILE cannot be written, 4 a provider named with "
           "--provider or --worker cannot run here (the others were measured), 130 interrupted."},
      .verbose_adds = "show what the providers' processes wrote to stderr"};
  return with_request(std::move(command), bench_run_flags, complete_bench_run, run_cells);
}

}  // namespace strobe::cli

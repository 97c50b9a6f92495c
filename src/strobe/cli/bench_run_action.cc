#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "strobe/bench/workers/floor_counting.h"
#include "strobe/cli/bench_actions.h"
#include "strobe/cli/bench_counters.h"
#include "strobe/cli/bench_paddle_lines.h"
#include "strobe/cli/bench_run_files.h"
#include "strobe/cli/bench_run_request.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/message.h"
#include "strobe/cli/output.h"
#include "strobe/cli/progress.h"
#include "strobe/record/metric_sets.h"
#include "strobe/report/bench/bench_page.h"
#include "strobe/report/bench/run_tables.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

using bench::BenchOutcome;
using bench::CellStatus;
using Clock = std::chrono::steady_clock;

std::string progress_line(const bench::RunProgress& progress, Clock::duration spent) {
  const double seconds = std::chrono::duration<double>(spent).count();
  const double left = seconds / static_cast<double>(progress.done) *
                      static_cast<double>(progress.total - progress.done);
  return fmt::format(
      "{} of {} cells, about {} left: {} {}", progress.done, progress.total,
      left < 90 ? fmt::format("{:.0f} s", left) : fmt::format("{:.0f} min", left / 60),
      bench::cell_text(progress.last->cell), bench::status_name(progress.last->status));
}

std::string answer(const BenchRunRequest& request, const BenchOutcome& outcome,
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
  std::string text = report::render_text(
      page, {.width = terminal.columns, .color = terminal.color, .unicode = terminal.unicode});
  if (request.is_paddle_style) text += bench_paddle_lines(outcome.run);
  return text;
}

// Once for all cells: why what was asked for is not there.
void warn_of_uncounted(const BenchOutcome& outcome, const Terminal& terminal) {
  if (!outcome.counting_obstacle.empty()) {
    return warn(terminal, "no hardware counters: " + outcome.counting_obstacle);
  }
  std::size_t uncounted = 0;
  std::string_view why;
  for (const bench::CellRecord& record : outcome.run.cells) {
    if (record.status != CellStatus::kOk || record.counters) continue;
    ++uncounted;
    for (const std::string& note : record.notes) {
      if (why.empty() && note.starts_with("not counted")) why = note;
    }
  }
  if (uncounted == 0) return;
  warn(terminal,
       fmt::format("{} of {} cells have no hardware counters; {}", uncounted,
                   outcome.run.cells.size(),
                   why.empty() ? "the host has none" : fmt::format("the first: {}", why)));
}

// What decides the exit code once everything is written.
Result<Outcome> judged(const BenchRunRequest& request, const BenchOutcome& outcome) {
  const auto& cells = outcome.run.cells;
  const auto wrong = std::ranges::count(cells, CellStatus::kWrong, &bench::CellRecord::status);
  if (wrong > 0) {
    return Outcome{
        .failed_gate = fmt::format("{} of {} cells gave wrong values", wrong, cells.size()),
        .hint = "their times count in no ratio; the table says how far they are off"};
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
                 .what = "nothing was measured: no provider can do what was asked of it",
                 .where = "",
                 .hint = "the lines below the table say why"};
  }
  return Outcome{};
}

Result<Outcome> run(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(BenchRunRequest request, read_bench_run_request(arguments));
  RecordedCalls counted(record::bench_parts());
  RecordedCalls duration({{std::string(bench::kDurationCounter)}});
  if (request.wants_counters) request.run.counter = &counted;
  request.run.floor_counter = &duration;
  RunFile file(request.output);
  STROBE_TRY_VOID(file.check());
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
      say(fmt::format("strobe: {} {} kept in {}\n", cells, cells == 1 ? "cell is" : "cells are",
                      file.partial()));
    }
    STROBE_TRY_VOID(check_interrupted());
  }
  for (const std::string& remark : outcome->remarks) say(fmt::format("strobe: {}\n", remark));
  STROBE_TRY_VOID(file.finish(outcome->run, request.keeps_samples));
  STROBE_TRY_VOID(write_to_stdout(answer(request, *outcome, terminal)));
  return judged(request, *outcome);
}

}  // namespace

Command bench_run_action() {
  Command command = {
      .name = "bench run",
      .summary = "measure cases by several providers over a grid of shapes, and check their values",
      .examples = {{"strobe bench run --quick", "what fusion wins on this machine, in a minute"},
                   {"strobe bench run --case softmax,layernorm --provider "
                    "cuda-unfused,cuda-fused,torch-inductor -o run.json",
                    "against what you have today, kept"},
                   {"strobe bench run --case softmax --shape 4096x4096 --worker mine='./worker'",
                    "any other stack"},
                   {"strobe bench run --case softmax --shape 1024x1024 --api -o run.json",
                    "and what a call asks of the driver: show --table api"},
                   {"ncu strobe bench run --case softmax --shape 4096x4096 --profile --stop "
                    "samples:1",
                    "under a profiler"}},
      .notes =
          {"Every provider runs in a process of its own; one that crashes, hangs or runs out of "
           "memory ends its cell and no other. OOM* was predicted and not run. Providers of one "
           "shape take turns, the same inputs for all, and every output is checked against f64.",
           "Exit code 1: a provider gave wrong values. 3: none can do what was asked. 4: a "
           "provider that was asked for cannot run here."},
      .flags = bench_cell_flags(),
      .run = run};
  for (Flag& flag : bench_measure_flags()) command.flags.push_back(std::move(flag));
  return command;
}

}  // namespace strobe::cli

#include "strobe/report/bench/run_tables.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/judge/kernel_signature.h"
#include "strobe/bench/measure/summary.h"
#include "strobe/device/kernel_name.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using bench::Accuracy;
using bench::BenchRun;
using bench::CellFlag;
using bench::CellRecord;
using bench::CellStatus;
using bench::TimeMode;
using bench::TimeSummary;

Cell median_cell(const CellRecord& record, const TimeSummary* time, std::string_view missing) {
  if (!ran_through(record.status)) {
    return Measure{.text = status_text(record.status, missing),
                   .mark = Mark::kMissing,
                   .title = record.reason};
  }
  if (time == nullptr) return Absent{};
  const double median = time->p50;
  const double half = (time->ci95[1] - time->ci95[0]) / 2;
  const bool has_width = time->ci95[1] > 0 && median > 0;
  const std::string doubt = has_width ? fmt::format(" +-{:.1f} %", 100 * half / median) : "";
  return Measure{
      .text = with_noise_mark(micros_text(median) + doubt, record.has(CellFlag::kNoisy)),
      .value = median,
      .mark = record.status == CellStatus::kWrong ? Mark::kWrong : Mark::kPlain,
      .title = fmt::format("median of {}; 20 % to 80 %: {} to {}", counted(time->n, "sample"),
                           micros_text(time->p20), micros_text(time->p80))};
}

// "cos_kernel, mul_kernel x2": each name once, in launch order.
std::string kernels_text(const CellRecord& record) {
  std::vector<std::pair<std::string, int>> kernels;
  for (const bench::KernelLaunch& launch : record.kernels) {
    std::string name = device::detail_name(launch.name);
    const auto known = std::ranges::find(kernels, name, &std::pair<std::string, int>::first);
    if (known == kernels.end()) {
      kernels.emplace_back(std::move(name), 1);
    } else {
      ++known->second;
    }
  }
  std::vector<std::string> texts;
  for (const auto& [name, count] : kernels) {
    texts.push_back(count == 1 ? name : fmt::format("{} x{}", name, count));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// If the two sides differ in precision: the kernels of each, so that the reader can judge; else "".
std::string math_note(const BenchRun& run, const CellRecord& record, const std::string& baseline) {
  if (!record.has(CellFlag::kMathDiffers)) return "";
  bench::Cell cell = record.cell;
  cell.provider = baseline;
  const auto theirs = std::ranges::find(run.cells, cell, &CellRecord::cell);
  if (theirs == run.cells.end() || bench::math_difference(*theirs, record).empty()) return "";
  return fmt::format("{} ran {}; {} ran {}", record.cell.provider, kernels_text(record), baseline,
                     kernels_text(*theirs));
}

// If times are not the measured ones, the title says so.
std::string times_title(const BenchRun& run, const RunTableOptions& options) {
  const std::optional<double> pair_us = run.header.floors.event_pair;
  if (!options.is_net || !pair_us) return "Times";
  return fmt::format("Times, device net of an event pair of {}", micros_text(*pair_us));
}

// 99.999 % must not be shown as 100.00 %: a single mismatch stays visible.
Cell equality_cell(const Accuracy& accuracy) {
  const double percent = 100 * accuracy.equality();
  return Measure{
      .text = fmt::format("{:.2f}%", accuracy.mismatches > 0 ? std::min(percent, 99.99) : percent),
      .value = percent,
      .mark = accuracy.mismatches > 0 ? Mark::kWrong : Mark::kPlain};
}

Cell count_cell(std::uint64_t count) {
  return Measure{.text = fmt::format("{}", count), .value = static_cast<double>(count)};
}

Cell error_cell(double error) { return digits_cell(error, 3); }

Cell worst_cell(const Accuracy& accuracy) {
  if (accuracy.worst_index < 0) return Absent{};
  return Measure{.text = fmt::format("{}", accuracy.worst_index),
                 .value = static_cast<double>(accuracy.worst_index)};
}

using Cells = std::vector<Cell>;
Cells cells_of(const Accuracy& accuracy) {
  return {
      equality_cell(accuracy),      count_cell(accuracy.mismatches), count_cell(accuracy.checked),
      error_cell(accuracy.max_abs), error_cell(accuracy.max_rel),    error_cell(accuracy.norm_rel),
      worst_cell(accuracy),         error_cell(accuracy.atol),       error_cell(accuracy.rtol)};
}

Measure headline_cell(const CellRecord& record) {
  if (!ran_through(record.status) || record.headline() == nullptr) {
    return {.text = status_text(record.status, ""), .mark = Mark::kMissing, .title = record.reason};
  }
  const TimeSummary& time = *record.headline();
  const double half = (time.ci95[1] - time.ci95[0]) / 2;
  const std::string doubt = time.ci95[1] > 0 && time.p50 > 0
                                ? fmt::format(" +-{:.1f} %", 100 * half / time.p50)
                                : fmt::format(" of {}", counted(time.n, "call"));
  return {.text = with_noise_mark(micros_text(time.p50) + doubt, record.has(CellFlag::kNoisy)),
          .value = time.p50,
          .mark = record.status == CellStatus::kWrong ? Mark::kWrong : Mark::kPlain};
}

void add_flag_notes(Section& table, const BenchRun& run) {
  const auto noisy = std::ranges::count_if(
      run.cells, [](const CellRecord& record) { return record.has(CellFlag::kNoisy); });
  std::string note = noise_note(static_cast<std::size_t>(noisy), run.cells.size());
  if (!note.empty()) table.notes.push_back(std::move(note));
  std::ranges::move(flag_notes(run.cells), std::back_inserter(table.notes));
}

// Tools get the notes as the worker wrote them.
Measure notes_cell(const std::vector<std::string>& notes) {
  std::vector<std::string> texts;
  for (const std::string& note : notes) {
    if (std::string text = note_text(note); !text.empty()) texts.push_back(std::move(text));
  }
  return {.text = fmt::format("{}", fmt::join(texts, "; ")),
          .word = fmt::format("{}", fmt::join(notes, "; "))};
}

bool are_neighbours(const CellRecord& a, const CellRecord& b) {
  return a.cell.case_id == b.cell.case_id && a.cell.shape == b.cell.shape &&
         a.cell.dtype == b.cell.dtype;
}

Cell ratio_cell(const CellRecord* baseline, const CellRecord& record) {
  // A wrong or missing side has no ratio; a ratio to itself is pointless.
  if (baseline == nullptr || baseline == &record || baseline->status != CellStatus::kOk ||
      record.status != CellStatus::kOk || baseline->usable_time() == nullptr ||
      record.usable_time() == nullptr) {
    return Text{};
  }
  // A flag may belong to another pair; without kernels to compare, the record's flag is used.
  const bool have_kernels = !baseline->kernels.empty() && !record.kernels.empty();
  const bool is_same =
      have_kernels ? bench::ran_the_same(*baseline, record) : record.has(CellFlag::kSameKernels);
  // Equal kernels are equally fast: their ratio would only show the noise.
  if (is_same) return Measure{.text = "", .mark = Mark::kSame};
  const double ratio = baseline->usable_time()->p50 / record.usable_time()->p50;
  const bool is_noisy = baseline->has(CellFlag::kNoisy) || record.has(CellFlag::kNoisy);
  return Measure{.text = with_noise_mark(fmt::format("{:.2f}x", ratio), is_noisy),
                 .value = ratio,
                 .percent = 100 * ratio};
}

}  // namespace

Section times_table(const BenchRun& run, const RunTableOptions& options) {
  constexpr std::array kShown = {TimeMode::kDevice, TimeMode::kGraph, TimeMode::kCall,
                                 TimeMode::kActivity, TimeMode::kCpu};
  std::vector<TimeMode> modes;
  for (const TimeMode mode : kShown) {
    if (std::ranges::any_of(
            run.cells, [&](const CellRecord& record) { return record.time(mode) != nullptr; })) {
      modes.push_back(mode);
    }
  }
  std::vector<ListColumn> columns;
  for (const TimeMode mode : modes) {
    columns.push_back(
        {fmt::format("{}_us", bench::mode_name(mode)), std::string(bench::mode_name(mode))});
  }
  const bool has_long_calls = std::ranges::any_of(
      run.cells, [](const CellRecord& record) { return record.sustained_us.has_value(); });
  if (has_long_calls) {
    columns.push_back({"burst_us", "burst"});
    columns.push_back({"sustained_us", "sustained"});
  }
  columns.push_back({"flags", "", true});
  Section table = cell_section(
      "times", times_title(run, options),
      "Medians with half the width of their 95 % interval; one column per timing mode.", columns);
  if (has_long_calls) {
    table.notes.emplace_back(
        "calls above 1 ms, without pauses: burst is the first 20 ms after a rest, sustained the "
        "steady state, which is slower on a device at its power limit");
  }
  if (options.is_net && !run.header.floors.event_pair) {
    table.notes.emplace_back("this run has no floor for event pairs: nothing is subtracted");
  }
  for (const CellRecord& record : run.cells) {
    Row& row = table.table.rows.emplace_back(cell_row(record.cell));
    for (const TimeMode mode : modes) {
      const TimeSummary* const time = record.time(mode);
      const auto net = options.is_net && time != nullptr
                           ? bench::net_of(*time, mode, run.header.floors)
                           : std::nullopt;
      row.cells.push_back(median_cell(record, net ? &*net : time, options.missing));
    }
    if (has_long_calls) {
      row.cells.push_back(micros_cell(record.burst_us));
      row.cells.push_back(micros_cell(record.sustained_us));
    }
    row.cells.push_back(flags_cell(record));
  }
  add_flag_notes(table, run);
  return table;
}

Section memory_table(const BenchRun& run, const RunTableOptions& options) {
  Section table = cell_section(
      "memory", "Memory", "Memory that a provider keeps resident, and the most that it allocated.",
      {{"resident_bytes", "resident"},
       {"peak_bytes", "peak"},
       {"least_bytes", "least traffic"},
       {"status", "", true}});
  std::size_t out_of_memory = 0;
  for (const CellRecord& record : run.cells) {
    const bool is_out =
        record.status == CellStatus::kOom || record.status == CellStatus::kOomPredicted;
    out_of_memory += is_out ? 1 : 0;
    Row& row = table.table.rows.emplace_back(cell_row(record.cell));
    row.cells.push_back(amount_cell(record.bytes.resident));
    row.cells.push_back(amount_cell(record.bytes.peak));
    row.cells.push_back(record.bytes.min > 0 ? amount_cell(record.bytes.min) : Cell(Absent{}));
    row.cells.push_back(Measure{
        .text = ran_through(record.status) ? "" : status_text(record.status, options.missing),
        .mark = ran_through(record.status) ? Mark::kPlain : Mark::kMissing,
        .title = record.reason});
  }
  table.notes.push_back(fmt::format("{} of {} out of memory; OOM* was predicted and not run",
                                    out_of_memory, counted(run.cells.size(), "cell")));
  return table;
}

Section flags_table(const BenchRun& run, const RunTableOptions& options) {
  Section table = cell_section("flags", "Flags", "Cells that need a second look.",
                               {{"flags", "flags", true}, {"note", "note", true}});
  for (const CellRecord& record : run.cells) {
    Measure flags = flags_cell(record);
    const bool has_failed =
        record.status == CellStatus::kError || record.status == CellStatus::kTimeout;
    if (has_failed) flags = {.text = std::string(bench::status_name(record.status))};
    if (flags.text.empty()) continue;
    std::vector<std::string> notes = record.all_notes();
    if (!record.reason.empty()) notes.insert(notes.begin(), record.reason);
    if (std::string both = math_note(run, record, options.baseline); !both.empty()) {
      notes.push_back(std::move(both));
    }
    Row& row = table.table.rows.emplace_back(cell_row(record.cell));
    row.cells.push_back(std::move(flags));
    row.cells.push_back(notes_cell(notes));
  }
  table.notes.push_back(
      fmt::format("{} of {} flagged", table.table.rows.size(), counted(run.cells.size(), "cell")));
  add_flag_notes(table, run);
  return table;
}

Section accuracy_table(const BenchRun& run, const RunTableOptions&) {
  Section table = cell_section("accuracy", "Accuracy",
                               "Values compared with a reference in f64: an element passes if its "
                               "error is at most atol + rtol * its size.",
                               {{"equality_pct", "equality ratio"},
                                {"mismatches", "mismatches"},
                                {"checked", "of"},
                                {"max_abs", "max abs"},
                                {"max_rel", "max rel"},
                                {"norm_rel", "norm rel"},
                                {"worst_index", "worst at"},
                                {"atol", "atol"},
                                {"rtol", "rtol"},
                                {"status", "", true}});
  std::size_t checked = 0;
  for (const CellRecord& record : run.cells) {
    Row& row = table.table.rows.emplace_back(
        cell_row(record.cell, record.accuracy ? cells_of(*record.accuracy) : Cells()));
    row.cells.resize(table.table.columns.size() - 1, Absent{});
    checked += record.accuracy ? 1 : 0;
    const bool is_ok = record.status == CellStatus::kOk;
    row.cells.push_back(Measure{.text = is_ok ? "" : std::string(bench::status_name(record.status)),
                                .title = record.reason});
  }
  table.notes.push_back(
      fmt::format("{} of {} checked", checked, counted(run.cells.size(), "cell")));
  table.notes.emplace_back(
      "max abs, max rel: the largest error of an element, absolute and relative; norm rel: |a - b| "
      "/ |b| over all elements; worst at: the index of the worst element");
  return table;
}

Section short_table(const bench::BenchRun& run) {
  Section table = cell_section("cells", "Cells",
                               "Medians with half the width of their 95 % interval, or the number "
                               "of calls if they are too few for one. GB/s counts the bytes that a "
                               "perfect fusion moves. Ratio: speed relative to the first provider.",
                               {{"time_us", "time"},
                                {"gbps", "GB/s"},
                                {"copy_percent", "of copy roof"},
                                {"ratio", "ratio"},
                                {"flags", "", true}});
  const CellRecord* baseline = nullptr;
  for (const CellRecord& record : run.cells) {
    if (baseline == nullptr || !are_neighbours(*baseline, record)) baseline = &record;
    const TimeSummary* const time = record.usable_time();
    const double rate = time != nullptr ? record.gbps(time->p50) : 0;
    const std::optional<double> copy_gbps = run.header.roofs.over(record).copy_gbps;
    table.table.rows.push_back(cell_row(
        record.cell,
        {headline_cell(record), Text{time != nullptr ? fmt::format("{:.1f}", rate) : ""},
         Text{time != nullptr && copy_gbps ? fmt::format("{:.0f} %", 100 * rate / *copy_gbps) : ""},
         ratio_cell(baseline, record), flags_cell(record)}));
    if (!record.reason.empty()) {
      const std::string line = fmt::format("{}: {}", cell_text(record.cell), record.reason);
      (record.status == CellStatus::kUnsupported ? table.notes : table.warnings).push_back(line);
    }
  }
  add_flag_notes(table, run);
  return table;
}

namespace {

// ", 90 of them noisy: up to +-75 %", of the cells that ran and gave right values.
std::string noise_text(const BenchRun& run) {
  std::size_t noisy = 0;
  double widest = 0;
  for (const CellRecord& record : run.cells) {
    if (record.status != CellStatus::kOk || !record.has(CellFlag::kNoisy)) continue;
    ++noisy;
    const TimeSummary* const time = record.headline();
    if (time == nullptr || !(time->p50 > 0)) continue;
    widest = std::max(widest, (time->ci95[1] - time->ci95[0]) / 2 / time->p50);
  }
  if (noisy == 0) return "";
  return fmt::format(", {} of them noisy{}", noisy,
                     widest > 0 ? fmt::format(": up to +-{:.2g} %", 100 * widest) : "");
}

}  // namespace

std::string outcome_line(const bench::BenchRun& run) {
  constexpr std::array kStatuses = {
      CellStatus::kOk,      CellStatus::kWrong,       CellStatus::kOom,   CellStatus::kOomPredicted,
      CellStatus::kTimeout, CellStatus::kUnsupported, CellStatus::kError, CellStatus::kMissing};
  std::vector<std::string> parts;
  for (const CellStatus status : kStatuses) {
    const auto count = std::ranges::count(run.cells, status, &CellRecord::status);
    if (count == 0) continue;
    parts.push_back(status == CellStatus::kOk
                        ? fmt::format("{} measured{}", count, noise_text(run))
                        : fmt::format("{} {}", count, bench::status_name(status)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace strobe::report

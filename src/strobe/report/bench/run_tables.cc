#include "strobe/report/bench/run_tables.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/judge/kernel_signature.h"
#include "strobe/bench/measure/net.h"
#include "strobe/device/kernel_name.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using bench::BenchRun;
using bench::CellFlag;
using bench::CellRecord;
using bench::CellStatus;
using bench::TimeMode;
using bench::TimeSummary;

bool ran_through(const CellRecord& record) {
  return record.status == CellStatus::kOk || record.status == CellStatus::kWrong;
}

BenchTable table_of(std::string key, std::string title, std::string lead,
                    const std::vector<BenchColumn>& more) {
  BenchTable table;
  table.key = std::move(key);
  table.title = std::move(title);
  table.lead = std::move(lead);
  table.corner = "case";
  table.columns = cell_columns(more);
  return table;
}

BenchCell median_cell(const CellRecord& record, const TimeSummary* time, std::string_view missing) {
  if (!ran_through(record)) {
    return {.text = status_text(record.status, missing),
            .mark = BenchMark::kMissing,
            .title = record.reason};
  }
  if (time == nullptr) return absent_cell();
  const double median = time->p50;
  const double half = (time->ci95[1] - time->ci95[0]) / 2;
  const bool has_width = time->ci95[1] > 0 && median > 0;
  return {.text = fmt::format("{}{}", micros_text(median),
                              has_width ? fmt::format(" +-{:.1f} %", 100 * half / median) : ""),
          .value = median,
          .mark = record.status == CellStatus::kWrong ? BenchMark::kWrong : BenchMark::kPlain,
          .title = fmt::format("median of {}; 20 % to 80 %: {} to {}", counted(time->n, "sample"),
                               micros_text(time->p20), micros_text(time->p80))};
}

// "cos_kernel, mul_kernel x2": each name once, in the order of launching.
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

// Two sides of different precision: what each of them ran, for the reader to judge; "" of others.
std::string math_note(const BenchRun& run, const CellRecord& record, const std::string& baseline) {
  if (!record.has(CellFlag::kMathDiffers)) return "";
  bench::Cell cell = record.cell;
  cell.provider = baseline;
  const auto theirs = std::ranges::find(run.cells, cell, &CellRecord::cell);
  if (theirs == run.cells.end() || bench::math_difference(*theirs, record).empty()) return "";
  return fmt::format("{} ran {}; {} ran {}", record.cell.provider, kernels_text(record), baseline,
                     kernels_text(*theirs));
}

// A time that is not what was measured says so above all its columns.
std::string times_title(const BenchRun& run, const RunTableOptions& options) {
  const std::optional<double> pair_us = run.header.floors.event_pair;
  if (!options.is_net || !pair_us) return "Times";
  return fmt::format("Times, device net of an event pair of {}", micros_text(*pair_us));
}

}  // namespace

BenchTable times_table(const BenchRun& run, const RunTableOptions& options) {
  constexpr std::array kShown = {TimeMode::kDevice, TimeMode::kGraph, TimeMode::kCall,
                                 TimeMode::kActivity, TimeMode::kCpu};
  std::vector<TimeMode> modes;
  for (const TimeMode mode : kShown) {
    if (std::ranges::any_of(
            run.cells, [&](const CellRecord& record) { return record.time(mode) != nullptr; })) {
      modes.push_back(mode);
    }
  }
  std::vector<BenchColumn> columns;
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
  BenchTable table = table_of("times", times_title(run, options),
                              "Medians with half the width of their 95 % interval; one column for "
                              "each way of taking them.",
                              std::move(columns));
  if (has_long_calls) {
    table.notes.emplace_back(
        "calls above 1 ms without pause: burst is the first 20 ms after a rest, sustained what "
        "stays; a device at its power limit is slower then");
  }
  if (options.is_net && !run.header.floors.event_pair) {
    table.notes.emplace_back("this run has no floor of its event pairs: nothing is taken off");
  }
  for (const CellRecord& record : run.cells) {
    BenchRow& row = table.rows.emplace_back(cell_row(record.cell));
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
  return table;
}

BenchTable memory_table(const BenchRun& run, const RunTableOptions& options) {
  BenchTable table = table_of("memory", "Memory",
                              "What a provider keeps resident, and the most that was allocated.",
                              {{"resident_bytes", "resident"},
                               {"peak_bytes", "peak"},
                               {"least_bytes", "least traffic"},
                               {"status", "", true}});
  std::size_t out_of_memory = 0;
  for (const CellRecord& record : run.cells) {
    const bool is_out =
        record.status == CellStatus::kOom || record.status == CellStatus::kOomPredicted;
    out_of_memory += is_out ? 1 : 0;
    BenchRow& row = table.rows.emplace_back(cell_row(record.cell));
    row.cells.push_back(amount_cell(record.bytes.resident));
    row.cells.push_back(amount_cell(record.bytes.peak));
    row.cells.push_back(record.bytes.min > 0 ? amount_cell(record.bytes.min) : absent_cell());
    row.cells.push_back(
        {.text = ran_through(record) ? "" : status_text(record.status, options.missing),
         .mark = ran_through(record) ? BenchMark::kPlain : BenchMark::kMissing,
         .title = record.reason});
  }
  table.notes.push_back(
      fmt::format("{} of {} out of memory; OOM* is predicted by the plan, not run", out_of_memory,
                  counted(run.cells.size(), "cell")));
  return table;
}

BenchTable flags_table(const BenchRun& run, const RunTableOptions& options) {
  BenchTable table = table_of("flags", "Flags", "Cells that want a second look.",
                              {{"flags", "flags", true}, {"note", "note", true}});
  for (const CellRecord& record : run.cells) {
    BenchCell flags = flags_cell(record);
    const bool has_failed =
        record.status == CellStatus::kError || record.status == CellStatus::kTimeout;
    if (has_failed) flags = words_cell(std::string(bench::status_name(record.status)));
    if (flags.text.empty()) continue;
    std::vector<std::string> notes = record.notes;
    if (!record.reason.empty()) notes.insert(notes.begin(), record.reason);
    if (std::string both = math_note(run, record, options.baseline); !both.empty()) {
      notes.push_back(std::move(both));
    }
    BenchRow& row = table.rows.emplace_back(cell_row(record.cell));
    row.cells.push_back(std::move(flags));
    row.cells.push_back(words_cell(fmt::format("{}", fmt::join(notes, "; "))));
  }
  table.notes.push_back(
      fmt::format("{} of {} flagged", table.rows.size(), counted(run.cells.size(), "cell")));
  return table;
}

}  // namespace strobe::report

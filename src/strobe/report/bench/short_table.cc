#include "strobe/report/bench/short_table.h"
#include "strobe/bench/judge/kernel_signature.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/report/bench/cell_text.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using bench::CellFlag;
using bench::CellRecord;
using bench::CellStatus;
using bench::TimeSummary;

bool has_time(const CellRecord& record) {
  return (record.status == CellStatus::kOk || record.status == CellStatus::kWrong) &&
         record.headline() != nullptr;
}

BenchCell headline_cell(const CellRecord& record) {
  if (!has_time(record)) {
    return {.text = status_text(record.status, ""),
            .mark = BenchMark::kMissing,
            .title = record.reason};
  }
  const TimeSummary& time = *record.headline();
  const double half = (time.ci95[1] - time.ci95[0]) / 2;
  const std::string doubt = time.ci95[1] > 0 && time.p50 > 0
                                ? fmt::format(" +-{:.1f} %", 100 * half / time.p50)
                                : fmt::format(" of {}", counted(time.n, "call"));
  return {.text = micros_text(time.p50) + doubt,
          .value = time.p50,
          .mark = record.status == CellStatus::kWrong ? BenchMark::kWrong : BenchMark::kPlain};
}

// Bytes that a perfect fusion moves, over the time; of the copy roof in percent.
double gbps(const CellRecord& record) { return record.bytes.min / record.headline()->p50 / 1e3; }

bool are_neighbours(const CellRecord& a, const CellRecord& b) {
  return a.cell.case_id == b.cell.case_id && a.cell.shape == b.cell.shape &&
         a.cell.dtype == b.cell.dtype;
}

BenchCell ratio_cell(const CellRecord* baseline, const CellRecord& record) {
  // A wrong or missing side has no ratio; a ratio to itself says nothing.
  if (baseline == nullptr || baseline == &record || baseline->status != CellStatus::kOk ||
      record.status != CellStatus::kOk || !has_time(*baseline) || !has_time(record)) {
    return words_cell("");
  }
  const double ratio = baseline->headline()->p50 / record.headline()->p50;
  // A flag may be of another pair; without kernels to compare the record is believed.
  const bool are_told = !baseline->kernels.empty() && !record.kernels.empty();
  const bool is_same =
      are_told ? bench::ran_the_same(*baseline, record) : record.has(CellFlag::kSameKernels);
  return {.text = fmt::format("{:.2f}x", ratio),
          .value = ratio,
          .mark = is_same ? BenchMark::kSame : BenchMark::kPlain,
          .percent = 100 * ratio};
}

}  // namespace

BenchTable short_table(const bench::BenchRun& run) {
  BenchTable table{.key = "cells", .title = "Cells"};
  table.lead =
      "Medians with half the width of their 95 % interval, or of so few calls that they have "
      "none; GB/s of the bytes that a perfect fusion moves; the ratio is to the first provider, "
      "above 1 is faster.";
  table.corner = "case";
  table.columns = cell_columns({{"time_us", "time"},
                                {"gbps", "GB/s"},
                                {"copy_percent", "of copy roof"},
                                {"ratio", "ratio"},
                                {"flags", "", true}});
  const CellRecord* baseline = nullptr;
  for (const CellRecord& record : run.cells) {
    if (baseline == nullptr || !are_neighbours(*baseline, record)) baseline = &record;
    const bool is_timed = has_time(record);
    const double rate = is_timed ? gbps(record) : 0;
    const std::optional<double> copy_gbps = run.header.roofs.over(record).copy_gbps;
    table.rows.push_back(cell_row(
        record.cell,
        {headline_cell(record), words_cell(is_timed ? fmt::format("{:.1f}", rate) : ""),
         words_cell(is_timed && copy_gbps ? fmt::format("{:.0f} %", 100 * rate / *copy_gbps) : ""),
         ratio_cell(baseline, record), flags_cell(record)}));
    if (!record.reason.empty()) {
      const std::string line = fmt::format("{}: {}", cell_text(record.cell), record.reason);
      (record.status == CellStatus::kUnsupported ? table.notes : table.warnings).push_back(line);
    }
  }
  return table;
}

std::string outcome_line(const bench::BenchRun& run) {
  constexpr std::array kStatuses = {
      CellStatus::kOk,      CellStatus::kWrong,       CellStatus::kOom,   CellStatus::kOomPredicted,
      CellStatus::kTimeout, CellStatus::kUnsupported, CellStatus::kError, CellStatus::kMissing};
  std::vector<std::string> parts;
  for (const CellStatus status : kStatuses) {
    const auto count = std::ranges::count(run.cells, status, &CellRecord::status);
    if (count > 0) parts.push_back(fmt::format("{} {}", count, bench::status_name(status)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace strobe::report

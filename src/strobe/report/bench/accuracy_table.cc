#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "strobe/report/bench/cell_text.h"
#include "strobe/report/bench/run_tables.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using bench::Accuracy;
using bench::BenchRun;
using bench::CellRecord;
using bench::CellStatus;

// 99.999 % is not 100.00 %: a single mismatch stays visible.
BenchCell equality_cell(const Accuracy& accuracy) {
  const double percent = 100 * accuracy.equality();
  return {
      .text = fmt::format("{:.2f}%", accuracy.mismatches > 0 ? std::min(percent, 99.99) : percent),
      .value = percent,
      .mark = accuracy.mismatches > 0 ? BenchMark::kWrong : BenchMark::kPlain};
}

BenchCell count_cell(std::uint64_t count) {
  return {.text = fmt::format("{}", count), .value = static_cast<double>(count)};
}

BenchCell error_cell(double error) { return digits_cell(error, 3); }

BenchCell worst_cell(const Accuracy& accuracy) {
  if (accuracy.worst_index < 0) return absent_cell();
  return {.text = fmt::format("{}", accuracy.worst_index),
          .value = static_cast<double>(accuracy.worst_index)};
}

using Cells = std::vector<BenchCell>;
Cells cells_of(const Accuracy& accuracy) {
  return {
      equality_cell(accuracy),      count_cell(accuracy.mismatches), count_cell(accuracy.checked),
      error_cell(accuracy.max_abs), error_cell(accuracy.max_rel),    error_cell(accuracy.norm_rel),
      worst_cell(accuracy),         error_cell(accuracy.atol),       error_cell(accuracy.rtol)};
}

}  // namespace

BenchTable accuracy_table(const BenchRun& run, const RunTableOptions&) {
  BenchTable table;
  table.key = "accuracy";
  table.title = "Accuracy";
  table.lead =
      "Values against the reference in f64: an element passes if it is off by no more than atol + "
      "rtol of its size.";
  table.corner = "case";
  table.columns = cell_columns({{"equality_pct", "equality ratio"},
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
    BenchRow& row = table.rows.emplace_back(
        cell_row(record.cell, record.accuracy ? cells_of(*record.accuracy) : Cells()));
    row.cells.resize(table.columns.size() - 1, absent_cell());
    checked += record.accuracy ? 1 : 0;
    const bool is_ok = record.status == CellStatus::kOk;
    row.cells.push_back({.text = is_ok ? "" : std::string(bench::status_name(record.status)),
                         .title = record.reason});
  }
  table.notes.push_back(
      fmt::format("{} of {} checked", checked, counted(run.cells.size(), "cell")));
  table.notes.emplace_back(
      "max abs, max rel: the largest error of an element, absolute and relative; norm rel: |a - b| "
      "/ |b| of all; worst at: the index of the worst element");
  return table;
}

}  // namespace strobe::report

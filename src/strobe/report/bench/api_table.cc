#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/report/bench/cell_text.h"
#include "strobe/report/bench/run_tables.h"

namespace strobe::report {
namespace {

using bench::ApiCall;
using bench::BenchRun;
using bench::CellRecord;
using bench::TimeMode;
using bench::TimeSummary;

BenchCell of_call_cell(double us, std::optional<double> of_us) {
  if (!of_us || !(*of_us > 0)) return absent_cell();
  return {.text = fmt::format("{:.0f} %", 100 * us / *of_us), .value = 100 * us / *of_us};
}

std::optional<double> median(const CellRecord& record, TimeMode mode) {
  const TimeSummary* const time = record.time(mode);
  return time == nullptr ? std::nullopt : std::optional(time->p50);
}

void add_cells(BenchRow& row, const ApiCall& call, std::optional<double> call_us) {
  row.cells.push_back({.text = call.name});
  row.cells.push_back(
      {.text = fmt::format("{}", call.count), .value = static_cast<double>(call.count)});
  row.cells.push_back(micros_cell(call.us));
  row.cells.push_back(of_call_cell(call.us, call_us));
}

// A line for all of its calls, beside its times, and below it a line for each.
void add_rows(const CellRecord& record, std::vector<BenchRow>& rows) {
  ApiCall all{.name = "all", .count = 0, .us = 0};
  for (const ApiCall& call : record.api) {
    all.count += call.count;
    all.us += call.us;
  }
  const std::optional<double> call_us = median(record, TimeMode::kCall);
  BenchRow& first = rows.emplace_back(cell_row(record.cell));
  first.cells.push_back(micros_cell(median(record, TimeMode::kDevice)));
  first.cells.push_back(micros_cell(call_us));
  add_cells(first, all, call_us);
  for (const ApiCall& call : record.api) {
    BenchRow& row = rows.emplace_back(cell_row(record.cell));
    row.cells.resize(row.cells.size() + 2);
    add_cells(row, call, call_us);
  }
}

}  // namespace

BenchTable api_table(const BenchRun& run, const RunTableOptions&) {
  BenchTable table;
  table.key = "api";
  table.title = "API calls";
  table.lead =
      "What one call asks of the device's runtime and driver before it returns, beside its time on "
      "the device and what its caller waits for; shares are of the latter.";
  table.corner = "case";
  table.columns = cell_columns({{"device_us", "device"},
                                {"call_us", "call"},
                                {"api", "API call", true},
                                {"count", "count"},
                                {"us", "host"},
                                {"share_pct", "of the call"}});
  std::vector<std::string> without;
  for (const CellRecord& record : run.cells) {
    if (!record.api.empty()) {
      add_rows(record, table.rows);
    } else if (std::ranges::find(without, record.cell.provider) == without.end()) {
      without.push_back(record.cell.provider);
    }
  }
  if (table.rows.empty()) {
    table.notes.emplace_back(
        "no API calls were recorded; `strobe bench run --api` does, of what runs on a device");
    return table;
  }
  table.notes.emplace_back(
      "host: in the calls themselves, each without those that it makes; recorded in a call of its "
      "own after the timing, which makes each a little dearer than it is");
  if (!without.empty()) {
    table.notes.push_back(fmt::format("not recorded in every cell: {}", fmt::join(without, ", ")));
  }
  return table;
}

}  // namespace strobe::report

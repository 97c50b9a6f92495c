#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/workers/run_plan.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/bench/run_tables.h"

namespace strobe::report {
namespace {

using bench::ApiCall;
using bench::BenchRun;
using bench::CellCounters;
using bench::CellRecord;
using bench::TimeMode;
using bench::TimeSummary;

using Amount = std::optional<double>;

Cell three_digits_cell(Amount number) { return digits_cell(number, 3); }

Amount sum_of(std::initializer_list<Amount> parts) {
  Amount sum;
  for (const Amount& part : parts) {
    if (part) sum = sum.value_or(0) + *part;
  }
  return sum;
}

Amount quotient(Amount part, Amount whole) {
  return part && whole && *whole > 0 ? Amount(*part / *whole) : std::nullopt;
}

double elements_of(const CellRecord& record) {
  const bench::CaseInfo* const info = bench::find_case(record.cell.case_id);
  return info == nullptr ? 0 : bench::elements_of(info->kind, record.cell.shape);
}

// A column of the table, left out if no cell has a number for it.
struct TrafficColumn {
  ListColumn heading;
  Cell (*show)(Amount);
  Amount (*value)(const CellRecord& record);
};

template <Amount CellCounters::*member>
Amount counter(const CellRecord& record) {
  return record.counters ? (*record.counters).*member : std::nullopt;
}

Amount l2_bytes(const CellRecord& record) {
  return sum_of({counter<&CellCounters::l2_read_bytes>(record),
                 counter<&CellCounters::l2_write_bytes>(record)});
}

Amount dram_bytes(const CellRecord& record) {
  return sum_of({counter<&CellCounters::dram_read_bytes>(record),
                 counter<&CellCounters::dram_write_bytes>(record)});
}

const TrafficColumn kTrafficColumns[] = {
    {{"min_bytes", "least"}, amount_cell, [](const CellRecord& r) { return Amount(r.bytes.min); }},
    {{"unfused_bytes", "unfused"},
     amount_cell,
     [](const CellRecord& r) { return Amount(r.bytes.unfused); }},
    {{"l1_load_bytes", "L1 load"}, amount_cell, counter<&CellCounters::l1_load_bytes>},
    {{"l1_load_hit_pct", "hit"},
     part_cell,
     [](const CellRecord& r) {
       return quotient(counter<&CellCounters::l1_load_hit_bytes>(r),
                       counter<&CellCounters::l1_load_bytes>(r));
     }},
    {{"l1_store_bytes", "L1 store"}, amount_cell, counter<&CellCounters::l1_store_bytes>},
    {{"l1_reduction_bytes", "L1 reduce"},
     amount_cell,
     [](const CellRecord& r) {
       const Amount bytes = counter<&CellCounters::l1_reduction_bytes>(r);
       return bytes && *bytes > 0 ? bytes : std::nullopt;
     }},
    {{"l2_bytes", "L2"}, amount_cell, l2_bytes},
    {{"l2_of_least_pct", "L2 of least"},
     part_cell,
     [](const CellRecord& r) { return quotient(l2_bytes(r), Amount(r.bytes.min)); }},
    {{"dram_read_bytes", "DRAM read"}, amount_cell, counter<&CellCounters::dram_read_bytes>},
    {{"dram_write_bytes", "DRAM write"}, amount_cell, counter<&CellCounters::dram_write_bytes>},
    {{"dram_of_least_pct", "DRAM of least"},
     part_cell,
     [](const CellRecord& r) { return quotient(dram_bytes(r), Amount(r.bytes.min)); }},
    {{"instructions_per_element", "instr."},
     three_digits_cell,
     [](const CellRecord& r) {
       return quotient(counter<&CellCounters::instructions>(r), elements_of(r));
     }},
    {{"counted_of_formula_pct", "FLOP"},
     part_cell,
     [](const CellRecord& r) {
       return quotient(
           sum_of({counter<&CellCounters::flops>(r), counter<&CellCounters::matrix_flops>(r)}),
           Amount(r.rated_flops()));
     }},
};

Cell of_call_cell(double us, std::optional<double> of_us) {
  if (!of_us || !(*of_us > 0)) return Absent{};
  return Measure{.text = fmt::format("{:.0f} %", 100 * us / *of_us), .value = 100 * us / *of_us};
}

std::optional<double> median(const CellRecord& record, TimeMode mode) {
  const TimeSummary* const time = record.time(mode);
  return time == nullptr ? std::nullopt : std::optional(time->p50);
}

void add_cells(Row& row, const ApiCall& call, std::optional<double> call_us) {
  row.cells.push_back(Text{call.name});
  row.cells.push_back(
      Measure{.text = fmt::format("{}", call.count), .value = static_cast<double>(call.count)});
  row.cells.push_back(micros_cell(call.us));
  row.cells.push_back(of_call_cell(call.us, call_us));
}

// A line for all of its calls, beside its times, then a line for each call.
void add_rows(const CellRecord& record, std::vector<Row>& rows) {
  ApiCall all{.name = "all", .count = 0, .us = 0};
  for (const ApiCall& call : record.api) {
    all.count += call.count;
    all.us += call.us;
  }
  const std::optional<double> call_us = median(record, TimeMode::kCall);
  Row& first = rows.emplace_back(cell_row(record.cell));
  first.cells.push_back(micros_cell(median(record, TimeMode::kDevice)));
  first.cells.push_back(micros_cell(call_us));
  add_cells(first, all, call_us);
  for (const ApiCall& call : record.api) {
    Row& row = rows.emplace_back(cell_row(record.cell));
    row.cells.resize(row.cells.size() + 2, Text{});
    add_cells(row, call, call_us);
  }
}

}  // namespace

Section traffic_table(const BenchRun& run, const RunTableOptions&) {
  const auto is_counted = [](const CellRecord& record) { return record.counters.has_value(); };
  std::vector<const TrafficColumn*> columns;
  for (const TrafficColumn& column : kTrafficColumns) {
    const bool has_one = std::ranges::any_of(run.cells, [&](const CellRecord& record) {
      const Amount value = column.value(record);
      return value && *value > 0;
    });
    if (has_one) columns.push_back(&column);
  }
  std::vector<ListColumn> headings;
  for (const TrafficColumn* column : columns) headings.push_back(column->heading);
  Section table = cell_section("traffic", "Traffic",
                               "Bytes of one call: least (perfect fusion), unfused (one kernel per "
                               "operator), and as counted by the hardware.",
                               headings);
  for (const CellRecord& record : run.cells) {
    Row& row = table.table.rows.emplace_back(cell_row(record.cell));
    for (const TrafficColumn* column : columns) {
      row.cells.push_back(column->show(column->value(record)));
    }
  }
  const auto counted = std::ranges::count_if(run.cells, is_counted);
  if (counted == 0) {
    table.notes.emplace_back("no counters in this run; `strobe bench run --counters` records them");
    return table;
  }
  table.notes.push_back(
      fmt::format("{} of {} cells have counters, taken in other calls than the times", counted,
                  run.cells.size()));
  table.notes.emplace_back(
      "L1: bytes requested by load and store instructions, in sectors of 32 bytes; bulk copies "
      "bypass L1 and count in L2, which counts what the multiprocessors read and write");
  table.notes.emplace_back(
      "instr.: warp instructions (32 threads each) per element; FLOP: executed 32-bit additions "
      "and multiplications (a fused one counts as two) and matrix operations, as a share of the "
      "formula's count");
  if (std::ranges::any_of(run.cells, &CellRecord::has_masked_half)) {
    table.notes.emplace_back(bench::kMaskedHalfNote);
  }
  return table;
}

Section api_table(const BenchRun& run, const RunTableOptions&) {
  Section table =
      cell_section("api", "API calls",
                   "Runtime and driver calls that one call makes before it returns, beside its "
                   "time on the device and the time its caller waits; shares are of the latter.",
                   {{"device_us", "device"},
                    {"call_us", "call"},
                    {"api", "API call", true},
                    {"count", "count"},
                    {"us", "host"},
                    {"share_pct", "of the call"}});
  std::vector<std::string> without;
  for (const CellRecord& record : run.cells) {
    if (!record.api.empty()) {
      add_rows(record, table.table.rows);
    } else if (std::ranges::find(without, record.cell.provider) == without.end()) {
      without.push_back(record.cell.provider);
    }
  }
  if (table.table.rows.empty()) {
    table.notes.emplace_back(
        "no API calls in this run; `strobe bench run --api` records them, for providers on a "
        "device");
    return table;
  }
  table.notes.emplace_back(
      "host: time inside each API call, without nested ones; recorded in a separate call after the "
      "timing, in which each takes slightly longer");
  if (!without.empty()) {
    table.notes.push_back(
        fmt::format("without a recording in some cells: {}", fmt::join(without, ", ")));
  }
  return table;
}

}  // namespace strobe::report

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/workers/run_plan.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/bench/run_tables.h"

namespace strobe::report {
namespace {

using bench::BenchRun;
using bench::CellCounters;
using bench::CellRecord;

using Amount = std::optional<double>;

BenchCell three_digits_cell(Amount number) { return digits_cell(number, 3); }

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

// A column of the table, left out where no cell has a number for it.
struct TrafficColumn {
  BenchColumn heading;
  BenchCell (*show)(Amount);
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
    {{"l2_of_least_pct", "of least"},
     part_cell,
     [](const CellRecord& r) { return quotient(l2_bytes(r), Amount(r.bytes.min)); }},
    {{"dram_read_bytes", "DRAM read"}, amount_cell, counter<&CellCounters::dram_read_bytes>},
    {{"dram_write_bytes", "DRAM write"}, amount_cell, counter<&CellCounters::dram_write_bytes>},
    {{"dram_of_least_pct", "of least"},
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

}  // namespace

BenchTable traffic_table(const BenchRun& run, const RunTableOptions&) {
  const auto is_counted = [](const CellRecord& record) { return record.counters.has_value(); };
  std::vector<const TrafficColumn*> columns;
  for (const TrafficColumn& column : kTrafficColumns) {
    const bool has_one = std::ranges::any_of(run.cells, [&](const CellRecord& record) {
      const Amount value = column.value(record);
      return value && *value > 0;
    });
    if (has_one) columns.push_back(&column);
  }
  BenchTable table;
  table.key = "traffic";
  table.title = "Traffic";
  table.lead =
      "Bytes of one call: what a perfect fusion moves, what one kernel for each operator moves, "
      "and what the hardware counted.";
  table.corner = "case";
  table.columns = cell_columns();
  for (const TrafficColumn* column : columns) table.columns.push_back(column->heading);
  for (const CellRecord& record : run.cells) {
    BenchRow& row = table.rows.emplace_back(cell_row(record.cell));
    for (const TrafficColumn* column : columns) {
      row.cells.push_back(column->show(column->value(record)));
    }
  }
  const auto counted = std::ranges::count_if(run.cells, is_counted);
  if (counted == 0) {
    table.notes.emplace_back("nothing was counted: `strobe bench run --counters` does");
    return table;
  }
  table.notes.push_back(
      fmt::format("{} of {} cells were counted, each in calls beside the timed ones", counted,
                  run.cells.size()));
  table.notes.emplace_back(
      "L1: what load and store instructions asked for, in sectors of 32 bytes; bulk copies pass L1 "
      "by and count in L2, which is read and written by multiprocessors");
  table.notes.emplace_back(
      "instr.: those of warps (32 threads), over rows times columns; FLOP: 32-bit additions and "
      "multiplications that ran, a fused one is two, and the matrix pipe's, of the formula's "
      "count");
  if (std::ranges::any_of(run.cells, &CellRecord::has_masked_half)) {
    table.notes.emplace_back(bench::kMaskedHalfNote);
  }
  return table;
}

}  // namespace strobe::report

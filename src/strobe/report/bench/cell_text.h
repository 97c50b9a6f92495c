#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/results/cell_record.h"
#include "strobe/bench/results/ratio_grid.h"
#include "strobe/report/bench/bench_table.h"

namespace strobe::report {

// "5.03E+00", "545.92%", "870.345562"
std::string value_text(bench::GridMetric metric, double value);
// "OOM", "OOM*" (predicted), "ERR", "n/a"; `missing` replaces all of them where it is given.
std::string status_text(bench::CellStatus status, std::string_view missing);
BenchCell ratio_bench_cell(const bench::RatioGrid& grid, const bench::GridCell& cell,
                           std::string_view missing);
// Cells of lists: words; "-" where nothing is known; numbers with so many digits, shares of 1 as
// percent, bytes, microseconds.
BenchCell words_cell(std::string text);
BenchCell absent_cell();
BenchCell digits_cell(std::optional<double> value, int digits);
BenchCell part_cell(std::optional<double> share);
BenchCell amount_cell(std::optional<double> bytes);
BenchCell micros_cell(std::optional<double> us);
// A text that a person sees where nothing can be struck out: "~545.92%~", "=100.03%".
std::string marked_text(const BenchCell& cell);

// What people read of a flag: "≈ floor", "host-bound", "math-mode differs". Files have flag_name().
std::string_view flag_text(bench::CellFlag flag);
// All of a cell, and "wrong" before them where its values are; its word has the names of files.
BenchCell flags_cell(const bench::CellRecord& record);

// Which cell a row is, in tables that show cells one below the other: the case is the label, and
// the first columns are shape, type and provider; `more` come behind them.
std::vector<BenchColumn> cell_columns(const std::vector<BenchColumn>& more = {});
BenchRow cell_row(const bench::Cell& cell, const std::vector<BenchCell>& more = {});

// "4.10 us", "1.23 ms": three digits.
std::string micros_text(double us);
std::string amount_text(double bytes);  // "128 MiB"

}  // namespace strobe::report

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/results/cell_record.h"
#include "strobe/bench/results/ratio_grid.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

// "5.03E+00", "545.92%", "870.345562"
std::string value_text(bench::GridMetric metric, double value);
// "OOM", "OOM*" (predicted), "ERR", "n/a"; `missing` replaces all of them if it is given.
std::string status_text(bench::CellStatus status, std::string_view missing);
Measure ratio_measure(const bench::RatioGrid& grid, const bench::GridCell& cell,
                      std::string_view missing);
// A number that noise made uncertain has this mark behind it, and the table a note that explains
// it.
std::string with_noise_mark(std::string number, bool is_noisy);
std::string noise_note(std::size_t noisy, std::size_t cells);  // "" if none is

// Cells of lists, absent if unknown: numbers with that many digits, shares of 1 as percent, bytes,
// microseconds.
Cell digits_cell(std::optional<double> value, int digits);
Cell part_cell(std::optional<double> share);
Cell amount_cell(std::optional<double> bytes);
Cell micros_cell(std::optional<double> us);
// The words for a flag: "≈ floor", "host-bound", "math-mode differs". Files have flag_name().
std::string_view flag_text(bench::CellFlag flag);
// Notes for below a table: what the flags of these cells mean. noise_note() explains "noisy".
std::vector<std::string> flag_notes(const std::vector<bench::CellRecord>& cells);
// A worker's note for people: "enqueue_us:114.3" is "queueing a call takes 114.3 us", and
// what says that nothing happened ("recompiles:0") is "".
std::string note_text(std::string_view note);
// All flags of a cell, after "wrong" if its values are; `word` holds the names used in files.
Measure flags_cell(const bench::CellRecord& record);

struct ListColumn {
  std::string key;     // for tools
  std::string header;  // for people
  bool is_text = false;
};
// A table that lists its rows; `corner` is the header of their labels.
Section list_section(std::string key, std::string title, std::string lead, std::string corner,
                     const std::vector<ListColumn>& columns);
// A table of cells: the case is the label, and the first columns are shape, type and provider.
Section cell_section(std::string key, std::string title, std::string lead,
                     const std::vector<ListColumn>& columns);
Row cell_row(const bench::Cell& cell, const std::vector<Cell>& more = {});

// "4.10 us", "1.23 ms": three digits.
std::string micros_text(double us);
std::string amount_text(double bytes);  // "128 MiB"

}  // namespace strobe::report

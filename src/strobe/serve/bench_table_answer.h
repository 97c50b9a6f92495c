#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/cell.h"
#include "strobe/bench/judge/pair_table.h"

namespace strobe::serve {

// The layout of a case's shapes on a page: rows and columns if two axes vary, one such panel per
// value of the other axes (head dimensions, K), else one shape per row.
struct BenchPanel {
  std::string title;  // "32 heads, head dimension 64"; "" if there is only one panel
  std::string row_axis;
  std::string column_axis;  // "": a list
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<std::size_t>>> cells;  // by row, column: index of the shape
};

std::vector<BenchPanel> panels_of(std::span<const bench::Shape> shapes);

// The bodies of /api/v1/bench/table and /api/v1/bench/points: one table as it is drawn, from a run
// or from tables of ratios, and every cell of a case under the roofs.
std::string bench_table_answer(std::string_view name, const bench::BenchRun& run,
                               const bench::PairQuestion& question);
std::string bench_table_answer(std::string_view name, const bench::RatioGrid& grid);

std::string bench_points_answer(std::string_view name, const bench::BenchRun& run,
                                const bench::PairQuestion& question);

}  // namespace strobe::serve

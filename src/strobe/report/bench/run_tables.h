#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/results/cell_record.h"
#include "strobe/report/render/document.h"

// Tables of strobe's own runs beyond ratios; each row is a cell.
namespace strobe::report {

struct RunTableOptions {
  std::string baseline;  // for gains against the fusion ceiling, and for flagged pairs
  std::string missing;   // instead of OOM, ERR, n/a
  bool is_net = false;   // times minus an event pair with nothing between
};

Section times_table(const bench::BenchRun& run, const RunTableOptions& options);
Section roofline_table(const bench::BenchRun& run, const RunTableOptions& options);
Section memory_table(const bench::BenchRun& run, const RunTableOptions& options);
Section traffic_table(const bench::BenchRun& run, const RunTableOptions& options);
Section kernels_table(const bench::BenchRun& run, const RunTableOptions& options);
Section api_table(const bench::BenchRun& run, const RunTableOptions& options);
Section accuracy_table(const bench::BenchRun& run, const RunTableOptions& options);
Section flags_table(const bench::BenchRun& run, const RunTableOptions& options);

// How close a cell is to the limit of the device.
struct RoofShare {
  double share = 0;
  bool is_compute = false;  // of the matrix roof, else of the copy roof
};
std::optional<RoofShare> roof_share(const bench::CellRecord& record, const bench::Roofs& roofs);
// A faster rate must come from a cache: 5 % more than the fastest measured copy, read or write rate
// of memory.
std::optional<double> cache_gbps(const bench::Roofs& roofs);
// "at the roof", "below the roof", "≈ floor", "from the cache"
std::string roof_verdict(const bench::CellRecord& record, const bench::Roofs& roofs);

// The table shown after a run: for each cell its time, its rate, its share of the copy roof, and
// its ratio to the first provider of its shape.
Section short_table(const bench::BenchRun& run);

// How many cells ended how: "38 measured, 2 of them noisy: up to +-12 %; 1 wrong".
std::string outcome_line(const bench::BenchRun& run);

// One picture for each case and type: the rate of every cell over its size, under the measured
// roof.
std::vector<Section> roof_figures(const bench::BenchRun& run);

}  // namespace strobe::report

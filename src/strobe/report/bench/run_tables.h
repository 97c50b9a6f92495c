#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/results/cell_record.h"
#include "strobe/report/render/document.h"

// What a run of strobe's own has beyond ratios: rows are cells, one below the other.
namespace strobe::report {

struct RunTableOptions {
  std::string baseline;  // of gains against the fusion ceiling, and of pairs that are flagged
  std::string missing;   // instead of OOM, ERR, n/a
  bool is_net = false;   // times less an event pair with nothing between
};

Section times_table(const bench::BenchRun& run, const RunTableOptions& options);
Section roofline_table(const bench::BenchRun& run, const RunTableOptions& options);
Section memory_table(const bench::BenchRun& run, const RunTableOptions& options);
Section traffic_table(const bench::BenchRun& run, const RunTableOptions& options);
Section kernels_table(const bench::BenchRun& run, const RunTableOptions& options);
Section api_table(const bench::BenchRun& run, const RunTableOptions& options);
Section accuracy_table(const bench::BenchRun& run, const RunTableOptions& options);
Section flags_table(const bench::BenchRun& run, const RunTableOptions& options);

// How near a cell is to what the device can do.
struct RoofShare {
  double share = 0;
  bool is_compute = false;  // of the matrix roof, else of the copy roof
};
std::optional<RoofShare> roof_share(const bench::CellRecord& record, const bench::Roofs& roofs);
// Faster than this comes from a cache: 5 % more than the fastest that memory was measured at, be it
// by copying, reading or writing.
std::optional<double> cache_gbps(const bench::Roofs& roofs);
// "at the roof", "below the roof", "≈ floor", "from the cache"
std::string roof_verdict(const bench::CellRecord& record, const bench::Roofs& roofs);

// What a person looks at when a run is over: of each cell its time, its rate, how near it is to a
// copy, and how it stands to the first provider of its shape.
Section short_table(const bench::BenchRun& run);

// How many cells ended how: "38 ok, 1 wrong, 1 OOM*".
std::string outcome_line(const bench::BenchRun& run);

// One picture for each case and type: the rate of every cell over its size, under the measured
// roof.
std::vector<Section> roof_figures(const bench::BenchRun& run);

}  // namespace strobe::report

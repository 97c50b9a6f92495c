#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/results/cell_record.h"
#include "strobe/report/bench/bench_table.h"

// What a run of strobe's own has beyond ratios: rows are cells, one below the other.
namespace strobe::report {

struct RunTableOptions {
  std::string baseline;  // of gains against the fusion ceiling, and of pairs that are flagged
  std::string missing;   // instead of OOM, ERR, n/a
  bool is_net = false;   // times less an event pair with nothing between
};

BenchTable times_table(const bench::BenchRun& run, const RunTableOptions& options);
BenchTable roofline_table(const bench::BenchRun& run, const RunTableOptions& options);
BenchTable memory_table(const bench::BenchRun& run, const RunTableOptions& options);
BenchTable traffic_table(const bench::BenchRun& run, const RunTableOptions& options);
BenchTable kernels_table(const bench::BenchRun& run, const RunTableOptions& options);
BenchTable api_table(const bench::BenchRun& run, const RunTableOptions& options);
BenchTable accuracy_table(const bench::BenchRun& run, const RunTableOptions& options);
BenchTable flags_table(const bench::BenchRun& run, const RunTableOptions& options);

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

}  // namespace strobe::report

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "strobe/bench/results/cell_record.h"

// Two runs, cell by cell.
namespace strobe::bench {

enum class CellVerdict : std::uint8_t { kSame, kFaster, kSlower, kUnclear, kNotComparable };

struct CellDiff {
  Cell cell;
  CellVerdict verdict = CellVerdict::kUnclear;
  double before_us = 0;
  double after_us = 0;
  double ratio = 1;  // after / before: above 1 is slower
  std::array<double, 2> ratio_ci95 = {1, 1};
  std::string reason;  // unclear, not comparable: why, and what to do
};

struct RunDiff {
  std::vector<CellDiff> cells;
  std::size_t only_before = 0;
  std::size_t only_after = 0;
  std::vector<std::string> warnings;  // other device, other driver
};

struct RunDiffOptions {
  TimeMode mode = TimeMode::kDevice;
  double band = 0.01;
  int resamples = 2000;
  std::uint64_t seed = 1;
  bool is_forced = false;  // compare different methods
};
Result<RunDiff> diff_runs(const BenchRun& before, const BenchRun& after,
                          const RunDiffOptions& options);

struct SpeedGate {  // "slower:3%"
  CellVerdict verdict = CellVerdict::kSlower;
  double by = 0.03;
};
Result<SpeedGate> parse_speed_gate(std::string_view text);
// The cells that it catches: the interval, not the estimate, lies beyond it.
std::vector<const CellDiff*> caught(const RunDiff& diff, const SpeedGate& gate);

}  // namespace strobe::bench

#pragma once

#include <span>

#include "strobe/bench/judge/run_diff.h"

// Compares one cell of two runs.
namespace strobe::bench {

// Ratio, interval and verdict of two records of one cell, ignoring all other cells. `error` is the
// standard error of the ratio's logarithm.
struct JudgedCell {
  CellDiff diff;
  double error = 0;
};
JudgedCell judge_cell(const CellRecord& before, const CellRecord& after,
                      const RunDiffOptions& options);

// The probability of such a ratio if the cell's time has not changed by more than its band.
double chance_of(const JudgedCell& cell);

// The step of the clock that took these times, in microseconds: all differences between them are
// multiples of it. 0 if there is no step, or none that matters: below a thousandth of the median,
// or fewer than three different times.
double time_step(std::span<const double> sorted_us);

}  // namespace strobe::bench

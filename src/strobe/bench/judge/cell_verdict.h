#pragma once

#include <span>

#include "strobe/bench/judge/run_diff.h"

// One cell of two runs.
namespace strobe::bench {

// Ratio, interval and verdict of two records of one cell, as if there were no other cells. `error`
// is the standard error of the ratio's logarithm.
struct JudgedCell {
  CellDiff diff;
  double error = 0;
};
JudgedCell judge_cell(const CellRecord& before, const CellRecord& after,
                      const RunDiffOptions& options);

// The chance that a cell whose time has not changed by more than its band shows such a ratio.
double chance_of(const JudgedCell& cell);

// The step of the clock that took these times, microseconds: what all differences between them are
// multiples of. 0 where there is none, or none that matters: below a thousandth of the median, or
// fewer than three different times to tell it from.
double time_step(std::span<const double> sorted_us);

}  // namespace strobe::bench

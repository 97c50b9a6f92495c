#pragma once

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

}  // namespace strobe::bench

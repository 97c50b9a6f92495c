#pragma once

#include <cmath>
#include <vector>

#include "strobe/bench/measure/summary.h"
#include "strobe/bench/results/cell_record.h"
#include "strobe/stats/dice.h"

namespace strobe::bench {

// How times of a device scatter: a sharp lower edge, a tail to the right, now and then a call that
// was interrupted.
struct NoiseLaw {
  double spread = 0.01;       // of the logarithm
  double interrupted = 0.01;  // share of calls that take a third longer
};

inline double noisy_time(double middle_us, const NoiseLaw& law, stats::Dice& dice) {
  // A gamma variate of shape 4 has deviation 2 and median 3.67.
  const double skewed = (dice.gamma(4) - 3.67) / 2;
  const double factor = std::exp(law.spread * skewed);
  return middle_us * factor * (dice.share() < law.interrupted ? 1.3 : 1);
}

inline CellRecord noisy_cell(Cell cell, double middle_us, std::size_t n, const NoiseLaw& law,
                             stats::Dice& dice) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < n; ++i) samples.push_back(noisy_time(middle_us, law, dice));
  CellRecord record;
  record.cell = std::move(cell);
  record.status = CellStatus::kOk;
  record.times[TimeMode::kDevice] = summarise(std::move(samples));
  return record;
}

}  // namespace strobe::bench

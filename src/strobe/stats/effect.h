#pragma once

#include <span>

#include "strobe/stats/moments.h"
#include "strobe/stats/rank_test.h"

// Effect sizes that do not depend on the number of values. Positive: the second sample is larger.
// NaN if a side is empty.
namespace strobe::stats {

// Hodges and Lehmann's shift, the median of all differences, with the interval of the rank test;
// with too few values it is from -infinity to infinity. The quantile of U is exact for n1 * n2 <=
// 2500, else approximated; `counts` caches between calls.
struct Shift {
  double shift = 0;
  double low = 0;
  double high = 0;
};
// `independent`: the share of values that is independent, if neighbours correlate; the test's
// deviation, and so the distance of its quantile from the middle, grows with 1 / sqrt of it.
Shift shift_between(std::span<const double> first, std::span<const double> second,
                    double confidence = 0.95, RankCounts* counts = nullptr, double independent = 1);

// The difference of the means in deviations of the first; 0 if that deviation is 1e-9 or less.
double z_score(const Moments& first, const Moments& second);
// The same with a lower limit of the deviation: 1 % of the first mean, and the resolution of the
// measurement (a uniform distribution of that width).
double z_floored(const Moments& first, const Moments& second, double resolution = 0);

}  // namespace strobe::stats

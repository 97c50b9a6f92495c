#pragma once

#include <span>
#include <vector>

#include "strobe/stats/moments.h"

// From a statistic to its p, and from many p to q values.
namespace strobe::stats {

// Both tails of a distribution beyond +-|x|, to the full precision of a double however small.
double normal_tails(double z);
// `degrees` may be fractional; NaN unless above 0.
double student_tails(double t, double degrees);

// The t >= 0 beyond which Student's distribution has `tails` in total; NaN unless `degrees` > 0.
double student_t(double tails, double degrees);

// The z >= 0 beyond which the normal distribution has `tails` in total: 1.96 for 0.05.
double normal_z(double tails);

// Tests whether two samples have the same mean. The sign of t is that of first minus second.
struct MeanTest {
  double t = 0;
  double degrees = 0;
  double p = 1;  // two-sided; NaN for 0/0, 0 if two constants differ
};

// t and p are NaN with fewer than two values on a side. Welch's degrees of freedom are NaN there
// and for two constants.
MeanTest welch_test(const Moments& first, const Moments& second);

// Benjamini and Hochberg's q of each p. NaN is ignored and stays NaN.
std::vector<double> adjusted_p(std::span<const double> p);

}  // namespace strobe::stats

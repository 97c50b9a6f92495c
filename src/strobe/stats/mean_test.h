#pragma once

#include "strobe/stats/moments.h"

namespace strobe::stats {

// Do two samples have one mean? The sign of t is that of first minus second.
struct MeanTest {
  double t = 0;
  double degrees = 0;
  double p = 1;  // two-sided; NaN where 0/0, 0 where two constants differ
};

// t and p are NaN with fewer than two values on a side. Welch's degrees of freedom are NaN there
// and for two constants.
MeanTest welch_test(const Moments& first, const Moments& second);
MeanTest student_test(const Moments& first, const Moments& second);

}  // namespace strobe::stats

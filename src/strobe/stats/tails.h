#pragma once

// Both tails of a distribution beyond +-|x|, to the full precision of a double however small.
namespace strobe::stats {

double normal_tails(double z);
// `degrees` may be fractional; NaN unless above 0.
double student_tails(double t, double degrees);

// The z >= 0 beyond which the normal distribution has `tails` in all: 1.96 for 0.05.
double normal_z(double tails);

}  // namespace strobe::stats

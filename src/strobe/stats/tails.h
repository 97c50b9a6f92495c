#pragma once

// Both tails of a distribution beyond +-|x|.
namespace strobe::stats {

double normal_tails(double z);
double student_tails(double t, double degrees);

}  // namespace strobe::stats

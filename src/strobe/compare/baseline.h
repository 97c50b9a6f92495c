#pragma once

#include <span>

namespace strobe::compare {

// Could the abnormal run be one more of the normal ones? Two-sided, from the means of the normal
// runs: cycles of one run share whatever made that run fast or slow, and only other runs tell how
// much that is. NaN with fewer than two normal runs.
double between_runs_p(std::span<const double> normal_means, double abnormal_mean);

}  // namespace strobe::compare

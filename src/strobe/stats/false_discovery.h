#pragma once

#include <span>
#include <vector>

namespace strobe::stats {

// Benjamini and Hochberg's q of each p. NaN takes no part and stays NaN.
std::vector<double> adjusted_p(std::span<const double> p);

}  // namespace strobe::stats

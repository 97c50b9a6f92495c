#pragma once

#include <span>
#include <vector>

namespace strobe::stats {

// The sums of signal[i] * signal[i + lag] for every lag from 0 to n - 1, with zeros after the end;
// in O(n log n), with an error of about 1e-15 of the sum at lag 0.
std::vector<double> autocorrelation(std::span<const double> signal);

}  // namespace strobe::stats

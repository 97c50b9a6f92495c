#pragma once

#include <cstddef>
#include <span>

namespace strobe::stats {

// The value below which the share `q` of a sorted sample is, interpolated between two values if
// needed (q = 0.5 is the median). NaN if empty.
double quantile_of_sorted(std::span<const double> sorted, double q);

// The interval of a median by order statistics is from the value of this rank from below (1 is the
// least) to the value of the same rank from above: the largest rank for which it contains the
// median with `confidence` or more. 0: too few values (fewer than 6 for 95 %).
std::size_t median_rank(std::size_t n, double confidence = 0.95);

struct MedianInterval {
  double low = 0;
  double high = 0;
  bool holds = false;  // with the requested confidence; otherwise it is the whole range
};
// `independent`: the number of independent values, at most the size of the sample. NaN if empty.
MedianInterval median_interval(std::span<const double> sorted, std::size_t independent,
                               double confidence = 0.95);

// The number of independent values of a sample in measured order, for its median: all of them,
// unless neighbours are on the same side of it more often than by chance, as they are while a clock
// drifts. 0 if empty, else at least 1.
std::size_t effective_count(std::span<const double> in_order);

}  // namespace strobe::stats

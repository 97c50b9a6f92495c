#pragma once

#include <cstddef>
#include <span>

namespace strobe::stats {

// The value below which the share `q` of a sorted sample lies, between two values where none is
// there (q = 0.5 is the median). NaN of nothing.
double quantile_of_sorted(std::span<const double> sorted, double q);

// The interval of a median by order statistics runs from the value of this rank from below (1 is
// the least) to the value of the same rank from above: the largest rank for which it holds the
// median with `confidence` or more. 0: so few values cannot give it (fewer than 6 for 95 %).
std::size_t median_rank(std::size_t n, double confidence = 0.95);

struct MedianInterval {
  double low = 0;
  double high = 0;
  bool holds = false;  // with the confidence asked for; else it is all that was seen
};
// `independent`: as how many independent values the sample counts; at most its size. NaN of
// nothing.
MedianInterval median_interval(std::span<const double> sorted, std::size_t independent,
                               double confidence = 0.95);

// As how many independent values a sample in the order of measuring counts for its median: all of
// them, unless neighbours lie on the same side of it more often than chance explains, as they do
// while a clock drifts. 0 of nothing, else at least 1.
std::size_t effective_count(std::span<const double> in_order);

}  // namespace strobe::stats

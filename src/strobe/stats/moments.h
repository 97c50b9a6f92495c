#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

// Statistics on doubles. Samples must not contain NaN; callers drop missing values first.
namespace strobe::stats {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Moments {
  std::size_t n = 0;
  double mean = 0;
  double deviation = 0;  // of the sample, n - 1; 0 below two values
};

// Welford's method: a constant sample has a deviation of exactly 0, whatever the constant.
Moments moments_of(std::span<const double> sample);

// Of the sample without its wildest values: the largest and the smallest twentieth, at least one
// of each from six values on, none below. The deviation is that of the middle with the error of
// cutting (Yuen 1974), so that Welch's test of two such moments is Yuen's test of trimmed means;
// n counts the values that are left.
Moments trimmed_moments_of(std::span<const double> sample);

// The same sample with each of those values replaced by the nearest that is left.
std::vector<double> winsorized(std::span<const double> sample);
// With as many wild values at each end; they are fewer than half of the sample.
std::vector<double> winsorized(std::span<const double> sample, std::size_t wild);

// The means of equal blocks of neighbouring values, in order; their sizes differ by one at most.
std::vector<double> block_means(std::span<const double> sample, std::size_t blocks);

double median_of(std::span<const double> sample);  // NaN if empty

// log(1 + x) of each value, negative ones counted as 0.
std::vector<double> log1p_of(std::span<const double> sample);

}  // namespace strobe::stats

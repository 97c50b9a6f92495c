#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "strobe/stats/dice.h"

// The ratio of two medians and its uncertainty.
namespace strobe::stats {

struct MedianSample {
  std::span<const double> sorted;  // positive, at least one
  std::size_t independent = 0;     // number of independent values; 1 or more
  // Values are whole multiples of it, as from a coarse clock; 0: continuous. A value then
  // represents all times that are rounded to it, and the median is somewhere among them.
  double step = 0;
};

struct MedianRatio {
  double ratio = 1;                         // second / first
  std::array<double, 2> interval = {1, 1};  // 95 %
  double log_error = 0;                     // standard error of its logarithm
};

// By the bootstrap: both sides are resampled `resamples` times with replacement.
MedianRatio bootstrap_ratio(const MedianSample& first, const MedianSample& second, int resamples,
                            Dice& dice);

// If only the median and its 95 % interval are known for a side. Both are positive.
struct KnownMedian {
  double median = 1;
  std::array<double, 2> interval = {1, 1};
};
MedianRatio interval_ratio(const KnownMedian& first, const KnownMedian& second);

}  // namespace strobe::stats

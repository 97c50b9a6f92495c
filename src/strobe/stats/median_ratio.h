#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "strobe/stats/dice.h"

// The ratio of two medians and how well it is known.
namespace strobe::stats {

struct MedianSample {
  std::span<const double> sorted;  // positive, at least one
  std::size_t independent = 0;     // as how many independent values they count; 1 or more
  // Values are whole multiples of it, as a coarse clock gives them; 0: of nothing. A value then
  // stands for all times that it rounds, and the median lies somewhere among them.
  double step = 0;
};

struct MedianRatio {
  double ratio = 1;                         // second / first
  std::array<double, 2> interval = {1, 1};  // 95 %
  double log_error = 0;                     // standard error of its logarithm
};

// By the bootstrap: `resamples` times both sides are drawn anew with replacement.
MedianRatio bootstrap_ratio(const MedianSample& first, const MedianSample& second, int resamples,
                            Dice& dice);

// Where all that is known of a side is its median with a 95 % interval. Both are positive.
struct KnownMedian {
  double median = 1;
  std::array<double, 2> interval = {1, 1};
};
MedianRatio interval_ratio(const KnownMedian& first, const KnownMedian& second);

}  // namespace strobe::stats

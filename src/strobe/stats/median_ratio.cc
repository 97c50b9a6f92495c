#include "strobe/stats/median_ratio.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "strobe/stats/moments.h"
#include "strobe/stats/quantiles.h"

namespace strobe::stats {
namespace {

constexpr double kZ = 1.959963984540054;  // 95 %

// The value at a given share of the sample.
double value_at(const MedianSample& sample, double share) {
  const auto n = static_cast<double>(sample.sorted.size());
  const double place = share * n;
  const std::size_t index = std::min(static_cast<std::size_t>(place), sample.sorted.size() - 1);
  const double value = sample.sorted[index];
  if (sample.step <= 0) return value;
  const double margin = sample.step / 4;  // for rounded values
  const auto low = std::lower_bound(sample.sorted.begin(), sample.sorted.end(), value - margin);
  const auto high = std::upper_bound(low, sample.sorted.end(), value + margin);
  const auto before = static_cast<double>(low - sample.sorted.begin());
  const auto equal = static_cast<double>(high - low);
  return std::max(value + sample.step * ((place - before) / equal - 0.5), value / 2);
}

double median_of_all(const MedianSample& sample) {
  return sample.step > 0 ? value_at(sample, 0.5) : quantile_of_sorted(sample.sorted, 0.5);
}

// The median of `independent` values drawn from the sample. Drawing means choosing random shares,
// and the position of the middle one needs only one random number.
double drawn_median(const MedianSample& sample, Dice& dice) {
  const std::size_t count = std::max<std::size_t>(1, sample.independent);
  const std::size_t middle = (count + 1) / 2;
  const double share = dice.ranked_share(middle, count);
  if (count % 2 == 1) return value_at(sample, share);
  // The next one is the smallest of the shares above it.
  const double above = static_cast<double>(count - middle);
  const double next = 1 - (1 - share) * std::pow(dice.share(), 1 / above);
  return (value_at(sample, share) + value_at(sample, next)) / 2;
}

}  // namespace

MedianRatio bootstrap_ratio(const MedianSample& first, const MedianSample& second, int resamples,
                            Dice& dice) {
  MedianRatio result;
  result.ratio = median_of_all(second) / median_of_all(first);
  std::vector<double> logs;
  for (int i = 0; i < resamples; ++i) {
    const double drawn = drawn_median(first, dice);
    logs.push_back(std::log(drawn_median(second, dice) / drawn));
  }
  if (logs.empty()) return result;
  result.log_error = moments_of(logs).deviation;
  std::sort(logs.begin(), logs.end());
  constexpr double kTail = 0.025;
  // The estimate is inside, even if a jump of the distribution keeps all draws on one side.
  result.interval = {std::min(result.ratio, std::exp(quantile_of_sorted(logs, kTail))),
                     std::max(result.ratio, std::exp(quantile_of_sorted(logs, 1 - kTail)))};
  return result;
}

// On a logarithmic scale the ratio is a difference; each of its limits combines the distances that
// can move it there: the second side's own and the first side's opposite one.
MedianRatio interval_ratio(const KnownMedian& first, const KnownMedian& second) {
  const auto below = [](const KnownMedian& side) {
    return std::log(side.median / side.interval[0]);
  };
  const auto above = [](const KnownMedian& side) {
    return std::log(side.interval[1] / side.median);
  };
  const double down = std::hypot(below(second), above(first));
  const double up = std::hypot(above(second), below(first));
  MedianRatio result;
  result.ratio = second.median / first.median;
  result.interval = {result.ratio * std::exp(-down), result.ratio * std::exp(up)};
  result.log_error = (down + up) / (2 * kZ);
  return result;
}

}  // namespace strobe::stats

#include "strobe/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strobe::stats {
namespace {

// How many values are wild at each end.
std::size_t wild_values(std::size_t n) {
  constexpr std::size_t kLeastValues = 6;
  constexpr std::size_t kOneIn = 20;
  return n < kLeastValues ? 0 : std::max<std::size_t>(1, n / kOneIn);
}

}  // namespace

Moments moments_of(std::span<const double> sample) {
  Moments moments;
  double squares = 0;
  for (const double value : sample) {
    ++moments.n;
    const double step = value - moments.mean;
    moments.mean += step / static_cast<double>(moments.n);
    squares += step * (value - moments.mean);
  }
  if (moments.n > 1) moments.deviation = std::sqrt(squares / static_cast<double>(moments.n - 1));
  return moments;
}

std::vector<double> winsorized(std::span<const double> sample) {
  return winsorized(sample, wild_values(sample.size()));
}

std::vector<double> winsorized(std::span<const double> sample, std::size_t wild) {
  std::vector<double> values(sample.begin(), sample.end());
  if (wild == 0) return values;
  const auto nth = [&](std::size_t place) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  const double least = nth(wild);
  const double most = nth(values.size() - 1 - wild);
  std::ranges::transform(sample, values.begin(),
                         [&](double value) { return std::clamp(value, least, most); });
  return values;
}

Moments trimmed_moments_of(std::span<const double> sample) {
  const std::size_t wild = wild_values(sample.size());
  if (wild == 0) return moments_of(sample);
  std::vector<double> sorted(sample.begin(), sample.end());
  std::ranges::sort(sorted);
  const std::size_t kept = sorted.size() - 2 * wild;
  Moments trimmed = moments_of(std::span(sorted).subspan(wild, kept));
  std::fill_n(sorted.begin(), wild, sorted[wild]);
  std::fill_n(sorted.rbegin(), wild, sorted[wild + kept - 1]);
  trimmed.deviation =
      moments_of(sorted).deviation *
      std::sqrt(static_cast<double>(sorted.size() - 1) / static_cast<double>(kept - 1));
  return trimmed;
}

std::vector<double> block_means(std::span<const double> sample, std::size_t blocks) {
  std::vector<double> means;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t first = i * sample.size() / blocks;
    const std::size_t end = (i + 1) * sample.size() / blocks;
    if (first < end) means.push_back(moments_of(sample.subspan(first, end - first)).mean);
  }
  return means;
}

double median_of(std::span<const double> sample) {
  if (sample.empty()) return kNan;
  std::vector<double> values(sample.begin(), sample.end());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::vector<double> log1p_of(std::span<const double> sample) {
  std::vector<double> logs(sample.begin(), sample.end());
  for (double& value : logs) value = std::log1p(std::max(value, 0.0));
  return logs;
}

}  // namespace strobe::stats

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "strobe/analysis/cycles/cycle_methods.h"

namespace strobe::analysis {
namespace {

constexpr double kLeastFactor = 3;
constexpr std::size_t kLeastCycles = 2;

double log_ns(const Cycle& cycle) {
  return std::log(static_cast<double>(std::max<std::int64_t>(cycle.interval.length_ns(), 1)));
}

// The border between the two groups of sorted values that leaves the least spread inside them;
// nothing if the groups are too small or too near.
std::optional<double> border_between(std::span<const double> sorted) {
  double total = 0;
  for (const double value : sorted) total += value;
  const double mean = total / static_cast<double>(sorted.size());
  // The spread inside both is least where the spread between them is largest.
  double largest = -1;
  std::size_t best = 0;
  double below = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    below += sorted[i - 1] - mean;
    const auto low = static_cast<double>(i);
    const auto high = static_cast<double>(sorted.size() - i);
    const double between = below * below * (1 / low + 1 / high);
    if (between > largest) {
      largest = between;
      best = i;
    }
  }
  if (std::min(best, sorted.size() - best) < kLeastCycles) return std::nullopt;
  double low_sum = 0;
  for (const double value : sorted.first(best)) low_sum += value;
  const double low_mean = low_sum / static_cast<double>(best);
  const double high_mean = (total - low_sum) / static_cast<double>(sorted.size() - best);
  if (high_mean - low_mean < std::log(kLeastFactor)) return std::nullopt;
  return (low_mean + high_mean) / 2;
}

}  // namespace

void tell_types_apart(std::vector<Cycle>& cycles) {
  std::vector<double> logs;
  for (const Cycle& cycle : cycles) {
    if (!cycle.has_inferred_border) logs.push_back(log_ns(cycle));
  }
  if (logs.size() < 2 * kLeastCycles) return;
  std::ranges::sort(logs);
  const std::optional<double> border = border_between(logs);
  if (!border) return;
  for (Cycle& cycle : cycles) {
    cycle.type = log_ns(cycle) < *border ? CycleType::kShort : CycleType::kLong;
  }
}

}  // namespace strobe::analysis

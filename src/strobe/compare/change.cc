#include "strobe/compare/change.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"

namespace strobe::compare {
namespace {

// What drifts, and what strikes now and then, shows in the means of long stretches of a run: a core
// that loses one cycle in fifteen to another process is slower, though most cycles are as before.
// The first cycle of a recording is often a hundred times as long as the others, so a single wild
// one among them must not come on top of it: the wildest count as much as the next ones. Of few
// cycles, each is its own stretch.
std::vector<double> stretches_of(std::span<const double> values) {
  constexpr std::size_t kStretches = 20;
  constexpr std::size_t kWildOneIn = 50;
  if (values.size() < 2 * kStretches) return {values.begin(), values.end()};
  const std::size_t wild = std::clamp<std::size_t>(values.size() / kWildOneIn, 2, 4);
  return stats::block_means(stats::winsorized(values, wild), kStretches);
}

struct Residuals {
  double neighbours = 0;  // sum of products of one residual with the next
  double squares = 0;

  void add(std::span<const double> sample) {
    const double mean = stats::trimmed_moments_of(sample).mean;
    const std::vector<double> values = stats::winsorized(sample);
    for (std::size_t i = 0; i < values.size(); ++i) {
      squares += (values[i] - mean) * (values[i] - mean);
      if (i > 0) neighbours += (values[i - 1] - mean) * (values[i] - mean);
    }
  }
};

// Consecutive cycles of one machine are correlated while it warms up or drifts, so they carry less
// information than independent values. For a first-order autocorrelation r the mean of n values is
// as good as that of n (1 - r) / (1 + r) independent ones. Both runs share one r, because few
// values only suffice together; a negative r is ignored.
double independent_share(std::span<const double> normal, std::span<const double> abnormal) {
  constexpr std::size_t kLeastValues = 4;
  constexpr double kMostAutocorrelation = 0.95;
  if (normal.size() < kLeastValues || abnormal.size() < kLeastValues) return 1;
  Residuals residuals;
  residuals.add(normal);
  residuals.add(abnormal);
  if (!(residuals.squares > 0)) return 1;
  const double r = std::clamp(residuals.neighbours / residuals.squares, 0.0, kMostAutocorrelation);
  return (1 - r) / (1 + r);
}

// `independent`: the share of the values of the cores. The means are known less precisely then; the
// deviations and degrees of freedom still come from all values.
double drift_p(const Change& change, double independent) {
  const stats::MeanTest yuen = stats::welch_test(change.normal_core, change.abnormal_core);
  return independent >= 1 ? yuen.p
                          : stats::student_tails(yuen.t * std::sqrt(independent), yuen.degrees);
}

// The interval that belongs to drift_p.
stats::Shift core_shift(const Change& change, double independent) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const double difference = change.core_difference();
  if (change.normal_core.deviation == 0 && change.abnormal_core.deviation == 0) {
    return {difference, difference, difference};
  }
  const stats::MeanTest yuen = stats::welch_test(change.normal_core, change.abnormal_core);
  const auto variance = [](const stats::Moments& core) {
    return core.deviation * core.deviation / static_cast<double>(core.n);
  };
  const double error =
      std::sqrt((variance(change.normal_core) + variance(change.abnormal_core)) / independent);
  const double half = stats::student_t(1 - kConfidence, yuen.degrees) * error;
  if (!std::isfinite(half)) return {difference, -kInfinite, kInfinite};
  return {difference, difference - half, difference + half};
}

// Everything that depends on more than the order of the values.
void compare_sizes(std::span<const double> normal, std::span<const double> abnormal,
                   double resolution, Change& change) {
  const std::vector<double> normal_stretches = stretches_of(normal);
  const std::vector<double> abnormal_stretches = stretches_of(abnormal);
  change.normal = stats::moments_of(normal);
  change.abnormal = stats::moments_of(abnormal);
  change.normal_core = stats::trimmed_moments_of(normal_stretches);
  change.abnormal_core = stats::trimmed_moments_of(abnormal_stretches);
  change.normal_median = stats::median_of(normal);
  change.abnormal_median = stats::median_of(abnormal);
  change.welch = stats::welch_test(change.normal, change.abnormal);
  if (!normal.empty() && !abnormal.empty()) {
    change.z = stats::z_score(change.normal, change.abnormal);
    change.z_floored = stats::z_floored(change.normal, change.abnormal, resolution);
  }
  change.independent = independent_share(normal, abnormal);
  const double independent = independent_share(normal_stretches, abnormal_stretches);
  change.drift_p = drift_p(change, independent);
  change.core_shift = core_shift(change, independent);
  change.degenerate = normal.size() > 1 && abnormal.size() > 1 &&
                      change.normal_core.deviation == 0 && change.abnormal_core.deviation == 0 &&
                      change.core_difference() != 0;
}

}  // namespace

double Change::core_ratio() const {
  return normal_core.mean == 0 ? std::numeric_limits<double>::quiet_NaN()
                               : abnormal_core.mean / normal_core.mean;
}

Change::Typical Change::typical() const {
  constexpr double kMost = 0.5;
  const double of_medians = abnormal_median - normal_median;  // NaN if a side is empty
  if (std::abs(of_medians) >= kMost * std::abs(core_difference())) {
    return {normal_median, abnormal_median, false};
  }
  return {normal_core.mean, abnormal_core.mean, true};
}

Change change_between(std::span<const double> normal, std::span<const double> abnormal,
                      double resolution, stats::RankCounts* counts) {
  Change change;
  change.rank = stats::rank_test(normal, abnormal, {}, counts);
  change.cliffs_delta = (change.rank.u_second - change.rank.u_first) /
                        static_cast<double>(normal.size() * abnormal.size());
  change.shift = stats::shift_between(normal, abnormal, kConfidence, counts);
  change.too_few = stats::least_p(normal.size(), abnormal.size()) > kSignificant;
  compare_sizes(normal, abnormal, resolution, change);
  return change;
}

Change log_change(const Change& plain, std::span<const double> normal,
                  std::span<const double> abnormal) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  Change change;
  change.rank = plain.rank;
  change.cliffs_delta = plain.cliffs_delta;
  change.shift = {kNaN, kNaN, kNaN};
  change.too_few = plain.too_few;
  compare_sizes(stats::log1p_of(normal), stats::log1p_of(abnormal), 0, change);
  return change;
}

void adjust_family(const std::vector<Change*>& family) {
  std::vector<double> p;
  for (const Change* change : family) {
    p.push_back(change->too_few ? std::numeric_limits<double>::quiet_NaN() : change->rank.p);
  }
  const std::vector<double> q = stats::adjusted_p(p);
  for (std::size_t i = 0; i < family.size(); ++i) family[i]->q = q[i];
}

double core_mean_of(std::span<const double> per_cycle) {
  return stats::trimmed_moments_of(stretches_of(per_cycle)).mean;
}

}  // namespace strobe::compare

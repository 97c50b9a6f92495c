#include <algorithm>
#include <cmath>
#include <utility>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"
#include "strobe/stats/quantiles.h"

// Whether an excess is more than chance. Three things must agree: it lasts (in at least half of the
// steps of a range), it is clear over the steps (Student's test against a small fixed difference,
// with as many steps as are independent), and the party is far from the others, which differ too.
namespace strobe::fleet {
namespace {

constexpr double kFarAway = 5;  // deviations
constexpr double kAway = 3;     // enough for one that is above most others in most steps
// Equal ranks always differ a little: their deviation is at least this share of a step.
constexpr double kLeastDeviation = 0.006;
constexpr double kFixedDifference = 0.005;  // of a step, for which nobody is called slow

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The stretch of steps in which the excess stays above half of its usual height.
Range late_range(std::span<const double> shares, double least) {
  std::vector<double> high;
  for (const double share : shares) {
    if (share > least) high.push_back(share);
  }
  if (high.empty()) return {};
  const double edge = std::max(least, stats::median_of(high) / 2);
  Range best;
  double best_sum = 0;
  double sum = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    sum += std::clamp(shares[i] - edge, -edge, edge);
    if (sum <= 0) {
      sum = 0;
      begin = i + 1;
    } else if (sum > best_sum) {
      best_sum = sum;
      best = {begin, i + 1};
    }
  }
  return best;
}

// A deviation from few steps is uncertain, so that of all parties counts for some steps more.
struct Spread {
  double deviation = 0;
  double steps = 0;
};

Spread spread_of_all(const std::vector<Excess>& parties) {
  constexpr std::size_t kMostSteps = 10;
  std::vector<double> deviations;
  for (const Excess& party : parties) {
    deviations.push_back(robust_deviation(party.shares, stats::median_of(party.shares)));
  }
  return {.deviation = stats::median_of(deviations),
          .steps = static_cast<double>(std::min(parties.size(), kMostSteps))};
}

// One-sided, that the mean of the values is not above the fixed difference.
double p_of(std::span<const double> values, const Spread& all) {
  const stats::Moments moments = stats::trimmed_moments_of(values);
  if (moments.n < 2) return 1;
  const auto n = static_cast<double>(moments.n);
  const double independent =
      n * static_cast<double>(stats::effective_count(values)) / static_cast<double>(values.size());
  const double own = std::max(independent - 1, 0.5);
  const double variance =
      (own * moments.deviation * moments.deviation + all.steps * all.deviation * all.deviation) /
      (own + all.steps);
  const double above = moments.mean - kFixedDifference;
  if (above <= 0) return 1;
  return stats::student_tails(above / std::sqrt(variance / independent), own + all.steps) / 2;
}

double median_between(const Excess& party, const Range& range) {
  return stats::median_of(std::span(party.shares).subspan(range.begin, range.end - range.begin));
}

// How many parties are below this one, per step, of equally likely places. One-sided.
double p_of_places(const std::vector<Excess>& parties, std::size_t one, const Range& range) {
  double below = 0;
  for (std::size_t step = range.begin; step < range.end; ++step) {
    for (const Excess& party : parties) {
      if (party.shares[step] < parties[one].shares[step]) below += 1;
    }
  }
  const auto inside = std::span(parties[one].shares).subspan(range.begin, range.end - range.begin);
  const auto steps = static_cast<double>(inside.size());
  const auto independent = static_cast<double>(stats::effective_count(inside));
  const auto places = static_cast<double>(parties.size());
  const double above_middle = below / steps - (places - 1) / 2;
  if (above_middle <= 0) return 1;
  const double deviation = std::sqrt((places * places - 1) / (12 * independent));
  return stats::normal_tails(above_middle / deviation) / 2;
}

bool is_far_away(const std::vector<Excess>& parties, std::size_t one, const Range& range) {
  std::vector<double> others;
  for (std::size_t i = 0; i < parties.size(); ++i) {
    if (i != one) others.push_back(median_between(parties[i], range));
  }
  if (others.empty()) return true;
  const double center = stats::median_of(others);
  // How much equal parties differ is uncertain if there are few.
  const double least = kLeastDeviation * (1 + 1 / static_cast<double>(others.size()));
  const double deviation = std::max(robust_deviation(others, center), least);
  const double distance = (median_between(parties[one], range) - center) / deviation;
  if (distance <= kAway) return false;
  return distance > kFarAway ||
         static_cast<double>(parties.size()) * p_of_places(parties, one, range) < kChance;
}

Evidence weigh_one(const std::vector<Excess>& parties, std::size_t one, double least,
                   const Spread& all) {
  constexpr double kNearlyAll = 0.8;  // of the steps: then the range is all of them
  const std::vector<double>& shares = parties[one].shares;
  const auto steps = static_cast<double>(shares.size());
  Range range = late_range(shares, least);
  double tried = static_cast<double>(parties.size());
  if (static_cast<double>(range.end - range.begin) >= kNearlyAll * steps) {
    range = {0, shares.size()};
  } else {
    tried *= steps * (steps + 1) / 2;  // ranges
  }
  Evidence evidence{.begin = range.begin, .end = range.end};
  const std::size_t length = range.end - range.begin;
  if (length < kLeastStepsOfAJob) return evidence;
  const auto inside = std::span(shares).subspan(range.begin, length);
  evidence.late = static_cast<std::size_t>(
      std::ranges::count_if(inside, [&](double share) { return share > least; }));
  evidence.share = stats::median_of(inside);
  evidence.p = std::min(1.0, tried * p_of(inside, all));
  evidence.is_clear = evidence.share > least && 2 * evidence.late >= length &&
                      evidence.late >= kLeastStepsOfAJob && evidence.p < kChance &&
                      is_far_away(parties, one, range);
  return evidence;
}

}  // namespace

std::vector<Evidence> weigh(const std::vector<Excess>& parties, double least) {
  if (parties.empty()) return {};
  const Spread all = spread_of_all(parties);
  std::vector<Evidence> evidence;
  for (std::size_t i = 0; i < parties.size(); ++i) {
    evidence.push_back(weigh_one(parties, i, least, all));
  }
  return evidence;
}

}  // namespace strobe::fleet

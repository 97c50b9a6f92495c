#include <algorithm>
#include <cmath>
#include <map>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"
#include "strobe/stats/quantiles.h"

namespace strobe::fleet {
namespace {

// The rank of a step that is farthest behind its peers.
struct Latest {
  std::size_t step = 0;
  std::size_t rank = 0;
  double later_ns = 0;
  double by_chance_ns = 0;  // that the latest of so many is later, if all vary as most of them do
};

Latest latest_of(const JobView& view, std::size_t step) {
  Latest latest{.step = step};
  for (const Party& stage : view.stages) {
    Positions ranks;
    for (const std::size_t rank : stage.ranks) {
      if (!view.is_explained[rank]) ranks.push_back(rank);
    }
    if (ranks.size() < 3) continue;
    std::vector<double> own;
    for (const std::size_t rank : ranks) own.push_back(own_of(view.at(rank, step)));
    const double center = stats::median_of(own);
    const double deviation = robust_deviation(own, center);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const double later_ns = own[i] - center;
      if (later_ns <= latest.later_ns) continue;
      latest.rank = ranks[i];
      latest.later_ns = later_ns;
      latest.by_chance_ns = deviation * std::sqrt(2 * std::log(static_cast<double>(ranks.size())));
    }
  }
  return latest;
}

bool is_of_work(StragglerReason reason) {
  return reason == StragglerReason::kMoreWork || reason == StragglerReason::kLongerKernels;
}

}  // namespace

std::vector<Straggler> wandering_ranks(const JobView& view) {
  constexpr double kLeast = 0.05;         // of a step
  constexpr double kLeastOnHost = 0.1;    // hosts are noisy
  constexpr double kTimesChance = 2;      // the latest of a step, if it does not do more work
  constexpr double kMost = 0.5;           // of the steps
  constexpr std::size_t kLeastRanks = 3;  // that are the latest of a step
  std::map<StragglerReason, std::vector<Latest>> by_reason;
  for (const std::size_t step : view.usual_steps) {
    const Latest latest = latest_of(view, step);
    if (latest.later_ns < kLeast * view.usual_step_ns) continue;
    const StragglerReason reason = reason_of(extra_work(view, {latest.rank}, {step}));
    const bool is_beyond = latest.later_ns > kTimesChance * latest.by_chance_ns &&
                           latest.later_ns > kLeastOnHost * view.usual_step_ns;
    if (is_of_work(reason) || is_beyond) by_reason[reason].push_back(latest);
  }
  const auto most = std::ranges::max_element(by_reason, {},
                                             [](const auto& entry) { return entry.second.size(); });
  const auto steps = static_cast<double>(view.usual_steps.size());
  if (most == by_reason.end() || static_cast<double>(most->second.size()) < kMost * steps)
    return {};

  Straggler one;
  one.kind = StragglerKind::kWandering;
  one.reason = most->first;
  std::map<std::size_t, std::size_t> times;
  std::vector<double> lost_ns(view.steps);
  std::vector<double> later;
  for (const Latest& latest : most->second) {
    ++times[latest.rank];
    later.push_back(latest.later_ns);
    const RankStep& at = view.at(latest.rank, latest.step);
    lost_ns[latest.step] = lost_by(view, {latest.rank}, latest.step, false);
    one.collectives += at.collectives;
    one.last += at.last;
  }
  if (times.size() < std::min(kLeastRanks, most->second.size())) return {};
  for (const auto& [rank, count] : times) one.ranks.push_back(rank);
  std::ranges::stable_sort(one.ranks,
                           [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  one.first_step = view.usual_steps.front();
  one.end_step = view.usual_steps.back() + 1;
  one.steps = view.usual_steps.size();
  one.late_steps = most->second.size();
  one.later_ns = stats::median_of(later);
  one.tested = view.ranks;
  const stats::Moments moments = stats::trimmed_moments_of(later);
  one.p = stats::student_tails((moments.mean - kLeast / 2 * view.usual_step_ns) /
                                   (moments.deviation / std::sqrt(static_cast<double>(moments.n))),
                               static_cast<double>(moments.n - 1)) /
          2;
  set_lost(view, lost_ns, one.first_step, one.end_step, one);
  if (one.p > kChance || one.lost_share < 2 * view.least_share()) return {};
  // What it is in a typical step: each latest rank against its peers there.
  ExtraWork sum{.kernels_ratio = 0, .own_ratio = 0};
  const auto count = static_cast<double>(most->second.size());
  for (const Latest& latest : most->second) {
    const ExtraWork extra = extra_work(view, {latest.rank}, {latest.step});
    sum.compute_ns += extra.compute_ns / count;
    sum.copy_ns += extra.copy_ns / count;
    sum.input_ns += extra.input_ns / count;
    sum.host_ns += extra.host_ns / count;
    sum.in_operators_ns += extra.in_operators_ns / count;
    sum.longest_host_gap_ns += extra.longest_host_gap_ns / count;
    sum.host_gaps += extra.host_gaps / count;
    sum.kernels_ratio += extra.kernels_ratio / count;
    sum.own_ratio += extra.own_ratio / count;
  }
  one.extra = sum;
  return {one};
}

}  // namespace strobe::fleet

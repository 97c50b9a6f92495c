#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "strobe/stats/binomial.h"
#include "strobe/stats/moments.h"

namespace strobe::fleet {
namespace {

double usual_own(const JobView& view, std::size_t rank, std::size_t without) {
  std::vector<double> own;
  for (std::size_t step = 0; step < view.steps; ++step) {
    if (step != without) own.push_back(own_of(view.at(rank, step)));
  }
  return stats::median_of(own);
}

// How much longer each step is than the second longest of the nearest four. Where a job is slow for
// three steps or more, none of them is a bad step.
std::vector<double> longer_steps(const JobView& view) {
  constexpr std::size_t kNeighbours = 4;
  std::vector<double> longer;
  for (std::size_t step = 0; step < view.steps; ++step) {
    std::vector<double> nearest;
    for (std::size_t away = 1; away < view.steps && nearest.size() < kNeighbours; ++away) {
      if (away <= step) nearest.push_back(view.step_ns[step - away]);
      if (step + away < view.steps) nearest.push_back(view.step_ns[step + away]);
    }
    std::ranges::sort(nearest, std::ranges::greater{});
    longer.push_back(view.step_ns[step] - nearest[1]);
  }
  return longer;
}

struct Outlier {
  std::size_t step;
  double p;
};

// The steps that stand out by so much that even a tail as heavy as that of the third power would
// hardly make them, or of the fourth where ranks meet on devices: the k longest are compared with
// the next one.
std::vector<Outlier> outliers(const JobView& view, const std::vector<double>& longer) {
  const double power = view.meets_on_host() ? 3 : 4;
  constexpr double kLeastLonger = 0.25;  // of a step
  constexpr double kLeastNext = 0.02;
  Positions by_length(view.steps);
  std::iota(by_length.begin(), by_length.end(), std::size_t{0});
  std::ranges::stable_sort(by_length,
                           [&](std::size_t a, std::size_t b) { return longer[a] > longer[b]; });
  const std::size_t most = std::max<std::size_t>(1, view.steps / 5);
  for (std::size_t k = most; k > 0; --k) {
    if (k >= view.steps || longer[by_length[k - 1]] < kLeastLonger * view.usual_step_ns) continue;
    const double next = std::max(longer[by_length[k]], kLeastNext * view.usual_step_ns);
    const double ratio = longer[by_length[k - 1]] / next;
    const double p = std::pow(ratio, -power * static_cast<double>(k));
    if (ratio < 2 || p > kChance) continue;
    std::vector<Outlier> found;
    for (std::size_t i = 0; i < k; ++i) found.push_back({by_length[i], p});
    std::ranges::sort(found, {}, &Outlier::step);
    return found;
  }
  return {};
}

Straggler bad_step(const JobView& view, const Outlier& outlier, double longer_ns) {
  constexpr double kMostOfIt = 0.5;
  // Stages of a pipeline that stand still one after the other make a step longer by several times.
  constexpr double kLeastOfStep = 0.1;
  Straggler one;
  one.kind = StragglerKind::kBadStep;
  one.first_step = outlier.step;
  one.end_step = outlier.step + 1;
  one.steps = one.late_steps = 1;
  one.later_ns = longer_ns;
  one.p = outlier.p;
  one.tested = view.steps;
  std::vector<double> usual;
  std::vector<double> more;
  for (std::size_t rank = 0; rank < view.ranks; ++rank) {
    usual.push_back(usual_own(view, rank, outlier.step));
    more.push_back(own_of(view.at(rank, outlier.step)) - usual.back());
  }
  const double least = std::max(kMostOfIt * std::ranges::max(more), kLeastOfStep * longer_ns);
  for (std::size_t rank = 0; rank < view.ranks; ++rank) {
    if (more[rank] >= least) one.ranks.push_back(rank);
  }
  one.peers_ns = stats::median_of(usual);
  std::vector<double> lost_ns(view.steps);
  lost_ns[outlier.step] = longer_ns * static_cast<double>(view.ranks);
  set_lost(view, lost_ns, outlier.step, outlier.step + 1, one);
  if (one.ranks.empty()) {  // nobody worked longer
    one.kind = StragglerKind::kNetwork;
    one.reason = StragglerReason::kTransfers;
    return one;
  }
  set_collectives(view, one);
  set_place(view, one);
  one.extra = extra_in_step(view, one.ranks, outlier.step);
  one.reason = reason_of(one.extra);
  return one;
}

// With too few steps to tell a slow rank from one that was slow once: who was last to nearly all
// collectives, by its own work.
std::vector<Straggler> late_in_few_steps(const JobView& view) {
  constexpr double kFarAway = 5;
  constexpr double kLeastDeviation = 0.01;  // of the peers' work
  std::vector<Straggler> found;
  for (std::size_t step = 0; step < view.steps; ++step) {
    for (std::size_t rank = 0; rank < view.ranks; ++rank) {
      const RankStep& at = view.at(rank, step);
      std::vector<double> peers;
      for (const std::size_t peer : view.stages[view.stage_of[rank]].ranks) {
        if (peer != rank) peers.push_back(own_of(view.at(peer, step)));
      }
      if (peers.empty()) continue;
      const double center = stats::median_of(peers);
      const double deviation = std::max(robust_deviation(peers, center), kLeastDeviation * center);
      const auto ranks = static_cast<double>(view.ranks);
      const double p =
          ranks * static_cast<double>(view.steps) *
          stats::binomial_tail(at.last, at.collectives, 1 / static_cast<double>(peers.size() + 1));
      const double lost = static_cast<double>(at.held_up_ns) / view.total_ns;
      if (p > kChance || own_of(at) - center < kFarAway * deviation || lost < view.least_share()) {
        continue;
      }
      Straggler one;
      one.kind = StragglerKind::kBadStep;
      one.ranks = {rank};
      one.first_step = step;
      one.end_step = step + 1;
      one.steps = one.late_steps = 1;
      one.later_ns = own_of(at) - center;
      one.peers_ns = center;
      one.p = std::min(1.0, p);
      one.tested = view.ranks * view.steps;
      one.lost_share = lost;
      one.lost_interval = {lost, lost};
      set_collectives(view, one);
      set_place(view, one);
      one.extra = extra_work(view, one.ranks, {step});
      one.reason = reason_of(one.extra);
      found.push_back(std::move(one));
    }
  }
  return found;
}

}  // namespace

std::vector<Straggler> bad_steps(JobView& view) {
  if (view.steps < kLeastStepsOfAJob) return late_in_few_steps(view);
  const std::vector<double> longer = longer_steps(view);
  const std::vector<Outlier> steps = outliers(view, longer);
  for (const Outlier& outlier : steps) std::erase(view.usual_steps, outlier.step);
  std::vector<Straggler> found;
  for (const Outlier& outlier : steps) {
    Straggler one = bad_step(view, outlier, longer[outlier.step]);
    const bool is_warm_up = outlier.step == 0 && 2 * one.ranks.size() > view.ranks;
    if (!is_warm_up && one.lost_share >= view.least_share()) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace strobe::fleet

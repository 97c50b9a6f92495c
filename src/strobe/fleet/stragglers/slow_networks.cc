#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"
#include "strobe/stats/quantiles.h"

namespace strobe::fleet {
namespace {

constexpr double kLeast = 0.01;      // of a step
constexpr double kLeastRatio = 1.3;  // of the transfers to their peers'

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return stats::quantile_of_sorted(values, q);
}

Straggler slow_transfers(const JobView& view, const Evidence& evidence, double later_ns,
                         double peers_ns, std::size_t tested) {
  Straggler one;
  one.kind = StragglerKind::kNetwork;
  one.reason = StragglerReason::kTransfers;
  one.first_step = view.usual_steps[evidence.begin];
  one.end_step = view.usual_steps[evidence.end - 1] + 1;
  one.steps = evidence.end - evidence.begin;
  one.late_steps = evidence.late;
  one.later_ns = later_ns;
  one.peers_ns = peers_ns;
  one.p = evidence.p;
  one.tested = tested;
  one.extra.transfer_ns = later_ns;
  return one;
}

// Of a party's excess in each step, over all steps of the job.
std::vector<double> lost_of(const JobView& view, const Excess& party, double ranks) {
  std::vector<double> lost_ns(view.steps);
  for (std::size_t i = 0; i < party.shares.size(); ++i) {
    lost_ns[view.usual_steps[i]] = std::max(0.0, party.shares[i]) * view.usual_step_ns * ranks;
  }
  return lost_ns;
}

std::vector<Straggler> slow_hosts(const JobView& view) {
  std::vector<Straggler> found;
  const std::vector<Excess> hosts = host_excess(view, transfer_of);
  const std::vector<Evidence> evidence = weigh(hosts, kLeast);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const double later_ns = evidence[i].share * view.usual_step_ns;
    if (!evidence[i].is_clear) continue;
    const double peers_ns = stats::median_of(hosts[i].peers_ns);
    if (later_ns < (kLeastRatio - 1) * peers_ns) continue;
    Straggler one = slow_transfers(view, evidence[i], later_ns, peers_ns, hosts.size());
    one.ranks = hosts[i].ranks;
    set_lost(view, lost_of(view, hosts[i], static_cast<double>(one.ranks.size())), one.first_step,
             one.end_step, one);
    set_place(view, one);
    if (one.lost_share * static_cast<double>(hosts.size()) >= view.least_share()) {
      found.push_back(std::move(one));
    }
  }
  return found;
}

// Collectives of one kind and size in different groups.
std::vector<Straggler> slow_groups(const JobView& view) {
  constexpr std::size_t kLeastGroups = 3;
  using SizeClass = std::tuple<std::string, std::uint64_t, std::size_t, bool>;
  std::map<SizeClass, std::vector<const CollectiveRow*>> classes;
  for (const CollectiveRow& row : view.job->collectives) {
    if (row.transfer_by_step.size() != view.steps) continue;
    classes[{row.kind, row.bytes, row.ranks, row.on_host}].push_back(&row);
  }
  std::vector<Straggler> found;
  for (const auto& [key, rows] : classes) {
    if (rows.size() < kLeastGroups) continue;
    std::vector<Excess> parties(rows.size());
    const auto calls = [&](const CollectiveRow& row) {
      return static_cast<double>(row.matched) / static_cast<double>(view.steps);
    };
    for (const std::size_t step : view.usual_steps) {
      std::vector<double> values;
      for (const CollectiveRow* row : rows) {
        values.push_back(static_cast<double>(row->transfer_by_step[step]));
      }
      const double center = stats::median_of(values);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        parties[i].shares.push_back((values[i] - center) * calls(*rows[i]) / view.usual_step_ns);
        parties[i].peers_ns.push_back(center * calls(*rows[i]));
      }
    }
    const std::vector<Evidence> evidence = weigh(parties, kLeast);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double later_ns = evidence[i].share * view.usual_step_ns;
      const double peers_ns = stats::median_of(parties[i].peers_ns);
      if (!evidence[i].is_clear || later_ns < (kLeastRatio - 1) * peers_ns) continue;
      Straggler one = slow_transfers(view, evidence[i], later_ns, peers_ns, rows.size());
      one.group = rows[i]->group;
      set_lost(view, lost_of(view, parties[i], static_cast<double>(rows[i]->ranks)), one.first_step,
               one.end_step, one);
      if (one.lost_share * static_cast<double>(rows.size()) >= view.least_share()) {
        found.push_back(std::move(one));
      }
    }
  }
  return found;
}

// One-sided, that transfers inside of a range are not longer, for any range. They vary by factors.
double p_of_ranges(const std::vector<double>& inside, const std::vector<double>& outside) {
  const stats::Moments in = stats::moments_of(stats::log1p_of(inside));
  const stats::Moments out = stats::moments_of(stats::log1p_of(outside));
  const auto n_in = static_cast<double>(in.n);
  const auto n_out = static_cast<double>(out.n);
  const double squares =
      (n_in - 1) * in.deviation * in.deviation + (n_out - 1) * out.deviation * out.deviation;
  const double steps = n_in + n_out;
  const double error = std::sqrt(squares / (steps - 2) * (1 / n_in + 1 / n_out));
  return steps * (steps + 1) / 2 * stats::student_tails((in.mean - out.mean) / error, steps - 2) /
         2;
}

// All transfers, in a range of steps. Nearly all of them are longer than nearly all others: how
// long transfers take drifts with the load of hosts and networks.
std::vector<Straggler> slow_times(const JobView& view) {
  constexpr double kTail = 0.1;
  const double apart = view.meets_on_host() ? 2 : 1.2;
  Positions all(view.ranks);
  std::iota(all.begin(), all.end(), std::size_t{0});
  Excess whole;
  for (const std::size_t step : view.usual_steps) {
    whole.peers_ns.push_back(median_over(view, all, step, transfer_of));
  }
  // What is slow for most of the time is the usual speed, as far as the job can tell.
  const double usual_ns = quantile(whole.peers_ns, 0.25);
  for (const double transfer_ns : whole.peers_ns) {
    whole.shares.push_back((transfer_ns - usual_ns) / view.usual_step_ns);
  }
  Evidence evidence = weigh({whole}, kLeast).front();
  std::vector<double> inside;
  std::vector<double> outside;
  for (std::size_t i = 0; i < whole.peers_ns.size(); ++i) {
    const bool is_inside = i >= evidence.begin && i < evidence.end;
    (is_inside ? inside : outside).push_back(whole.peers_ns[i]);
  }
  if (std::min(inside.size(), outside.size()) < kLeastStepsOfAJob) return {};
  evidence.p = std::min(1.0, p_of_ranges(inside, outside));
  if (evidence.p > kChance || quantile(inside, kTail) < apart * quantile(outside, 1 - kTail)) {
    return {};
  }
  Straggler one = slow_transfers(view, evidence, evidence.share * view.usual_step_ns, usual_ns, 1);
  set_lost(view, lost_of(view, whole, static_cast<double>(view.ranks)), one.first_step,
           one.end_step, one);
  if (one.lost_share < view.least_share()) return {};
  return {one};
}

}  // namespace

std::vector<Straggler> slow_networks(const JobView& view) {
  // The processors of one host pass on what they compute with: that is no network.
  if (view.meets_on_host() && view.hosts.size() < 2) return {};
  std::vector<Straggler> found = slow_hosts(view);
  if (found.empty()) found = slow_groups(view);
  if (found.empty()) found = slow_times(view);
  return found;
}

}  // namespace strobe::fleet

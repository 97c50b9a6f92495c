#include <algorithm>
#include <cmath>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "strobe/stats/moments.h"

namespace strobe::fleet {
namespace {

// Most of the values are as large or larger, and one large value among few does not count.
double lower_quartile(std::vector<double> values) {
  std::ranges::sort(values);
  return values[(values.size() - 1) / 4];
}

// The median of the others, for each value.
std::vector<double> medians_of_others(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  std::vector<double> medians;
  for (const double value : values) {
    const auto place =
        static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
    const auto other = [&](std::size_t i) { return sorted[i < place ? i : i + 1]; };
    const std::size_t n = values.size() - 1;
    medians.push_back(n % 2 == 1 ? other(n / 2) : (other(n / 2 - 1) + other(n / 2)) / 2);
  }
  return medians;
}

// Adds a step to each party: its value against the median of the others.
void add_step(const JobView& view, const std::vector<double>& values, std::span<Excess> parties) {
  const std::vector<double> peers = medians_of_others(values);
  for (std::size_t i = 0; i < parties.size(); ++i) {
    parties[i].shares.push_back((values[i] - peers[i]) / view.usual_step_ns);
    parties[i].peers_ns.push_back(peers[i]);
  }
}

std::vector<Excess> stage_excess(const JobView& view) {
  std::vector<Excess> parties;
  if (view.stages.size() < 2) return parties;
  for (const Party& stage : view.stages) parties.push_back({stage.ranks, {}, {}});
  for (const std::size_t step : view.usual_steps) {
    std::vector<double> values;
    for (const Party& stage : view.stages) {
      std::vector<double> own;
      for (const std::size_t rank : stage.ranks) own.push_back(own_of(view.at(rank, step)));
      values.push_back(lower_quartile(std::move(own)));
    }
    add_step(view, values, parties);
  }
  return parties;
}

// Ranks of a stage against each other, without those that are explained already.
std::vector<Excess> rank_excess(const JobView& view) {
  std::vector<Excess> all;
  for (const Party& stage : view.stages) {
    std::vector<Excess> parties;
    for (const std::size_t rank : stage.ranks) {
      if (!view.is_explained[rank]) parties.push_back({{rank}, {}, {}});
    }
    if (parties.size() < 2) continue;
    for (const std::size_t step : view.usual_steps) {
      std::vector<double> values;
      for (const Excess& party : parties) {
        values.push_back(own_of(view.at(party.ranks.front(), step)));
      }
      add_step(view, values, parties);
    }
    std::ranges::move(parties, std::back_inserter(all));
  }
  return all;
}

Straggler straggler_of(const JobView& view, const Excess& party, const Evidence& evidence,
                       StragglerKind kind, std::size_t tested) {
  Straggler one;
  one.kind = kind;
  one.ranks = party.ranks;
  one.first_step = view.usual_steps[evidence.begin];
  one.end_step = view.usual_steps[evidence.end - 1] + 1;
  one.steps = evidence.end - evidence.begin;
  one.late_steps = evidence.late;
  one.later_ns = evidence.share * view.usual_step_ns;
  one.peers_ns = stats::median_of(
      std::span(party.peers_ns).subspan(evidence.begin, evidence.end - evidence.begin));
  one.p = evidence.p;
  one.tested = tested;
  std::vector<double> lost_ns;
  for (std::size_t step = 0; step < view.steps; ++step) {
    lost_ns.push_back(lost_by(view, party.ranks, step, kind == StragglerKind::kStage));
  }
  set_lost(view, lost_ns, one.first_step, one.end_step, one);
  set_collectives(view, one);
  set_place(view, one);
  const auto steps_begin = view.usual_steps.begin();
  one.extra = extra_work(view, party.ranks,
                         {steps_begin + static_cast<std::ptrdiff_t>(evidence.begin),
                          steps_begin + static_cast<std::ptrdiff_t>(evidence.end)});
  one.reason = reason_of(one.extra);
  return one;
}

// Each against the ranks of its stage on other hosts: one slow rank of two is no slow host.
bool are_most_slow(const JobView& view, const Excess& party, const Evidence& evidence) {
  constexpr double kMostOfIt = 0.5;
  std::vector<bool> is_inside(view.ranks);
  for (const std::size_t rank : party.ranks) is_inside[rank] = true;
  std::size_t slow = 0;
  for (const std::size_t rank : party.ranks) {
    Positions peers;
    for (const std::size_t peer : view.stages[view.stage_of[rank]].ranks) {
      if (!is_inside[peer]) peers.push_back(peer);
    }
    if (peers.empty()) continue;
    std::vector<double> later;
    for (std::size_t i = evidence.begin; i < evidence.end; ++i) {
      const std::size_t step = view.usual_steps[i];
      later.push_back(own_of(view.at(rank, step)) - median_over(view, peers, step, own_of));
    }
    if (stats::median_of(later) >= kMostOfIt * evidence.share * view.usual_step_ns) ++slow;
  }
  return 4 * slow >= 3 * party.ranks.size();
}

void add_clear(JobView& view, const std::vector<Excess>& parties, StragglerKind kind, double least,
               double least_lost, std::vector<Straggler>& found) {
  const std::vector<Evidence> evidence = weigh(parties, least);
  for (std::size_t i = 0; i < parties.size(); ++i) {
    if (!evidence[i].is_clear) continue;
    Straggler one = straggler_of(view, parties[i], evidence[i], kind, parties.size());
    if (one.lost_share < least_lost) continue;
    if (kind == StragglerKind::kHost && !are_most_slow(view, parties[i], evidence[i])) continue;
    for (const std::size_t rank : one.ranks) view.is_explained[rank] = true;
    found.push_back(std::move(one));
  }
}

}  // namespace

std::vector<Excess> host_excess(const JobView& view, const Quantity& quantity) {
  std::vector<Excess> parties;
  const bool have_several_ranks =
      std::ranges::any_of(view.hosts, [](const Party& host) { return host.ranks.size() > 1; });
  if (view.hosts.size() < 2 || !have_several_ranks) return parties;
  for (const Party& host : view.hosts) parties.push_back({host.ranks, {}, {}});
  for (const std::size_t step : view.usual_steps) {
    std::vector<double> centers;
    for (const Party& stage : view.stages) {
      centers.push_back(median_over(view, stage.ranks, step, quantity));
    }
    std::vector<double> values;
    for (const Party& host : view.hosts) {
      std::vector<double> above;
      for (const std::size_t rank : host.ranks) {
        above.push_back(quantity(view.at(rank, step)) - centers[view.stage_of[rank]]);
      }
      values.push_back(lower_quartile(std::move(above)));
    }
    add_step(view, values, parties);
  }
  for (Excess& party : parties) {  // from differences back to times
    for (std::size_t i = 0; i < party.peers_ns.size(); ++i) {
      party.peers_ns[i] += median_over(view, view.stages[view.stage_of[party.ranks.front()]].ranks,
                                       view.usual_steps[i], quantity);
    }
  }
  return parties;
}

std::vector<Straggler> slow_parties(JobView& view) {
  constexpr double kLeast = 0.01;         // of a step
  constexpr double kLeastOfStage = 0.04;  // stages are never quite equal
  std::vector<Straggler> found;
  add_clear(view, stage_excess(view), StragglerKind::kStage, kLeastOfStage, kLeastOfStage / 2,
            found);
  std::vector<Excess> hosts = host_excess(view, own_of);
  std::erase_if(hosts, [](const Excess& host) { return host.ranks.size() < 2; });
  // A host that is a whole stage was judged as one.
  add_clear(view, hosts, StragglerKind::kHost, kLeast, view.least_share(), found);
  for (const Straggler& one : found) {  // a rank may still differ from the rest of its stage
    if (one.kind != StragglerKind::kStage) continue;
    for (const std::size_t rank : one.ranks) view.is_explained[rank] = false;
  }
  add_clear(view, rank_excess(view), StragglerKind::kRank, kLeast, view.least_share(), found);
  // Where another rank is late in each step, one may be it a few times in a row.
  view.is_explained.assign(view.ranks, false);
  for (const Straggler& one : found) {
    if (2 * one.steps < view.usual_steps.size()) continue;
    for (const std::size_t rank : one.ranks) view.is_explained[rank] = true;
  }
  return found;
}

}  // namespace strobe::fleet

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"
#include "strobe/stats/quantiles.h"

namespace strobe::fleet {
namespace {

std::vector<Party> stages_of(const Job& job) {
  std::map<std::int32_t, Positions> by_stage;
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    by_stage[job.ranks[rank].stage.value_or(0)].push_back(rank);
  }
  std::vector<Party> stages;
  for (auto& [stage, ranks] : by_stage) {
    stages.push_back({.host = {}, .stage = stage, .ranks = std::move(ranks)});
  }
  return stages;
}

std::vector<Party> hosts_of(const Job& job) {
  std::map<std::string, Positions> by_host;
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    by_host[job.ranks[rank].host].push_back(rank);
  }
  std::vector<Party> hosts;
  if (by_host.contains("")) return hosts;
  for (auto& [host, ranks] : by_host) {
    hosts.push_back({.host = host, .stage = {}, .ranks = std::move(ranks)});
  }
  return hosts;
}

}  // namespace

double own_of(const RankStep& step) { return static_cast<double>(step.own_ns()); }
double transfer_of(const RankStep& step) { return static_cast<double>(step.transfer_ns); }

JobView::JobView(const Job& of_job)
    : job(&of_job),
      ranks(of_job.ranks.size()),
      steps(of_job.steps.size()),
      stages(stages_of(of_job)),
      stage_of(ranks),
      hosts(hosts_of(of_job)),
      usual_steps(steps),
      is_explained(ranks) {
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    for (const std::size_t rank : stages[stage].ranks) stage_of[rank] = stage;
  }
  std::iota(usual_steps.begin(), usual_steps.end(), std::size_t{0});
  Positions all(ranks);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto length = [](const RankStep& step) {
    return static_cast<double>(step.end_ns - step.start_ns);
  };
  for (std::size_t step = 0; step < steps; ++step) {
    step_ns.push_back(median_over(*this, all, step, length));
    for (const std::size_t rank : all) total_ns += length(at(rank, step));
  }
  usual_step_ns = stats::median_of(step_ns);
}

const RankStep& JobView::at(std::size_t rank, std::size_t step) const {
  return job->ranks[rank].steps[step];
}

bool JobView::meets_on_host() const {
  std::uint64_t on_host = 0;
  std::uint64_t all = 0;
  for (const CollectiveRow& row : job->collectives) {
    all += row.matched;
    if (row.on_host) on_host += row.matched;
  }
  return 2 * on_host > all;
}

// The system's scheduler delays the threads of a host by more than a device's work varies.
double JobView::least_share() const { return meets_on_host() ? 0.05 : 0.01; }

double robust_deviation(std::span<const double> values, double center) {
  constexpr double kOfNormal = 1.4826;
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - center));
  return kOfNormal * stats::median_of(distances);
}

double median_over(const JobView& view, const Positions& ranks, std::size_t step,
                   const Quantity& quantity) {
  std::vector<double> values;
  values.reserve(ranks.size());
  for (const std::size_t rank : ranks) values.push_back(quantity(view.at(rank, step)));
  return stats::median_of(values);
}

double lost_by(const JobView& view, const Positions& slow, std::size_t step, bool is_stage) {
  std::vector<bool> is_slow(view.ranks);
  std::vector<double> own_of_slow;
  for (const std::size_t rank : slow) {
    is_slow[rank] = true;
    own_of_slow.push_back(own_of(view.at(rank, step)));
  }
  std::vector<double> caused;
  double slowest_peer = 0;
  double waited = 0;
  for (std::size_t rank = 0; rank < view.ranks; ++rank) {
    if (is_slow[rank]) continue;
    const RankStep& at = view.at(rank, step);
    caused.push_back(static_cast<double>(at.caused_wait_ns));
    waited += static_cast<double>(at.wait_ns);
    if (!is_stage && view.stage_of[rank] == view.stage_of[slow.front()]) {
      slowest_peer = std::max(slowest_peer, own_of(at));
    }
  }
  if (is_stage) {
    for (std::size_t stage = 0; stage < view.stages.size(); ++stage) {
      if (stage == view.stage_of[slow.front()]) continue;
      slowest_peer =
          std::max(slowest_peer, median_over(view, view.stages[stage].ranks, step, own_of));
    }
  }
  if (caused.empty()) return 0;
  const double later = stats::median_of(own_of_slow) - slowest_peer;
  const double passed_on = std::min(waited, later * static_cast<double>(caused.size()));
  if (is_stage) return std::max(0.0, passed_on);  // others wait for its neighbours only
  if (slow.size() == 1) {
    const auto held_up = static_cast<double>(view.at(slow.front(), step).held_up_ns);
    return std::max({0.0, held_up, passed_on});
  }
  const double usual = stats::median_of(caused);
  double direct = 0;
  for (const std::size_t rank : slow) {
    direct += static_cast<double>(view.at(rank, step).caused_wait_ns) - usual;
  }
  return std::max({0.0, direct, passed_on});
}

void set_lost(const JobView& view, std::span<const double> lost_ns, std::size_t first,
              std::size_t end, Straggler& straggler) {
  constexpr double kOutside = 0.05;  // of the interval, both ends
  const stats::Moments moments = stats::moments_of(lost_ns.subspan(first, end - first));
  const auto n = static_cast<double>(moments.n);
  const double scale = n / view.total_ns;  // from the mean of these steps to the share of the job
  straggler.lost_share = moments.mean * scale;
  const auto independent =
      static_cast<double>(stats::effective_count(lost_ns.subspan(first, end - first)));
  if (independent < 2) {
    straggler.lost_interval = {straggler.lost_share, straggler.lost_share};
    return;
  }
  const double half = stats::student_t(kOutside, independent - 1) * moments.deviation /
                      std::sqrt(independent) * scale;
  straggler.lost_interval = {std::max(0.0, straggler.lost_share - half),
                             straggler.lost_share + half};
}

void set_collectives(const JobView& view, Straggler& straggler) {
  for (const std::size_t rank : straggler.ranks) {
    for (std::size_t step = straggler.first_step; step < straggler.end_step; ++step) {
      straggler.collectives += view.at(rank, step).collectives;
      straggler.last += view.at(rank, step).last;
    }
  }
}

void set_place(const JobView& view, Straggler& straggler) {
  if (straggler.ranks.empty()) return;
  const auto& ranks = view.job->ranks;
  const RankOfJob& first = ranks[straggler.ranks.front()];
  const auto all = [&](auto is_same) { return std::ranges::all_of(straggler.ranks, is_same); };
  if (view.hosts.size() > 1 && all([&](std::size_t i) { return ranks[i].host == first.host; })) {
    straggler.host = first.host;
  }
  if (view.stages.size() > 1 && all([&](std::size_t i) { return ranks[i].stage == first.stage; })) {
    straggler.stage = first.stage;
  }
}

}  // namespace strobe::fleet

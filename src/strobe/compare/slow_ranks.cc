#include "strobe/compare/slow_ranks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "strobe/compare/collective_time.h"
#include "strobe/stats/binomial.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

struct RankTimes {
  bool has_collectives = false;
  double calls = 0;  // of collectives per cycle, median
  // Per cycle.
  std::vector<double> cycle_ms;
  std::vector<double> waiting_ms;
  std::vector<double> own_ms;
};

RankTimes rank_times_of(const RankMeasure& measure, analysis::CollectiveForm form) {
  const CollectiveCycles collectives = collective_cycles(measure, form);
  const auto& cycles = measure.cycles.cycles;
  RankTimes times;
  times.has_collectives = collectives.is_known;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    times.cycle_ms.push_back(static_cast<double>(cycles[i].interval.length_ns()) * 1e-6);
    times.waiting_ms.push_back(static_cast<double>(collectives.time_ns[i]) * 1e-6);
    times.own_ms.push_back(times.cycle_ms.back() - times.waiting_ms.back());
  }
  const std::vector<double> calls(collectives.calls.begin(), collectives.calls.end());
  times.calls = stats::median_of(calls);
  return times;
}

std::vector<RankRow> unjudged_rows(const std::vector<RankMeasure>& ranks,
                                   const std::vector<RankTimes>& times) {
  const bool some_have_collectives = std::ranges::any_of(times, &RankTimes::has_collectives);
  std::vector<RankRow> rows;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    RankRow& row = rows.emplace_back();
    row.rank = ranks[i].rank;
    row.cycles = times[i].own_ms.size();
    row.cycle_ms = stats::median_of(times[i].cycle_ms);
    row.waiting_ms = stats::median_of(times[i].waiting_ms);
    row.own_ms = stats::median_of(times[i].own_ms);
    row.is_comparable = times[i].has_collectives || !some_have_collectives;
    row.too_few = row.cycles < kLeastCyclesOfARank;
  }
  return rows;
}

double deviation_from(const std::vector<double>& values, double center) {
  constexpr double kOfNormal = 1.4826;  // scales it to the deviation of a normal distribution
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - center));
  return kOfNormal * stats::median_of(distances);
}

// Values of the peers in one cycle, as far as they have it.
std::vector<double> in_cycle(std::size_t cycle, std::span<const RankTimes* const> peers,
                             std::vector<double> RankTimes::*quantity) {
  std::vector<double> values;
  for (const RankTimes* peer : peers) {
    if (cycle < (peer->*quantity).size()) values.push_back((peer->*quantity)[cycle]);
  }
  return values;
}

// By how much a rank exceeds the median of its peers, in every cycle that one of them has too.
std::vector<double> excess(const RankTimes& one, std::span<const RankTimes* const> peers,
                           std::vector<double> RankTimes::*quantity) {
  std::vector<double> excess;
  for (std::size_t cycle = 0; cycle < (one.*quantity).size(); ++cycle) {
    const std::vector<double> now = in_cycle(cycle, peers, quantity);
    if (!now.empty()) excess.push_back((one.*quantity)[cycle] - stats::median_of(now));
  }
  return excess;
}

// Its median is more than chance makes of values that vary as these do.
bool is_above_zero(const std::vector<double>& values) {
  constexpr double kErrors = 4;
  constexpr double kErrorOfMedian = 1.2533;  // in errors of the mean, for a normal distribution
  const double median = stats::median_of(values);
  const double error = kErrorOfMedian * deviation_from(values, median) /
                       std::sqrt(static_cast<double>(values.size()));
  return median > kErrors * error;
}

bool has_long_own_time(const RankTimes& one, std::span<const RankTimes* const> peers,
                       RankRow& row) {
  constexpr double kFarAway = 5;  // deviations
  constexpr double kLeastDeviation =
      0.01;  // of the peers' time: equal ranks always differ a little
  constexpr double kLate = 1.03;
  constexpr double kLeastShare = 0.01;  // of the cycle
  std::vector<double> own_ms;
  for (const RankTimes* peer : peers) own_ms.push_back(stats::median_of(peer->own_ms));
  const double center = stats::median_of(own_ms);
  const double deviation = std::max(deviation_from(own_ms, center), kLeastDeviation * center);
  row.peers_ms = center;
  row.distance = deviation > 0 ? (row.own_ms - center) / deviation : 0;
  for (std::size_t cycle = 0; cycle < row.cycles; ++cycle) {
    const std::vector<double> now = in_cycle(cycle, peers, &RankTimes::own_ms);
    if (!now.empty() && one.own_ms[cycle] > kLate * stats::median_of(now)) ++row.cycles_late;
  }
  return row.distance > kFarAway && row.own_ms - center >= kLeastShare * row.cycle_ms &&
         row.cycles_late >= kLeastCyclesOfARank && 2 * row.cycles_late >= row.cycles &&
         is_above_zero(excess(one, peers, &RankTimes::own_ms));
}

bool call_equally_often(const RankTimes& a, const RankTimes& b) {
  constexpr double kAboutEqual = 0.05;
  return std::abs(a.calls - b.calls) <= kAboutEqual * std::max(a.calls, b.calls);
}

bool is_waited_for(const RankTimes& one, std::span<const RankTimes* const> peers, RankRow& row) {
  constexpr double kChance = 0.001;     // that equal ranks have such a one among them
  constexpr double kLeastShare = 0.05;  // of the cycle
  std::vector<const RankTimes*> alike;
  for (const RankTimes* peer : peers) {
    if (call_equally_often(one, *peer)) alike.push_back(peer);
  }
  if (!one.has_collectives || alike.empty()) return false;
  std::uint64_t compared = 0;
  for (std::size_t cycle = 0; cycle < row.cycles; ++cycle) {
    const std::vector<double> now = in_cycle(cycle, alike, &RankTimes::waiting_ms);
    if (now.size() < alike.size()) continue;
    ++compared;
    if (one.waiting_ms[cycle] < std::ranges::min(now)) ++row.cycles_least;
  }
  const std::vector<double> longer = excess(one, alike, &RankTimes::waiting_ms);
  const auto ranks = static_cast<double>(alike.size() + 1);
  return compared >= kLeastCyclesOfARank &&
         stats::median_of(longer) <= -kLeastShare * row.cycle_ms &&
         ranks * stats::binomial_tail(row.cycles_least, compared, 1 / ranks) < kChance;
}

void judge_rank(std::size_t position, const std::vector<RankTimes>& times,
                std::vector<RankRow>& rows) {
  std::vector<const RankTimes*> peers;
  std::vector<double> peers_waiting_ms;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == position || !rows[i].is_comparable) continue;
    peers.push_back(&times[i]);
    peers_waiting_ms.push_back(rows[i].waiting_ms);
  }
  RankRow& row = rows[position];
  if (!row.is_comparable || peers.empty()) return;
  row.peers_waiting_ms = stats::median_of(peers_waiting_ms);
  const bool is_long = has_long_own_time(times[position], peers, row);
  const bool is_least = is_waited_for(times[position], peers, row);
  row.is_slow = is_long || is_least;
}

}  // namespace

std::vector<RankRow> judged_ranks(const std::vector<RankMeasure>& ranks) {
  const analysis::CollectiveForm form = best_collective_form(ranks);
  std::vector<RankTimes> times;
  for (const RankMeasure& rank : ranks) times.push_back(rank_times_of(rank, form));
  std::vector<RankRow> rows = unjudged_rows(ranks, times);
  for (std::size_t i = 0; i < rows.size(); ++i) judge_rank(i, times, rows);
  const double best = std::ranges::min_element(rows, {}, &RankRow::own_ms)->own_ms;
  for (RankRow& row : rows) row.versus_best = best > 0 ? row.own_ms / best : 1;
  return rows;
}

}  // namespace strobe::compare

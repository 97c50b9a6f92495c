#include "strobe/compare/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "strobe/analysis/ranks/late_ranks.h"
#include "strobe/compare/causes/cause_rules.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

template <class T>
void keep_between(std::vector<T>& per_cycle, std::size_t begin, std::size_t end) {
  if (per_cycle.empty()) return;  // not in the trace
  per_cycle.erase(per_cycle.begin() + static_cast<std::ptrdiff_t>(end), per_cycle.end());
  per_cycle.erase(per_cycle.begin(), per_cycle.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace

RankMeasure cycles_between(const RankMeasure& measure, std::size_t begin, std::size_t end) {
  RankMeasure part = measure;
  const auto keep = [&](auto&... per_cycle) { (keep_between(per_cycle, begin, end), ...); };
  keep(part.cycles.cycles);
  for (FunctionCycles& one : part.functions) {
    keep(one.time_ns, one.covered_ns, one.calls, one.copied_bytes, one.launched_calls,
         one.launched_ns);
  }
  for (MetricCycles& one : part.metrics) keep(one.mean, one.deviation, one.coverage);
  for (DeviceCycles& one : part.devices) {
    keep(one.busy_ns, one.slices, one.is_partial, one.launched_ns);
  }
  for (SeriesCycles& one : part.series) keep(one.mean, one.busy_mean, one.sample_of);
  for (IdleCycles& one : part.idle) keep(one.idle_ns);
  for (LaunchCycles& one : part.launches) keep(one.median_delay_ns, one.mean_queue);
  return part;
}

Result<Comparison> compare_halves(const Run& run, const CompareOptions& options) {
  STROBE_TRY(const SideFacts whole, measure_side(run, options));
  SideFacts first = {.label = run.label + ", first half",
                     .path = whole.path,
                     .folder = whole.folder,
                     .runs = 1,
                     .ranks = {}};
  SideFacts second = first;
  second.label = run.label + ", second half";
  for (const RankMeasure& rank : whole.ranks) {
    const std::size_t cycles = rank.cycles.cycles.size();
    first.ranks.push_back(cycles_between(rank, 0, cycles / 2));
    second.ranks.push_back(cycles_between(rank, cycles / 2, cycles));
  }
  STROBE_TRY(Comparison comparison,
             compare_measures(std::move(first), std::move(second), {}, options));
  judge(comparison);
  return comparison;
}

namespace {

constexpr double kFarAway = 5;            // robust deviations
constexpr double kLeastDeviation = 0.01;  // of the peers' time: equal ranks always differ a little
constexpr double kLate = 1.03;
constexpr std::size_t kLeastLateCycles = kLeastCyclesOfARank;

struct OwnTimes {
  std::vector<double> cycle_ms;  // per cycle
  std::vector<double> waiting_ms;
  std::vector<double> own_ms;
};

OwnTimes own_times(const RankMeasure& measure) {
  OwnTimes times;
  for (std::size_t cycle = 0; cycle < measure.cycles.cycles.size(); ++cycle) {
    std::int64_t waiting_ns = 0;
    for (const FunctionCycles& function : measure.functions) {
      if (function.key.kind == FunctionKind::kCollective) waiting_ns += function.covered_ns[cycle];
    }
    const std::int64_t length_ns = measure.cycles.cycles[cycle].interval.length_ns();
    times.cycle_ms.push_back(static_cast<double>(length_ns) * 1e-6);
    times.waiting_ms.push_back(static_cast<double>(std::min(waiting_ns, length_ns)) * 1e-6);
    times.own_ms.push_back(times.cycle_ms.back() - times.waiting_ms.back());
  }
  return times;
}

double robust_deviation(const std::vector<double>& values, double center) {
  constexpr double kOfNormal = 1.4826;  // scales it to the deviation of a normal distribution
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - center));
  return kOfNormal * stats::median_of(distances);
}

std::vector<RankRow> rows_of(const std::vector<RankMeasure>& ranks,
                             const std::vector<OwnTimes>& times) {
  std::vector<RankRow> rows;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    rows.push_back({.rank = ranks[i].rank,
                    .cycles = times[i].own_ms.size(),
                    .cycle_ms = stats::median_of(times[i].cycle_ms),
                    .waiting_ms = stats::median_of(times[i].waiting_ms),
                    .own_ms = stats::median_of(times[i].own_ms),
                    .too_few = times[i].own_ms.size() < kLeastCyclesOfARank});
  }
  return rows;
}

// Beyond all peers, and not only in one cycle.
void judge_rank(std::size_t one, const std::vector<OwnTimes>& times, std::vector<RankRow>& rows) {
  std::vector<double> peers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i != one) peers.push_back(rows[i].own_ms);
  }
  RankRow& row = rows[one];
  const double center = stats::median_of(peers);
  row.peers_ms = center;
  const double deviation = std::max(robust_deviation(peers, center), kLeastDeviation * center);
  row.distance = deviation > 0 ? (row.own_ms - center) / deviation : 0;
  for (std::size_t cycle = 0; cycle < row.cycles; ++cycle) {
    std::vector<double> now;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i != one && cycle < times[i].own_ms.size()) now.push_back(times[i].own_ms[cycle]);
    }
    if (!now.empty() && times[one].own_ms[cycle] > kLate * stats::median_of(now)) {
      ++row.cycles_late;
    }
  }
  row.is_slow = row.distance > kFarAway && row.cycles_late >= kLeastLateCycles &&
                2 * row.cycles_late >= row.cycles;
}

std::vector<RankRow> judged_rows(const std::vector<RankMeasure>& ranks) {
  std::vector<OwnTimes> times;
  for (const RankMeasure& rank : ranks) times.push_back(own_times(rank));
  std::vector<RankRow> rows = rows_of(ranks, times);
  for (std::size_t i = 0; i < rows.size(); ++i) judge_rank(i, times, rows);
  const double best = std::ranges::min_element(rows, {}, &RankRow::own_ms)->own_ms;
  for (RankRow& row : rows) row.versus_best = best > 0 ? row.own_ms / best : 1;
  return rows;
}

std::vector<std::string> remarks_by_rank(const std::vector<RankMeasure>& ranks) {
  std::vector<std::string> remarks;
  for (const RankMeasure& rank : ranks) {
    for (const std::string& remark : rank.remarks) {
      remarks.push_back(fmt::format("rank {}: {}", rank.rank, remark));
    }
  }
  return remarks;
}

SideFacts rank_side(RankMeasure measure) {
  SideFacts side = {.label = fmt::format("rank {}", measure.rank),
                    .path = measure.path,
                    .folder = {},
                    .runs = 1,
                    .ranks = {}};
  measure.rank = 0;
  side.ranks.push_back(std::move(measure));
  return side;
}

// Of the slow ones, the farthest away; rows.size() if none is slow.
std::size_t slowest_rank(const std::vector<RankRow>& rows) {
  std::size_t slowest = rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].is_slow) continue;
    if (slowest == rows.size() || rows[i].distance > rows[slowest].distance) slowest = i;
  }
  return slowest;
}

// Of the others, the one in their middle; rows.size() if all are slow.
std::size_t typical_rank(const std::vector<RankRow>& rows) {
  std::vector<double> own_ms;
  for (const RankRow& row : rows) {
    if (!row.is_slow) own_ms.push_back(row.own_ms);
  }
  const double center = stats::median_of(own_ms);
  std::size_t best = rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].is_slow) continue;
    if (best == rows.size() ||
        std::abs(rows[i].own_ms - center) < std::abs(rows[best].own_ms - center)) {
      best = i;
    }
  }
  return best;
}

// The ranks that the others wait for in collectives.
void add_lateness(const Run& run, const std::vector<RankMeasure>& measures, Stragglers& found) {
  std::vector<const Trace*> traces;
  for (const RankCapture& capture : run.ranks) traces.push_back(capture.trace.get());
  const analysis::Lateness lateness = analysis::find_lateness(traces);
  found.collectives = lateness.collectives;
  found.clocks_differ = lateness.clocks_differ;
  constexpr double kMsPerNs = 1e-6;
  for (std::size_t i = 0; i < lateness.ranks.size(); ++i) {
    const analysis::RankLateness& one = lateness.ranks[i];
    RankRow& row = found.ranks[i];
    row.collectives = one.collectives;
    row.times_last = one.last;
    row.others_waited_ms = static_cast<double>(one.others_waited_ns) * kMsPerNs;
    row.longest_wait_ms = static_cast<double>(one.longest_ns) * kMsPerNs;
    row.longest_wait_at_ms =
        one.longest_ns > 0
            ? static_cast<double>(one.longest_at_ns - measures[i].origin_ns) * kMsPerNs
            : 0;
  }
  if (lateness.ranks.empty()) return;
  found.late = analysis::late_ranks(lateness);
  for (const std::size_t position : found.late) found.ranks[position].is_late = true;
}

}  // namespace

std::string_view word_of(RankAnswer answer) {
  switch (answer) {
    case RankAnswer::kSlowRank:
      return "slow_rank";
    case RankAnswer::kNoSlowRank:
      return "no_slow_rank";
    case RankAnswer::kCannotTell:
      return "cannot_tell";
  }
  return "";
}

bool Stragglers::has_too_few_cycles() const {
  return std::ranges::any_of(ranks, &RankRow::too_few);
}

RankAnswer Stragglers::answer() const {
  if (slowest || !late.empty()) return RankAnswer::kSlowRank;
  return has_too_few_cycles() ? RankAnswer::kCannotTell : RankAnswer::kNoSlowRank;
}

Result<Stragglers> find_stragglers(const Run& run, const CompareOptions& options) {
  if (run.ranks.size() < 2) {
    return Error{
        ErrorCode::kTooLittleData,
        fmt::format("'{}' has only one rank: there is nothing to compare it with", run.label),
        run.ranks.empty() ? run.folder : run.ranks.front().path,
        "give a second run, a folder with several ranks, or --halves"};
  }
  CompareOptions among_ranks = options;
  among_ranks.align_devices = true;
  among_ranks.only_rank.reset();
  STROBE_TRY(SideFacts side, measure_side(run, among_ranks));
  Stragglers found;
  found.label = run.label;
  found.path = side.path;
  found.ranks = judged_rows(side.ranks);
  found.quality = remarks_by_rank(side.ranks);
  add_lateness(run, side.ranks, found);
  const std::size_t slowest = slowest_rank(found.ranks);
  const std::size_t typical = typical_rank(found.ranks);
  if (slowest == found.ranks.size() || typical == found.ranks.size()) return found;
  found.slowest = found.ranks[slowest].rank;
  STROBE_TRY(Comparison comparison,
             compare_measures(rank_side(side.ranks[typical]), rank_side(side.ranks[slowest]), {},
                              among_ranks));
  judge(comparison);
  found.against_peer = std::move(comparison);
  return found;
}

}  // namespace strobe::compare

#include "strobe/compare/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "strobe/analysis/ranks/late_ranks.h"
#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/collective_time.h"
#include "strobe/compare/slow_ranks.h"
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

namespace {

CompareOptions within_run(CompareOptions options) {
  options.is_one_run = true;
  return options;
}

}  // namespace

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
             compare_measures(std::move(first), std::move(second), {}, within_run(options)));
  judge(comparison);
  return comparison;
}

namespace {

std::vector<std::string> remarks_by_rank(const std::vector<RankMeasure>& ranks) {
  std::vector<std::string> remarks;
  for (const RankMeasure& rank : ranks) {
    for (const std::string& remark : rank.remarks) {
      remarks.push_back(fmt::format("rank {}: {}", rank.rank, remark));
    }
  }
  return remarks;
}

void add_remarks_on_collectives(Stragglers& found) {
  for (const RankRow& row : found.ranks) {
    if (row.is_comparable) continue;
    found.quality.push_back(fmt::format(
        "rank {}: other ranks have collectives and this one has none in its cycles, so its own "
        "time cannot be told",
        row.rank));
  }
}

bool has_device(const RankMeasure& measure) {
  return std::ranges::any_of(measure.functions,
                             [](const FunctionCycles& one) { return is_on_device(one.key.kind); });
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

// Ranks that meet have equal cycles. On a device, what differs shows in the kernels; on the host,
// in what is left of the cycles without the collectives.
Result<Comparison> compare_two_ranks(RankMeasure normal, RankMeasure abnormal,
                                     analysis::CollectiveForm form, const CompareOptions& options) {
  const bool is_own_time =
      form != analysis::CollectiveForm::kNone && !has_device(normal) && !has_device(abnormal);
  if (is_own_time) {
    normal = without_collectives(std::move(normal), form);
    abnormal = without_collectives(std::move(abnormal), form);
  }
  STROBE_TRY(Comparison comparison, compare_measures(rank_side(std::move(normal)),
                                                     rank_side(std::move(abnormal)), {}, options));
  if (is_own_time) {
    comparison.quality.insert(comparison.quality.begin(),
                              "the collectives were cut out of the cycles of both ranks, so their "
                              "own times are compared");
  }
  judge(comparison);
  return comparison;
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

bool is_usual(const RankRow& row) { return row.is_comparable && !row.is_slow; }

// Of the others, the one in their middle; rows.size() if there is none.
std::size_t typical_rank(const std::vector<RankRow>& rows) {
  std::vector<double> own_ms;
  for (const RankRow& row : rows) {
    if (is_usual(row)) own_ms.push_back(row.own_ms);
  }
  const double center = stats::median_of(own_ms);
  std::size_t best = rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_usual(rows[i])) continue;
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
  CompareOptions among_ranks = within_run(options);
  among_ranks.align_devices = true;
  among_ranks.only_rank.reset();
  STROBE_TRY(SideFacts side, measure_side(run, among_ranks));
  Stragglers found;
  found.label = run.label;
  found.path = side.path;
  found.ranks = judged_ranks(side.ranks);
  found.quality = remarks_by_rank(side.ranks);
  add_remarks_on_collectives(found);
  add_lateness(run, side.ranks, found);
  const std::size_t slowest = slowest_rank(found.ranks);
  const std::size_t typical = typical_rank(found.ranks);
  if (slowest == found.ranks.size() || typical == found.ranks.size()) return found;
  found.slowest = found.ranks[slowest].rank;
  STROBE_TRY(Comparison comparison,
             compare_two_ranks(side.ranks[typical], side.ranks[slowest],
                               best_collective_form(side.ranks), among_ranks));
  found.against_peer = std::move(comparison);
  return found;
}

}  // namespace strobe::compare

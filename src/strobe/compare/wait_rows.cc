#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "strobe/compare/change.h"
#include "strobe/compare/comparison_parts.h"
#include "strobe/compare/measure/measure.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/rank_test.h"

namespace strobe::compare {
namespace {

// Cycles that are complete on every device of the rank.
std::vector<std::size_t> whole_cycles(const RankMeasure& measure, analysis::CycleType type) {
  std::vector<std::size_t> whole;
  const auto& cycles = measure.cycles.cycles;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (cycles[i].type != type || cycles[i].interval.length_ns() <= 0) continue;
    const bool is_whole = std::ranges::all_of(measure.devices, [&](const DeviceCycles& device) {
      return device.device == kHostDevice || !device.is_partial[i];
    });
    if (is_whole) whole.push_back(i);
  }
  return whole;
}

struct IdlePair {
  std::vector<double> normal_ms;
  std::vector<double> abnormal_ms;
};

// Rows without a cause in a run are 0 there, so every sample gets all cycles of every run.
class IdlePairs {
 public:
  void add(const RankMeasure& measure, analysis::CycleType type,
           std::vector<double> IdlePair::*side) {
    const std::vector<std::size_t> cycles = whole_cycles(measure, type);
    std::size_t& count = side == &IdlePair::normal_ms ? normal_cycles_ : abnormal_cycles_;
    for (const IdleCycles& idle : measure.idle) {
      std::vector<double>& ms = pairs_[idle.cause].*side;
      ms.resize(count);
      for (const std::size_t cycle : cycles) {
        ms.push_back(static_cast<double>(idle.idle_ns[cycle]) * 1e-6);
      }
    }
    count += cycles.size();
  }

  // Causes too small to matter in either run are left out.
  std::vector<IdleCauseRow> rows(std::int32_t rank, double least_ms) {
    std::vector<IdleCauseRow> rows;
    for (auto& [cause, pair] : pairs_) {
      pair.normal_ms.resize(normal_cycles_);
      pair.abnormal_ms.resize(abnormal_cycles_);
      const double most_ms = std::max(stats::moments_of(pair.normal_ms).mean,
                                      stats::moments_of(pair.abnormal_ms).mean);
      if (!(most_ms >= least_ms)) continue;
      Change ms = change_between(pair.normal_ms, pair.abnormal_ms, 0, &counts_);
      rows.push_back(
          {cause, rank, std::move(ms), std::move(pair.normal_ms), std::move(pair.abnormal_ms)});
    }
    return rows;
  }

 private:
  std::map<IdleCause, IdlePair> pairs_;
  std::size_t normal_cycles_ = 0;
  std::size_t abnormal_cycles_ = 0;
  stats::RankCounts counts_;
};

double mean_length_ms(const RankMeasure& measure, analysis::CycleType type) {
  std::vector<double> lengths_ms;
  for (const analysis::Cycle& cycle : measure.cycles.cycles) {
    if (cycle.type == type) {
      lengths_ms.push_back(static_cast<double>(cycle.interval.length_ns()) * 1e-6);
    }
  }
  return lengths_ms.empty() ? 0 : stats::moments_of(lengths_ms).mean;
}

struct LaunchSample {
  std::vector<double> delay_us;
  std::vector<double> queue;

  void add(const RankMeasure& measure, const LaunchCycles& launches, analysis::CycleType type) {
    for (const std::size_t cycle : usable_cycles(measure, launches.device, type)) {
      if (std::isnan(launches.median_delay_ns[cycle])) continue;
      delay_us.push_back(launches.median_delay_ns[cycle] * 1e-3);
      queue.push_back(launches.mean_queue[cycle]);
    }
  }
};

// The size of the change that a report shows. A mean follows single long cycles; the shift does
// not.
double shown_change_ms(const IdleCauseRow& row) {
  const double shift_ms = row.ms.shift.shift;
  return std::abs(std::isfinite(shift_ms) ? shift_ms : row.ms.difference());
}

}  // namespace

std::vector<IdleCauseRow> compare_idle(const std::vector<PairedRank>& ranks,
                                       analysis::CycleType type) {
  constexpr double kLeastShare = 0.002;  // of the cycle
  std::vector<IdleCauseRow> rows;
  for (const PairedRank& rank : ranks) {
    IdlePairs pairs;
    for (const RankMeasure* normal : rank.normals) pairs.add(*normal, type, &IdlePair::normal_ms);
    for (const RankMeasure* other : rank.abnormals) pairs.add(*other, type, &IdlePair::abnormal_ms);
    const double cycle_ms = std::max(mean_length_ms(*rank.normals.front(), type),
                                     mean_length_ms(*rank.abnormals.front(), type));
    std::ranges::move(pairs.rows(rank.rank, kLeastShare * cycle_ms), std::back_inserter(rows));
  }
  std::vector<Change*> family;
  for (IdleCauseRow& row : rows) family.push_back(&row.ms);
  adjust_family(family);
  std::ranges::stable_sort(rows, std::ranges::greater{}, shown_change_ms);
  return rows;
}

std::vector<LaunchRow> compare_launches(const std::vector<PairedRank>& ranks,
                                        analysis::CycleType type) {
  std::vector<LaunchRow> rows;
  for (const PairedRank& rank : ranks) {
    std::map<std::string, std::pair<LaunchSample, LaunchSample>> pairs;
    for (const RankMeasure* normal : rank.normals) {
      for (const LaunchCycles& one : normal->launches) {
        pairs[one.device].first.add(*normal, one, type);
      }
    }
    for (const RankMeasure* abnormal : rank.abnormals) {
      for (const LaunchCycles& one : abnormal->launches) {
        pairs[one.device].second.add(*abnormal, one, type);
      }
    }
    for (const auto& [device, pair] : pairs) {
      const auto& [normal, abnormal] = pair;
      if (normal.delay_us.empty() && abnormal.delay_us.empty()) continue;
      rows.push_back({device, rank.rank, change_between(normal.delay_us, abnormal.delay_us),
                      change_between(normal.queue, abnormal.queue)});
    }
  }
  for (Change LaunchRow::*quantity : {&LaunchRow::delay_us, &LaunchRow::queue}) {
    std::vector<Change*> family;
    for (LaunchRow& row : rows) family.push_back(&(row.*quantity));
    adjust_family(family);
  }
  return rows;
}

}  // namespace strobe::compare
